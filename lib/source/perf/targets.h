/* SPDX-License-Identifier: Apache-2.0 */
/* What is sampled: which threads, on which CPUs. An event is opened for each pair of these. */
#ifndef SOURCE_PERF_TARGETS_H
#define SOURCE_PERF_TARGETS_H

#include "source/source.h"

struct perf_targets {
	int *cpus; /* -1 alone: wherever the thread runs */
	size_t cpu_count;
	pid_t *threads; /* -1 alone: whatever runs on the CPU */
	size_t thread_count;
	bool running; /* they run already, and have maps and names */
};

/*
 * Finds them; `program` is the process that was started for the job, or -1. Returns 0, or a
 * negative error with a finding. Free with perf_targets_free() either way.
 */
int perf_targets_find(struct perf_targets *targets, const struct source_record_job *job,
		      pid_t program, struct plumb_diagnostics *found);
void perf_targets_free(struct perf_targets *targets);

/* Everything on the CPUs is sampled. */
static inline bool perf_targets_all(const struct perf_targets *targets)
{
	return targets->threads[0] == -1;
}
/* Each thread has a ring of its own; else each CPU has. */
static inline bool perf_targets_per_thread(const struct perf_targets *targets)
{
	return targets->cpus[0] == -1;
}

#endif
