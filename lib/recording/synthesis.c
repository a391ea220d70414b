/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What perf makes of SPE records (tools/perf/util/arm-spe.c of 6.1, 6.12 and 7.3, for behaviour):
 * an event for each group, whose attribute is a part of the SPE event's, and samples of it.
 */
#include "recording/synthesis.h"

#include "spe/data_source_perf.h"
#include "spe/perf_version.h"

/* The distance from the SPE event's id to the groups' ids. */
#define ID_DISTANCE 1000000000

/* sizeof(struct perf_event_attr) of Linux 6.1 */
#define ATTR_SIZE 128

#define HARDWARE_INSTRUCTIONS 1

/* Types of branches: PERF_BR_*. */
enum {
	BRANCH_UNKNOWN = 0,
	BRANCH_CONDITIONAL = 1,
	BRANCH_UNCONDITIONAL = 2,
	BRANCH_CALL = 4,
	BRANCH_RETURN = 6,
	BRANCH_CONDITIONAL_CALL = 9,
	BRANCH_CONDITIONAL_RETURN = 10,
};

/* The bits of a branch's payload that tell calls and returns. */
#define LINK_FIELD 0x18

/* ---- Events ---------------------------------------------------------------------------------- */

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

static void make_event(struct synthesis *synthesis, const struct plumb_recorded_event *spe,
		       unsigned group)
{
	struct plumb_recorded_event *event = &synthesis->events[group];

	event->attr = attr_after(synthesis, &spe->attr);
	event->ids = &synthesis->ids[group];
	event->id_count = 1;
	event->name = plumb_spe_group_name(group);
	if (group == PLUMB_SPE_GROUP_INSTRUCTIONS)
		event->attr.config = HARDWARE_INSTRUCTIONS;
	if (group == PLUMB_SPE_GROUP_INSTRUCTIONS || perf_is_newer(synthesis->version))
		event->attr.sample_period = synthesis->period;
	if (synthesis->branch_entries) {
		event->attr.sample_type |= PLUMB_SAMPLE_BRANCH_STACK;
		event->attr.branch_sample_type |= PLUMB_BRANCH_HW_INDEX;
	}
}

void synthesis_make_events(struct synthesis *synthesis, const struct plumb_recorded_event *spe)
{
	uint64_t id = (spe->id_count ? spe->ids[0] : 0) + ID_DISTANCE;

	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++) {
		if (!(synthesis->groups & PLUMB_SPE_GROUP_BIT(i)))
			continue;
		synthesis->ids[i] = id++;
		make_event(synthesis, spe, i);
	}
	synthesis->made = true;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

uint32_t synthesis_choose(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			  uint64_t *since)
{
	const uint32_t instructions = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS);
	uint32_t groups = spe_groups_by_tables(&synthesis->tables, record) & synthesis->groups;
	bool skipped;

	if (synthesis->period <= 1)
		return groups;
	/* Older versions use the period for "instructions" only. */
	if (!perf_is_newer(synthesis->version) && !(groups & instructions))
		return groups;
	skipped = ++*since < synthesis->period;
	if (!skipped)
		*since = 0;
	else if (perf_is_newer(synthesis->version))
		groups = 0;
	else
		groups &= ~instructions;
	return groups;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static uint64_t code_address(const struct synthesis *synthesis, uint64_t payload)
{
	unsigned level = plumb_spe_exception_level(payload);

	/* perf treats all of these as the kernel's, even a hypervisor's low addresses. */
	if (perf_is_exact(synthesis->version) && plumb_spe_non_secure(payload) &&
	    (level == 1 || level == 2))
		return payload | UINT64_C(0xff) << 56;
	return plumb_spe_code_address(payload);
}

