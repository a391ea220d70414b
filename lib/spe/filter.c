/* SPDX-License-Identifier: Apache-2.0 */
/* Which records a filter lets pass. */
#include <plumb/spe_filter.h>

#include "spe/filter_words.h"

static bool in_ranges(const struct plumb_spe_ranges *ranges, uint64_t value)
{
	for (uint32_t i = 0; i < ranges->count; i++)
		if (value >= ranges->at[i].first && value <= ranges->at[i].last)
			return true;
	return false;
}

/* An address of the record as it is shown to people. */
static uint64_t shown_address(const struct plumb_spe_record *record, unsigned index)
{
	uint64_t payload = record->addresses[index];

	if (index == PLUMB_SPE_DATA_VIRTUAL)
		return plumb_spe_virtual_address(payload);
	if (index == PLUMB_SPE_DATA_PHYSICAL)
		return plumb_spe_physical_address(payload);
	return plumb_spe_code_address(payload);
}

static bool operation_matches(const struct plumb_spe_filter *filter,
			      const struct plumb_spe_record *record)
{
	struct plumb_spe_operation operation;

	if (!filter->kinds && !filter->flags)
		return true;
	if (!(record->has & PLUMB_SPE_HAS_OPERATION))
		return false;
	operation = plumb_spe_operation(record->op_class, record->operation);
	if (filter->kinds && !(filter->kinds >> operation.kind & 1))
		return false;
	return (operation.flags & filter->flags) == filter->flags;
}

static bool events_match(const struct plumb_spe_filter *filter,
			 const struct plumb_spe_record *record)
{
	if (!filter->all_events && !filter->no_events)
		return true;
	return record->has & PLUMB_SPE_HAS_EVENTS &&
	       (record->events & filter->all_events) == filter->all_events &&
	       !(record->events & filter->no_events);
}

static bool level_matches(const struct plumb_spe_filter *filter,
			  const struct plumb_spe_record *record)
{
	return !filter->levels ||
	       (record->has & PLUMB_SPE_HAS_PC &&
		filter->levels >> plumb_spe_exception_level(record->addresses[PLUMB_SPE_PC]) & 1);
}

static bool values_match(const struct plumb_spe_filter *filter,
			 const struct plumb_spe_record *record)
{
	for (unsigned i = 0; i < 3; i++)
		if (filter->counters[i].count &&
		    (!(record->has & PLUMB_SPE_HAS_TOTAL_LATENCY << i) ||
		     !in_ranges(&filter->counters[i], record->counters[i])))
			return false;
	for (unsigned i = 0; i < 5; i++)
		if (filter->addresses[i].count &&
		    (!(record->has & PLUMB_SPE_HAS_PC << i) ||
		     !in_ranges(&filter->addresses[i], shown_address(record, i))))
			return false;
	return !filter->sources.count || (record->has & PLUMB_SPE_HAS_DATA_SOURCE &&
					  in_ranges(&filter->sources, record->data_source));
}

/* Numbers that are not known are negative. */
static bool known_and_in(const struct plumb_spe_ranges *ranges, int32_t number)
{
	return !ranges->count || (number >= 0 && in_ranges(ranges, (uint64_t)number));
}

static bool origin_matches(const struct plumb_spe_filter *filter,
			   const struct plumb_spe_origin *origin)
{
	if (!origin)
		return !plumb_spe_filter_needs_origin(filter);
	return known_and_in(&filter->cpus, origin->cpu) &&
	       known_and_in(&filter->pids, origin->pid) &&
	       known_and_in(&filter->tids, origin->tid) &&
	       (!filter->time.count ||
		(origin->has_time && in_ranges(&filter->time, origin->time)));
}

bool plumb_spe_filter_needs_origin(const struct plumb_spe_filter *filter)
{
	return filter->cpus.count || filter->pids.count || filter->tids.count || filter->time.count;
}

bool plumb_spe_filter_matches(const struct plumb_spe_filter *filter,
			      const struct plumb_spe_record *record,
			      const struct plumb_spe_origin *origin)
{
	return events_match(filter, record) && operation_matches(filter, record) &&
	       level_matches(filter, record) && values_match(filter, record) &&
	       origin_matches(filter, origin);
}

/* A list of conditions that the unit has no registers for. */
static const char *beyond(const struct plumb_spe_filter *filter)
{
	static const char *const counters[3] = {"latency", "issue-latency", "translation-latency"};
	static const char *const addresses[5] = {"pc", "target", "address", "physical",
						 "previous-target"};
	const unsigned kinds = 1u << PLUMB_SPE_KIND_LOAD | 1u << PLUMB_SPE_KIND_STORE |
			       1u << PLUMB_SPE_KIND_BRANCH;

	if (filter->kinds & ~kinds)
		return "other";
	for (unsigned flag = PLUMB_SPE_OP_CONDITIONAL; flag <= PLUMB_SPE_OP_COMMON; flag *= 2)
		if (filter->flags & flag && flag != PLUMB_SPE_OP_FP && flag != PLUMB_SPE_OP_SIMD)
			return filter_flag_word((uint16_t)flag);
	if (filter->levels)
		return "el";
	for (unsigned i = 1; i < 3; i++)
		if (filter->counters[i].count)
			return counters[i];
	for (unsigned i = 0; i < 5; i++)
		if (filter->addresses[i].count)
			return addresses[i];
	if (filter->sources.count)
		return "source";
	if (filter->time.count)
		return "time";
	if (filter->cpus.count)
		return "cpu";
	if (filter->pids.count)
		return "pid";
	return filter->tids.count ? "tid" : NULL;
}

const char *plumb_spe_filter_beyond_hardware(const struct plumb_spe_filter *filter,
					     uint16_t *min_latency)
{
	const struct plumb_spe_ranges *latency = &filter->counters[PLUMB_SPE_TOTAL_LATENCY];
	const char *word = beyond(filter);
	uint64_t least = latency->count ? latency->at[0].first : 0;

	if (min_latency)
		*min_latency = 0;
	if (word)
		return word;
	/* Counters have 16 bits at most: a range up to there has no upper end. */
	if (latency->count > 1 ||
	    (latency->count && (latency->at[0].last < UINT16_MAX || least > 4095)))
		return "latency";
	if (min_latency)
		*min_latency = (uint16_t)least;
	return NULL;
}
