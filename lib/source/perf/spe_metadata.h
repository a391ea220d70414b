/* SPDX-License-Identifier: Apache-2.0 */
/* Makes AUXTRACE_INFO, which tells readers of a recording what SPE units its AUX data is of. */
#ifndef SOURCE_PERF_SPE_METADATA_H
#define SOURCE_PERF_SPE_METADATA_H

#include "source/perf/spe_pmu.h"

#define SPE_AUXTRACE 4 /* the type of its AUXTRACE_INFO */

/*
 * Returns the numbers of AUXTRACE_INFO and their `*count`, to be freed, for an event of type `type`
 * among these units; NULL: out of memory. `root`: below which the machine's files are. Perf since
 * 6.13 knows a second version, with the core of each CPU; older ones find no SPE data in a
 * recording with it. All read the first, which has room for one core. So the second is made only
 * where the first would lose something: if the units' cores differ, or one marks snooped data.
 */
uint64_t *spe_metadata_new(const char *root, const struct spe_pmu *pmus, size_t pmu_count,
			   uint32_t type, bool per_cpu, size_t *count);

#endif
