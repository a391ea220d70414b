/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which of perf's groups an SPE record is in. */
#ifndef SPE_GROUPS_H
#define SPE_GROUPS_H

#include <plumb/spe_groups.h>

/* Returns a record's groups as PLUMB_SPE_GROUP_BIT()s, by its events, class and operation. */
uint32_t spe_record_groups(const struct plumb_spe_record *record, enum plumb_perf_version version);

#define SPE_GROUP_EVENTS 11 /* bits of events that a table covers */

/*
 * The same as tables, for records by the million: their groups by operation, by events below
 * SPE_GROUP_EVENTS, and by as many above.
 */
struct spe_group_tables {
	uint16_t operations[4][256];
	uint16_t events[2][1 << SPE_GROUP_EVENTS];
};
void spe_group_tables_fill(struct spe_group_tables *tables, enum plumb_perf_version version);

static inline uint32_t spe_groups_by_tables(const struct spe_group_tables *tables,
					    const struct plumb_spe_record *record)
{
	const uint64_t mask = (1u << SPE_GROUP_EVENTS) - 1;
	const uint64_t events = record->has & PLUMB_SPE_HAS_EVENTS ? record->events : 0;
	const uint32_t in = tables->events[0][events & mask] |
			    tables->events[1][events >> SPE_GROUP_EVENTS & mask];

	return in | (record->has & PLUMB_SPE_HAS_OPERATION
			     ? tables->operations[record->op_class & 3u][record->operation]
			     : PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS));
}

/*
 * Tells whether a record is in "memory": loads and stores. Newer versions of perf add vector
 * operations on data; 6.1 mistakes SVE operations for loads.
 */
bool spe_is_memory(const struct plumb_spe_record *record, enum plumb_perf_version version);

#endif
