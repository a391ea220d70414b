/* SPDX-License-Identifier: Apache-2.0 */
/* What an --itrace string selects. */
#ifndef SPE_ITRACE_H
#define SPE_ITRACE_H

#include <plumb/spe_groups.h>

/*
 * Sets perf's default without --itrace: one sample for each group of a record, since 6.18 including
 * "instructions".
 */
void itrace_default(struct plumb_itrace *itrace, enum plumb_perf_version version);

/* Returns the groups to make samples of, as PLUMB_SPE_GROUP_BIT()s. */
uint32_t itrace_groups(const struct plumb_itrace *itrace, enum plumb_perf_version version);

#endif
