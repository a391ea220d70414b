/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from in the encoding of PERF_SAMPLE_DATA_SRC, as perf 6.1 makes it of a record
 * (tools/perf/util/arm-spe.c, arm_spe__synth_data_source()). The fields are those of union
 * perf_mem_data_src in <linux/perf_event.h>; their values are ABI, and written out here since not
 * every system that reads recordings has that header.
 */
#include <plumb/spe_groups.h>

#define OP(value)     ((uint64_t)(value))
#define LEVEL(value)  ((uint64_t)(value) << 5)
#define SNOOP(value)  ((uint64_t)(value) << 19)
#define TLB(value)    ((uint64_t)(value) << 26)
#define NUMBER(value) ((uint64_t)(value) << 33)
#define REMOTE        (UINT64_C(1) << 37)
#define SNOOPX_PEER   (UINT64_C(2) << 38)

enum {
	OP_LOAD = 0x02,
	OP_STORE = 0x04,
	LEVEL_NA = 0x01,
	LEVEL_HIT = 0x02,
	LEVEL_MISS = 0x04,
	LEVEL_L1 = 0x08,
	LEVEL_L2 = 0x20,
	LEVEL_L3 = 0x40,
	LEVEL_RAM = 0x80,
	NUMBER_L1 = 0x01,
	NUMBER_L2 = 0x02,
	NUMBER_L3 = 0x03,
	NUMBER_RAM = 0x0d,
	NUMBER_NA = 0x0f,
	SNOOP_NA = 0x01,
	SNOOP_NONE = 0x02,
	SNOOP_HIT = 0x04,
	TLB_HIT = 0x02,
	TLB_MISS = 0x04,
	TLB_WALKER = 0x20,
};

/* The encoding that Arm's cores share; data sources that are not listed leave all fields open. */
static const uint64_t common_sources[16] = {
	[0x0] = LEVEL(LEVEL_L1 | LEVEL_HIT) | NUMBER(NUMBER_L1) | SNOOP(SNOOP_NONE),
	[0x8] = LEVEL(LEVEL_L2 | LEVEL_HIT) | NUMBER(NUMBER_L2) | SNOOP(SNOOP_NONE),
	[0x9] = LEVEL(LEVEL_L2 | LEVEL_HIT) | NUMBER(NUMBER_L2) | SNOOPX_PEER, /* peer core */
	[0xa] = LEVEL(LEVEL_L3 | LEVEL_HIT) | NUMBER(NUMBER_L3) | SNOOPX_PEER, /* local cluster */
	[0xb] = LEVEL(LEVEL_L3 | LEVEL_HIT) | NUMBER(NUMBER_L3) | SNOOP(SNOOP_HIT), /* system */
	[0xc] = LEVEL(LEVEL_L3 | LEVEL_HIT) | NUMBER(NUMBER_L3) | SNOOPX_PEER, /* peer cluster */
	[0xd] = LEVEL(LEVEL_NA) | NUMBER(NUMBER_NA) | REMOTE | SNOOPX_PEER,    /* remote socket */
	[0xe] = LEVEL(LEVEL_RAM | LEVEL_HIT) | NUMBER(NUMBER_RAM) | SNOOP(SNOOP_NONE),
};

static bool happened(const struct plumb_spe_record *record, enum plumb_spe_event event)
{
	return record->events & PLUMB_SPE_EVENT_BIT(event);
}

/* Arm's Neoverse N1, N2 and V1, of any variant and revision: those that perf 6.1 lists. */
static bool has_common_sources(uint32_t midr)
{
	unsigned part = midr >> 4 & 0xfff;

	return midr >> 24 == 0x41 && (midr >> 16 & 0xf) == 0xf &&
	       (part == 0xd0c || part == 0xd49 || part == 0xd40);
}

static uint64_t from_source(const struct plumb_spe_record *record, bool store)
{
	/* perf keeps 16 bits of it. */
	unsigned source = (uint16_t)record->data_source;

	if (store)
		return LEVEL(LEVEL_NA) | NUMBER(NUMBER_NA) | SNOOP(SNOOP_NA);
	return source < 16 ? common_sources[source] : 0;
}

static uint64_t from_events(const struct plumb_spe_record *record)
{
	uint64_t fields = 0;

	if (happened(record, PLUMB_SPE_EV_LLC_ACCESS) || happened(record, PLUMB_SPE_EV_LLC_MISS))
		fields = LEVEL(LEVEL_L3 |
			       (happened(record, PLUMB_SPE_EV_LLC_MISS) ? LEVEL_MISS : LEVEL_HIT));
	else if (happened(record, PLUMB_SPE_EV_L1D_ACCESS) ||
		 happened(record, PLUMB_SPE_EV_L1D_REFILL))
		fields = LEVEL(LEVEL_L1 | (happened(record, PLUMB_SPE_EV_L1D_REFILL) ? LEVEL_MISS
										     : LEVEL_HIT));
	if (happened(record, PLUMB_SPE_EV_REMOTE_ACCESS))
		fields |= REMOTE;
	return fields;
}

uint64_t plumb_spe_perf_data_source(const struct plumb_spe_record *record, uint32_t midr)
{
	bool store = record->operation & 1;
	uint64_t fields;

	if (!(record->has & PLUMB_SPE_HAS_OPERATION) || record->op_class != PLUMB_SPE_LOAD_STORE)
		return 0;
	fields = OP(store ? OP_STORE : OP_LOAD);
	fields |= has_common_sources(midr) ? from_source(record, store) : from_events(record);
	if (happened(record, PLUMB_SPE_EV_TLB_WALK))
		fields |= TLB(TLB_WALKER | TLB_MISS);
	else if (happened(record, PLUMB_SPE_EV_TLB_ACCESS))
		fields |= TLB(TLB_WALKER | TLB_HIT);
	return fields;
}
