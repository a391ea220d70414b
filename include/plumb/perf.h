/* SPDX-License-Identifier: Apache-2.0 */
/* The source perf: this machine's PMU, SPE units and software events, by perf_event_open(2). */
#ifndef PLUMB_PERF_H
#define PLUMB_PERF_H

#include <plumb/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/* If only `size` is set, uses this machine's CPU. */
struct plumb_perf_options {
	size_t size; /* sizeof(struct plumb_perf_options) */
	const struct plumb_spec
		*spec; /* for a CPU whose MIDR is unknown; must outlive the source */
	bool software; /* use only software events, which require no Arm PMU */
	/*
	 * A folder with copies of another machine's files in /sys and /proc, to be described. NULL:
	 * this machine. Such a source neither counts nor records.
	 */
	const char *root;
};

/* Returns whether this machine has an Arm PMU. */
PLUMB_API bool plumb_perf_has_pmu(void);

/*
 * Opens the source. Returns 0, MACHINE (no Arm PMU, or no specification for its CPU), ARGUMENT or
 * NO_MEMORY. Free with plumb_source_close().
 */
PLUMB_API int plumb_perf_open(const struct plumb_perf_options *options,
			      struct plumb_source **source, struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
