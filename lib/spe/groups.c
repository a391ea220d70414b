/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of perf's groups an SPE record is in. The rules are perf's (tools/perf/util/arm-spe.c);
 * those of L2D follow L1D's.
 */
#include "spe/groups.h"

#include "spe/perf_version.h"

static const struct {
	const char *name;
	uint64_t event; /* that puts a record into the group; 0: another rule */
} groups[PLUMB_SPE_GROUPS] = {
	[PLUMB_SPE_GROUP_L1D_MISS] = {"l1d-miss", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL)},
	[PLUMB_SPE_GROUP_L1D_ACCESS] = {"l1d-access", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_ACCESS)},
	[PLUMB_SPE_GROUP_L2D_MISS] = {"l2d-miss", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L2D_MISS)},
	[PLUMB_SPE_GROUP_L2D_ACCESS] = {"l2d-access", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L2D_ACCESS)},
	[PLUMB_SPE_GROUP_LLC_MISS] = {"llc-miss", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_LLC_MISS)},
	[PLUMB_SPE_GROUP_LLC_ACCESS] = {"llc-access", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_LLC_ACCESS)},
	[PLUMB_SPE_GROUP_TLB_MISS] = {"tlb-miss", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_TLB_WALK)},
	[PLUMB_SPE_GROUP_TLB_ACCESS] = {"tlb-access", PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_TLB_ACCESS)},
	[PLUMB_SPE_GROUP_BRANCH] = {"branch", 0},
	[PLUMB_SPE_GROUP_BRANCH_MISS] = {"branch-miss",
					 PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_MISPREDICTED)},
	[PLUMB_SPE_GROUP_REMOTE_ACCESS] = {"remote-access",
					   PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_REMOTE_ACCESS)},
	[PLUMB_SPE_GROUP_MEMORY] = {"memory", 0},
	[PLUMB_SPE_GROUP_INSTRUCTIONS] = {"instructions", 0},
};

const char *plumb_spe_group_name(unsigned group)
{
	return group < PLUMB_SPE_GROUPS ? groups[group].name : NULL;
}

bool spe_is_memory(const struct plumb_spe_record *record, enum plumb_perf_version version)
{
	struct plumb_spe_operation operation;

	if (!(record->has & PLUMB_SPE_HAS_OPERATION))
		return false;
	if (record->op_class == PLUMB_SPE_LOAD_STORE)
		return true;
	/* Most other operations are neither on vectors nor on matrices. */
	if (record->op_class == PLUMB_SPE_OTHER && record->operation < 4)
		return false;
	operation = plumb_spe_operation(record->op_class, record->operation);
	switch (record->op_class) {
	case PLUMB_SPE_OTHER:
		if (version == PLUMB_PERF_6_12)
			return false;
		return operation.subclass == PLUMB_SPE_SUB_SVE ||
		       (perf_is_newer(version) && (operation.subclass == PLUMB_SPE_SUB_SME ||
						   operation.flags & PLUMB_SPE_OP_SIMD));
	default:
		/* perf 7.3 mistakes calls and returns for operations on data. */
		return version == PLUMB_PERF_7_3 &&
		       operation.flags & (PLUMB_SPE_OP_LINK | PLUMB_SPE_OP_RETURN);
	}
}

uint32_t spe_record_groups(const struct plumb_spe_record *record, enum plumb_perf_version version)
{
	const uint64_t events = record->has & PLUMB_SPE_HAS_EVENTS ? record->events : 0;
	uint32_t in = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS);

	/* Without branches: which events a record has cannot be predicted. */
#pragma GCC unroll 16
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		in |= (uint32_t)((events & groups[i].event) != 0) << i;
	if (spe_is_memory(record, version))
		in |= PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_MEMORY);
	if (record->has & PLUMB_SPE_HAS_OPERATION && record->op_class == PLUMB_SPE_BRANCH)
		in |= PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_BRANCH);
	return in;
}

void spe_group_tables_fill(struct spe_group_tables *tables, enum plumb_perf_version version)
{
	struct plumb_spe_record record = {.has = PLUMB_SPE_HAS_OPERATION};

	for (unsigned i = 0; i < 4 * 256; i++) {
		record.op_class = (uint8_t)(i / 256);
		record.operation = (uint8_t)(i % 256);
		tables->operations[i / 256][i % 256] =
			(uint16_t)spe_record_groups(&record, version);
	}
	record = (struct plumb_spe_record){.has = PLUMB_SPE_HAS_EVENTS};
	for (unsigned i = 0; i < 2 << SPE_GROUP_EVENTS; i++) {
		const unsigned high = i >> SPE_GROUP_EVENTS;

		record.events = (uint64_t)(i % (1 << SPE_GROUP_EVENTS)) << high * SPE_GROUP_EVENTS;
		tables->events[high][i % (1 << SPE_GROUP_EVENTS)] =
			(uint16_t)spe_record_groups(&record, version);
	}
}