static uint16_t cpu_mode(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			 uint64_t ip)
{
	bool high = ip >> 63;

	if (perf_is_exact(synthesis->version) || !(record->has & PLUMB_SPE_HAS_PC))
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

static bool has_event(const struct plumb_spe_record *record, enum plumb_spe_event event)
{
	return record->has & PLUMB_SPE_HAS_EVENTS && record->events & PLUMB_SPE_EVENT_BIT(event);
}

static bool is_branch(const struct plumb_spe_record *record)
{
	return record->has & PLUMB_SPE_HAS_OPERATION && record->op_class == PLUMB_SPE_BRANCH;
}

/* As in perf, a branch to an address in a register without a link is a return. */
static bool returns(struct plumb_spe_operation operation)
{
	return operation.flags & PLUMB_SPE_OP_RETURN ||
	       (operation.subclass == PLUMB_SPE_SUB_INDIRECT &&
		!(operation.flags & PLUMB_SPE_OP_LINK));
}

/* Returns the kind of the branch as bits of enum plumb_trace_flag. */
static uint32_t trace_flags(const struct plumb_spe_record *record)
{
	uint32_t flags = PLUMB_TRACE_BRANCH;
	struct plumb_spe_operation operation;

	if (!is_branch(record))
		return 0;
	operation = plumb_spe_operation(record->op_class, record->operation);
	if (has_event(record, PLUMB_SPE_EV_MISPREDICTED))
		flags |= PLUMB_TRACE_MISS;
	if (has_event(record, PLUMB_SPE_EV_NOT_TAKEN))
		flags |= PLUMB_TRACE_NOT_TAKEN;
	if (has_event(record, PLUMB_SPE_EV_TRANSACTIONAL))
		flags |= PLUMB_TRACE_TRANSACTION;
	if (operation.flags & PLUMB_SPE_OP_CONDITIONAL)
		flags |= PLUMB_TRACE_CONDITIONAL;
	if (operation.flags & PLUMB_SPE_OP_LINK)
		flags |= PLUMB_TRACE_CALL;
	else if (returns(operation))
		flags |= PLUMB_TRACE_RETURN;
	return flags;
}

static unsigned branch_type(struct plumb_spe_operation operation, uint8_t payload)
{
	const bool conditional = operation.flags & PLUMB_SPE_OP_CONDITIONAL;

	if (operation.flags & PLUMB_SPE_OP_LINK)
		return conditional ? BRANCH_CONDITIONAL_CALL : BRANCH_CALL;
	if (returns(operation))
		return conditional ? BRANCH_CONDITIONAL_RETURN : BRANCH_RETURN;
	if (conditional)
		return BRANCH_CONDITIONAL;
	/* Newer cores tell that it neither calls nor returns. */
	return (payload & LINK_FIELD) == LINK_FIELD ? BRANCH_UNCONDITIONAL : BRANCH_UNKNOWN;
}

/* Returns the branch of the record itself. */
static struct plumb_branch_entry sampled_branch(const struct synthesis *synthesis,
						const struct plumb_spe_record *record)
{
	const struct plumb_spe_operation operation =
		plumb_spe_operation(record->op_class, record->operation);
	const uint64_t latency = record->counters[PLUMB_SPE_TOTAL_LATENCY];
	struct plumb_branch_entry entry = {
		.from = code_address(synthesis, record->addresses[PLUMB_SPE_PC]),
		.to = code_address(synthesis, record->addresses[PLUMB_SPE_BRANCH_TARGET]),
	};

	entry.flags = has_event(record, PLUMB_SPE_EV_MISPREDICTED)
			      ? PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED)
			      : PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED);
	if (has_event(record, PLUMB_SPE_EV_NOT_TAKEN))
		entry.flags |= PLUMB_ENTRY_BIT(PLUMB_ENTRY_NOT_TAKEN);
	if (has_event(record, PLUMB_SPE_EV_TRANSACTIONAL))
		entry.flags |= PLUMB_ENTRY_BIT(PLUMB_ENTRY_TRANSACTION);
	entry.flags |= (latency < UINT16_MAX ? latency : UINT16_MAX) << PLUMB_ENTRY_CYCLES;
	entry.flags |= (uint64_t)branch_type(operation, record->operation) << PLUMB_ENTRY_TYPE;
	return entry;
}

