/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a plan, opened for one process by perf_event_open(2). */
#ifndef SOURCE_PERF_EVENTS_H
#define SOURCE_PERF_EVENTS_H

#include "base/index_set.h"
#include "cpu/pmu.h"
#include "source/source.h"

/* What could not be had as wished, to be said once. */
struct perf_limits {
	bool no_kernel;      /* the kernel's own part is not counted: no permission */
	bool with_processes; /* forked processes are counted too: the kernel is too old */
	bool apart;          /* some events did not go with their group, and count by themselves */
	struct index_set refused; /* indexes into the plan's events that are not counted here */
};

struct perf_events {
	const struct source_job *job;
	int *fds; /* of each place of the plan; -1: not open */
	struct perf_limits limits;
};

/*
 * How many events a PMU of this type counts at once, those that have a counter of their own apart:
 * found by opening groups of more and more, until the kernel refuses one, at most
 * PLUMB_COUNTERS_MAX. Returns it, or, if not even one can be opened, the negative of errno.
 */
int perf_counters(uint32_t pmu);

/*
 * Opens the groups of a pass (all of them, unless job->one_pass) for process `pid` and what it
 * starts, to count from its next execve(2) on, or when they are switched on. An event that the PMU
 * lacks or the kernel refuses is left out, and is then among limits.refused. Returns 0, or, if
 * nothing can be counted, the negative of errno and a finding; perf_events_close() does either way.
 */
int perf_events_open(struct perf_events *events, const struct source_job *job, uint16_t pass,
		     pid_t pid, struct plumb_diagnostics *found);
/*
 * The names of those of the plan's events whose indexes are in `events`, parted by ", ". To be
 * freed; NULL: no memory.
 */
char *perf_names(const struct plumb_plan *plan, const struct index_set *events);

void perf_events_close(struct perf_events *events);

/* Makes room for so many descriptors more, as far as it may be had. */
void perf_allow_descriptors(size_t count);

/* Begins to count with events that wait for that (job->region, a delay), and ends it. */
void perf_events_switch(const struct perf_events *events, bool on);

/* One event, as it stands. */
struct perf_reading {
	uint64_t raw, enabled_ns, running_ns;
};

/* Reads the event at a place of the plan; false if it is not open, or cannot be read. */
bool perf_events_read(const struct perf_events *events, size_t place, struct perf_reading *reading);

#endif
