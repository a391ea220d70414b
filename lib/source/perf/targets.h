/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the threads and CPUs to measure. An event is opened for each pair of them. */
#ifndef SOURCE_PERF_TARGETS_H
#define SOURCE_PERF_TARGETS_H

#include "source/source.h"

/* What a job asks for, as in struct plumb_recording_job. */
struct perf_wanted {
	const int *pids, *tids, *cpus;
	size_t pid_count, tid_count, cpu_count;
	bool all_cpus;
	bool any_cpu; /* follow threads wherever they run */
	bool program; /* one is started */
};

struct perf_targets {
	int *cpus; /* only -1: wherever the thread runs */
	size_t cpu_count;
	pid_t *threads; /* only -1: whatever runs on the CPU */
	size_t thread_count;
	bool running; /* they run already, with mappings and names */
};

/*
 * Finds the targets. `program` is the process started for the job, or -1. Returns 0, or a negative
 * error with a finding. In both cases call perf_targets_free().
 */
int perf_targets_find(struct perf_targets *targets, const struct perf_wanted *wanted, pid_t program,
		      struct plumb_diagnostics *diagnostics);
void perf_targets_free(struct perf_targets *targets);

/* Returns a list of the CPUs that are online, to be freed, and their number; or an error. */
int perf_find_online(int **cpus);

/* Tells whether everything on the CPUs is sampled. */
static inline bool perf_targets_all(const struct perf_targets *targets)
{
	return targets->threads[0] == -1;
}
/* Tells whether there is one ring per thread instead of per CPU. */
static inline bool perf_targets_per_thread(const struct perf_targets *targets)
{
	return targets->cpus[0] == -1;
}

#endif