/* Lists the branches in the record, the latest first. */
static void add_branches(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			 struct synthesized *sample)
{
	const uint64_t previous = record->addresses[PLUMB_SPE_PREVIOUS_TARGET];
	size_t count = 0;

	if (is_branch(record))
		sample->branches[count++] = sampled_branch(synthesis, record);
	/* The target of the branch before is known, but not its address. */
	if (count < synthesis->branch_entries && record->has & PLUMB_SPE_HAS_PREVIOUS_TARGET)
		sample->branches[count++] =
			(struct plumb_branch_entry){.to = code_address(synthesis, previous)};
	sample->record.sample.branches = sample->branches;
	sample->record.sample.branch_count = count;
	sample->record.sample.branch_hw_index = UINT64_MAX;
}

uint64_t synthesis_code(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			enum plumb_cpu_mode *mode)
{
	const uint64_t ip = code_address(synthesis, record->addresses[PLUMB_SPE_PC]);

	*mode = (enum plumb_cpu_mode)cpu_mode(synthesis, record, ip);
	return ip;
}

void synthesis_place(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		     const struct synthesis_origin *origin, struct plumb_record *sample)
{
	enum plumb_cpu_mode mode;
	struct plumb_sample *members = &sample->sample;

	/* Clearing all of the record would take longer than the rest. */
	sample->type = PLUMB_RECORD_SAMPLE;
	sample->offset = origin->place;
	sample->has = PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_ID | PLUMB_RECORD_HAS_STREAM |
		      (origin->cpu >= 0 ? PLUMB_RECORD_HAS_CPU : 0) |
		      (origin->has_time ? PLUMB_RECORD_HAS_TIME : 0);
	sample->pid = origin->pid;
	sample->tid = origin->tid;
	sample->cpu = (uint32_t)origin->cpu;
	sample->time = origin->has_time ? origin->time : 0;
	members->ip = synthesis_code(synthesis, record, &mode);
	members->weight = record->counters[PLUMB_SPE_TOTAL_LATENCY];
	sample->misc = (uint16_t)mode;
}

void synthesis_common(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      const struct synthesis_origin *origin, struct synthesized *sample)
{
	synthesis_place(synthesis, record, origin, &sample->record);
	sample->target = code_address(synthesis, record->addresses[PLUMB_SPE_BRANCH_TARGET]);
	sample->data_address = plumb_spe_virtual_address(record->addresses[PLUMB_SPE_DATA_VIRTUAL]);
	sample->physical_address =
		plumb_spe_physical_address(record->addresses[PLUMB_SPE_DATA_PHYSICAL]);
	sample->data_source = spe_perf_data_source(record, origin->core, synthesis->version);
	sample->trace_flags = perf_is_newer(synthesis->version) ? trace_flags(record) : 0;
}

static uint64_t period_of(const struct synthesis *synthesis, unsigned group)
{
	return perf_is_newer(synthesis->version) || group == PLUMB_SPE_GROUP_INSTRUCTIONS
		       ? synthesis->period
		       : 1;
}

uint32_t synthesis_alike(const struct synthesis *synthesis, unsigned group, uint32_t groups)
{
	const uint32_t every = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS);

	if (period_of(synthesis, group) != period_of(synthesis, PLUMB_SPE_GROUP_INSTRUCTIONS))
		groups &= ~every;
	return groups;
}

void synthesis_sample(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      unsigned group, struct synthesized *sample)
{
	const bool newer = perf_is_newer(synthesis->version);
	const bool every = group == PLUMB_SPE_GROUP_INSTRUCTIONS;
	const bool branch = group == PLUMB_SPE_GROUP_BRANCH || group == PLUMB_SPE_GROUP_BRANCH_MISS;
	struct plumb_sample *members = &sample->record.sample;

	sample->record.id = sample->record.stream_id = synthesis->ids[group];
	sample->record.event = &synthesis->events[group];
	members->period = period_of(synthesis, group);
	members->address = branch || (newer && every) ? sample->target : sample->data_address;
	members->physical_address = branch ? 0 : sample->physical_address;
	members->data_source = branch ? 0 : sample->data_source;
	members->trace_flags = branch || every ? sample->trace_flags : 0;
	members->branch_count = 0;
	if (newer && (branch || every) && synthesis->branch_entries)
		add_branches(synthesis, record, sample);
}
