/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPE_PERF_VERSION_H
#define SPE_PERF_VERSION_H

#include <plumb/spe.h>

/* Whether samples are made as perf makes them since 6.19; else as it did up to 6.12. */
static inline bool perf_is_newer(enum plumb_perf_version version)
{
	return version == PLUMB_PERF_NEWEST || version >= PLUMB_PERF_7_3;
}

/* Whether what perf gets wrong is to be wrong. */
static inline bool perf_is_exact(enum plumb_perf_version version)
{
	return version != PLUMB_PERF_NEWEST;
}

#endif
