/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the events of a plan for one process by perf_event_open(2). */
#ifndef SOURCE_PERF_EVENTS_H
#define SOURCE_PERF_EVENTS_H

#include "base/index_set.h"
#include "cpu/pmu.h"
#include "source/source.h"

/* The limits of what was opened, each reported once. */
struct perf_limits {
	bool no_kernel;           /* the kernel's own part is not counted: no permission */
	bool with_processes;      /* forked processes are counted too: the kernel is too old */
	bool apart;               /* some events were opened outside their group */
	struct index_set refused; /* indexes into the plan's events that are not counted */
};

struct perf_events {
	const struct source_job *job;
	int *fds; /* one for each place of the plan; -1: not open */
	struct perf_limits limits;
};

/*
 * Finds how many events a PMU of this type counts at once, without those that have their own
 * counter, by opening larger and larger groups until the kernel refuses one, at most
 * PLUMB_COUNTERS_MAX. Returns the number, or a negative errno if not even one can be opened.
 */
int perf_counters(uint32_t pmu);

/*
 * Opens the groups of a pass (all of them, unless job->one_pass) for process `pid` and its
 * children, to count from its next execve(2) on, or once enabled. Leaves out events that the PMU
 * lacks or the kernel refuses, and adds them to limits.refused. Returns 0, or, if nothing can be
 * counted, a negative errno with a finding. In both cases call perf_events_close().
 */
int perf_events_open(struct perf_events *events, const struct source_job *job, uint16_t pass,
		     pid_t pid, struct plumb_diagnostics *diagnostics);
/*
 * Returns the names of the plan's events whose indexes are in `events`, joined by ", ". Free the
 * result; NULL: out of memory.
 */
char *perf_names(const struct plumb_plan *plan, const struct index_set *events);

void perf_events_close(struct perf_events *events);

/* Raises the limit of open files by `count`, as far as possible. */
void perf_allow_descriptors(size_t count);

/* Enables events that were opened disabled (job->region, a delay), and disables them. */
void perf_events_switch(const struct perf_events *events, bool on);

/* The current count of an event. */
struct perf_reading {
	uint64_t raw, enabled_ns, running_ns;
};

/* Reads the event at a place of the plan; false if it is not open or cannot be read. */
bool perf_events_read(const struct perf_events *events, size_t place, struct perf_reading *reading);

#endif
