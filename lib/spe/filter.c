/* SPDX-License-Identifier: Apache-2.0 */
/* Which records a filter lets pass. */
#include "spe/filter.h"

static bool in_ranges(const struct spe_ranges *ranges, uint64_t value)
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
static bool known_and_in(const struct spe_ranges *ranges, int32_t number)
{
	return !ranges->count || (number >= 0 && in_ranges(ranges, (uint64_t)number));
}

static bool needs_origin(const struct plumb_spe_filter *filter)
{
	return filter->cpus.count || filter->pids.count || filter->tids.count || filter->time.count;
}

static bool origin_matches(const struct plumb_spe_filter *filter, const struct spe_origin *origin)
{
	if (!origin)
		return !needs_origin(filter);
	return known_and_in(&filter->cpus, origin->cpu) &&
	       known_and_in(&filter->pids, origin->pid) &&
	       known_and_in(&filter->tids, origin->tid) &&
	       (!filter->time.count ||
		(origin->has_time && in_ranges(&filter->time, origin->time)));
}

bool spe_filter_matches(const struct plumb_spe_filter *filter,
			const struct plumb_spe_record *record, const struct spe_origin *origin)
{
	return events_match(filter, record) && operation_matches(filter, record) &&
	       level_matches(filter, record) && values_match(filter, record) &&
	       origin_matches(filter, origin);
}
