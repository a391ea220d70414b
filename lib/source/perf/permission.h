/* SPDX-License-Identifier: Apache-2.0 */
/* Hints for users whom the kernel does not let count or sample. */
#ifndef SOURCE_PERF_PERMISSION_H
#define SOURCE_PERF_PERMISSION_H

#include "base/diagnostics.h"

#define PERF_LEVEL_ROOM 16

/* What was refused, as far as its own modes and targets tell. */
struct perf_refused {
	bool kernel;   /* the kernel's part alone */
	bool all_cpus; /* whole CPUs, with all that runs on them */
	bool running;  /* a process that runs already */
};

/* Reads perf_event_paranoid into `level`; "not there" if it cannot be read. */
void perf_read_level(char level[PERF_LEVEL_ROOM]);
/*
 * Returns whether the level does not explain the kernel's error: it permits this, or there is no
 * such system call although there is a level.
 */
bool perf_is_filtered(int error, const char *level, const struct perf_refused *refused);
/* Writes what would permit it, with the current level; never a level that would change nothing. */
void perf_permission_hint(const struct perf_refused *refused, const char *level,
			  struct plumb_diagnostics *diagnostics);

#endif
