/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What perf makes of SPE records (tools/perf/util/arm-spe.c of 6.1, for behaviour): an event for
 * each group, whose attribute is a part of the SPE event's, and samples of it.
 */
#include "recording/synthesis.h"

/* The groups' ids follow the SPE event's at this distance. */
#define ID_DISTANCE 1000000000

/* sizeof(struct perf_event_attr) of Linux 6.1 */
#define ATTR_SIZE 128

#define HARDWARE_INSTRUCTIONS 1

static struct plumb_event_attr attr_after(const struct synthesis *synthesis,
					  const struct plumb_event_attr *spe)
{
	const uint64_t kept = PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID | PLUMB_SAMPLE_TIME |
			      PLUMB_SAMPLE_ADDR | PLUMB_SAMPLE_ID | PLUMB_SAMPLE_STREAM_ID |
			      PLUMB_SAMPLE_CPU | PLUMB_SAMPLE_PERIOD | PLUMB_SAMPLE_IDENTIFIER |
			      PLUMB_SAMPLE_PHYS_ADDR;
	const uint64_t added = PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID | PLUMB_SAMPLE_PERIOD |
			       PLUMB_SAMPLE_DATA_SRC | PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_ADDR;
	const uint64_t flags =
		PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_USER) |
		PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_KERNEL) | PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_HV) |
		PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_HOST) | PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_GUEST) |
		PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL);
	struct plumb_event_attr attr = {.size = ATTR_SIZE};

	attr.sample_type = (spe->sample_type & kept) | added;
	if (synthesis->timeless)
		attr.sample_type &= ~(uint64_t)PLUMB_SAMPLE_TIME;
	else
		attr.sample_type |= PLUMB_SAMPLE_TIME;
	attr.flags = spe->flags & flags;
	attr.read_format = spe->read_format;
	return attr;
}

void synthesis_make_events(struct synthesis *synthesis, const struct plumb_recorded_event *spe)
{
	uint64_t id = (spe->id_count ? spe->ids[0] : 0) + ID_DISTANCE;

	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++) {
		struct plumb_recorded_event *event = &synthesis->events[i];

		if (!(synthesis->groups & PLUMB_SPE_GROUP_BIT(i)))
			continue;
		synthesis->ids[i] = id++;
		event->attr = attr_after(synthesis, &spe->attr);
		event->ids = &synthesis->ids[i];
		event->id_count = 1;
		event->name = plumb_spe_group_name(i);
		if (i == PLUMB_SPE_GROUP_INSTRUCTIONS) {
			event->attr.config = HARDWARE_INSTRUCTIONS;
			event->attr.sample_period = synthesis->period;
		}
	}
	synthesis->made = true;
}

static bool passes_for_load(const struct synthesis *synthesis,
			    const struct plumb_spe_record *record)
{
	return synthesis->like_perf_6_1 && record->has & PLUMB_SPE_HAS_OPERATION &&
	       synthesis_passes_for_load(record->op_class, record->operation);
}

uint32_t synthesis_groups(const struct synthesis *synthesis, const struct plumb_spe_record *record)
{
	uint32_t groups = plumb_spe_record_groups(record);

	if (passes_for_load(synthesis, record))
		groups |= PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_MEMORY);
	return groups;
}

static uint64_t data_source(const struct synthesis *synthesis,
			    const struct plumb_spe_record *record, uint32_t midr)
{
	struct plumb_spe_record load;

	if (!passes_for_load(synthesis, record))
		return plumb_spe_perf_data_source(record, midr);
	load = *record;
	load.op_class = PLUMB_SPE_LOAD_STORE;
	load.operation = 0;
	return plumb_spe_perf_data_source(&load, midr);
}

static uint64_t code_address(const struct synthesis *synthesis, uint64_t payload)
{
	unsigned level = plumb_spe_exception_level(payload);

	/* perf takes all of these for the kernel's, a hypervisor's low addresses, too. */
	if (synthesis->like_perf_6_1 && plumb_spe_non_secure(payload) && (level == 1 || level == 2))
		return payload | UINT64_C(0xff) << 56;
	return plumb_spe_code_address(payload);
}

static uint16_t cpu_mode(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			 uint64_t ip)
{
	bool high = ip >> 63;

	if (synthesis->like_perf_6_1 || !(record->has & PLUMB_SPE_HAS_PC))
		return high ? PLUMB_MODE_KERNEL : PLUMB_MODE_USER;
	switch (plumb_spe_exception_level(record->addresses[PLUMB_SPE_PC])) {
	case 0:
		return PLUMB_MODE_USER;
	case 1:
		return PLUMB_MODE_KERNEL;
	default:
		/* A host's kernel runs at EL2 with VHE. */
		return high ? PLUMB_MODE_KERNEL : PLUMB_MODE_HYPERVISOR;
	}
}

static bool is_branch_group(unsigned group)
{
	return group == PLUMB_SPE_GROUP_BRANCH || group == PLUMB_SPE_GROUP_BRANCH_MISS;
}

void synthesis_sample(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      const struct synthesis_origin *origin, unsigned group,
		      struct plumb_record *sample)
{
	const uint64_t *addresses = record->addresses;
	struct plumb_sample *members = &sample->sample;

	*sample = (struct plumb_record){
		.type = PLUMB_RECORD_SAMPLE,
		.offset = origin->place,
		.has = PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_ID | PLUMB_RECORD_HAS_STREAM,
		.pid = origin->pid,
		.tid = origin->tid,
		.cpu = (uint32_t)origin->cpu,
		.id = synthesis->ids[group],
		.stream_id = synthesis->ids[group],
		.event = &synthesis->events[group],
	};
	if (origin->cpu >= 0)
		sample->has |= PLUMB_RECORD_HAS_CPU;
	if (origin->has_time) {
		sample->has |= PLUMB_RECORD_HAS_TIME;
		sample->time = origin->time;
	}
	members->ip = code_address(synthesis, addresses[PLUMB_SPE_PC]);
	members->weight = record->counters[PLUMB_SPE_TOTAL_LATENCY];
	members->period = group == PLUMB_SPE_GROUP_INSTRUCTIONS ? synthesis->period : 1;
	sample->misc = cpu_mode(synthesis, record, members->ip);
	if (is_branch_group(group)) {
		members->address = code_address(synthesis, addresses[PLUMB_SPE_BRANCH_TARGET]);
		return;
	}
	members->address = plumb_spe_virtual_address(addresses[PLUMB_SPE_DATA_VIRTUAL]);
	members->physical_address = plumb_spe_physical_address(addresses[PLUMB_SPE_DATA_PHYSICAL]);
	members->data_source = data_source(synthesis, record, origin->midr);
}
