/* SPDX-License-Identifier: Apache-2.0 */
/* Linux's perf_event_open(2) as a source: this machine's PMU, its SPE units, software events. */
#ifndef PLUMB_PERF_H
#define PLUMB_PERF_H

#include <plumb/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero, but for size, is this machine's CPU. */
struct plumb_perf_options {
	size_t size;                   /* sizeof(struct plumb_perf_options) */
	const struct plumb_spec *spec; /* of the CPU, if its MIDR is not known; must outlive it */
	bool software;                 /* software events alone, which need no Arm PMU */
};

/* Whether this machine has an Arm PMU. */
PLUMB_API bool plumb_perf_has_pmu(void);

/*
 * Returns 0, MACHINE (there is no Arm PMU, or no specification for its CPU), ARGUMENT or
 * NO_MEMORY. Free with plumb_source_close().
 */
PLUMB_API int plumb_perf_open(const struct plumb_perf_options *options,
			      struct plumb_source **source, struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
