/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a job counts on the cores of other types, too: each with its own PMU and plan. */
#ifndef SOURCE_PERF_BESIDE_H
#define SOURCE_PERF_BESIDE_H

#include "source/perf/instances.h"

struct perf_beside {
	struct source_job job; /* the same, with this type's plan and PMU */
	struct perf_instances instances;
	struct plumb_count *counts;
};

struct perf_besides {
	struct perf_beside *at;
	size_t count;
};

/*
 * Opens the events of all types for the program `pid`, or for what the job names. Sets counts of
 * NaN. Leaves out a type that cannot be counted, with a warning. Returns 0 or NO_MEMORY. In both
 * cases call perf_besides_close().
 */
int perf_besides_open(struct perf_besides *all, const struct source_job *job, pid_t pid,
		      struct plumb_diagnostics *diagnostics);
void perf_besides_switch(const struct perf_besides *all, bool on);
/* Opens events on CPUs that have come online since. */
void perf_besides_follow(struct perf_besides *all, bool on);
/* Reads the counts so far. */
void perf_besides_read(struct perf_besides *all);
void perf_besides_close(struct perf_besides *all);

/*
 * Sets the counts of a job's plan between two readings of its places. A thread's events are enabled
 * on every core, but count on those of their PMU's type: the time that others take is no time in
 * which they waited for a counter, so counts are scaled to the time on these cores.
 */
void perf_counts_since(const struct source_job *job, const struct perf_reading *from,
		       const struct perf_reading *to, struct plumb_count *counts);

#endif
