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

static bool accepts(const struct plumb_spe_filter *filter, uint8_t op_class, uint8_t payload)
{
	const struct plumb_spe_operation operation = plumb_spe_operation(op_class, payload);

	if (filter->kinds && !(filter->kinds >> operation.kind & 1))
		return false;
	return (operation.flags & filter->flags) == filter->flags;
}

static bool operation_matches(const struct plumb_spe_filter *filter,
			      const struct plumb_spe_record *record)
{
	if (!filter->kinds && !filter->flags)
		return true;
	return record->has & PLUMB_SPE_HAS_OPERATION &&
	       accepts(filter, record->op_class, record->operation);
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

/* Tells whether a filter looks at nothing but operations, and at these. */
static bool is_of_operations(const struct plumb_spe_filter *filter)
{
	uint32_t others = filter->sources.count;

	for (unsigned i = 0; i < 3; i++)
		others |= filter->counters[i].count;
	for (unsigned i = 0; i < 5; i++)
		others |= filter->addresses[i].count;
	return (filter->kinds || filter->flags) && !others && !filter->levels &&
	       !filter->all_events && !filter->no_events && !needs_origin(filter);
}

void spe_operations_list(struct spe_operations *operations, const struct plumb_spe_filter *filter)
{
	*operations = (struct spe_operations){.alone = is_of_operations(filter)};
	for (unsigned op_class = 0; op_class < 4; op_class++)
		for (unsigned payload = 0; payload < 256; payload++)
			if (accepts(filter, (uint8_t)op_class, (uint8_t)payload))
				operations->accepted[op_class][payload / 64] |= UINT64_C(1)
										<< payload % 64;
}
