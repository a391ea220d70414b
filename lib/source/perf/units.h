/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what is counted whose counts are reported separately: CPUs, cores, threads... */
#ifndef SOURCE_PERF_UNITS_H
#define SOURCE_PERF_UNITS_H

#include "source/perf/events.h"

struct perf_unit {
	struct plumb_count_unit given;
	char name[80];
	struct perf_reading *now, *before; /* of each place: the sums */
};

struct perf_units {
	struct perf_unit *at;
	size_t count, room;
	size_t places; /* that each has, of the plan; set before the first is added */
};

/*
 * Finds or adds the unit of a thread on a CPU, in a control group if not NULL, where units are as
 * `by` says. Returns 0 or NO_MEMORY.
 */
int perf_units_find(struct perf_units *all, enum plumb_count_by by, const char *cgroup, int thread,
		    int cpu, size_t *index);

void perf_units_free(struct perf_units *all);

#endif
