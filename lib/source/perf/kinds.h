/* SPDX-License-Identifier: Apache-2.0 */
/* PMUs that belong to no core, such as those of interconnects, whose events a job names. */
#ifndef SOURCE_PERF_KINDS_H
#define SOURCE_PERF_KINDS_H

#include "cpu/other_pmu.h"
#include "source/source.h"

/* PMUs of the same kind, and the events that name it. */
struct perf_kind {
	const char *name;
	struct cpu_unit *units;
	int unit_count;
};

struct perf_kinds {
	struct perf_kind *at;
	size_t count;
};

/*
 * Finds the units of the PMUs that the job's events name. Returns 0, or a negative enum plumb_error
 * with a finding. In both cases call perf_kinds_free().
 */
int perf_kinds_find(struct perf_kinds *kinds, const struct source_job *job,
		    struct plumb_diagnostics *diagnostics);

void perf_kinds_free(struct perf_kinds *kinds);

#endif
