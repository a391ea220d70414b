/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which of perf's groups an SPE record is in. */
#ifndef SPE_GROUPS_H
#define SPE_GROUPS_H

#include <plumb/spe_groups.h>

/* Returns a record's groups as PLUMB_SPE_GROUP_BIT()s, by its events, class and operation. */
uint32_t spe_record_groups(const struct plumb_spe_record *record, enum plumb_perf_version version);
/*
 * Tells whether a record is in "memory": loads and stores. Newer versions of perf add vector
 * operations on data; 6.1 mistakes SVE operations for loads.
 */
bool spe_is_memory(const struct plumb_spe_record *record, enum plumb_perf_version version);

#endif
