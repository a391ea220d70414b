/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the events of a plan for a thread, a CPU or a control group by perf_event_open(2). */
#ifndef SOURCE_PERF_EVENTS_H
#define SOURCE_PERF_EVENTS_H

#include "base/index_set.h"
#include "cpu/other_pmu.h"
#include "cpu/pmu.h"
#include "source/source.h"

/* The limits of what was opened, each reported once. */
struct perf_limits {
	bool no_kernel;           /* the kernel's own part is not counted: no permission */
	bool with_processes;      /* forked processes are counted too: the kernel is too old */
	bool apart;               /* some events were opened outside their group */
	bool machine;             /* events of other PMUs count more than what is measured */
	struct index_set refused; /* indexes into the plan's events that are not counted */
};

/* Adds the limits of something else that was opened. */
void perf_limits_add(struct perf_limits *all, const struct perf_limits *more);

/* What events count: what perf_event_open(2) takes as `pid` and `cpu`. */
struct perf_scope {
	pid_t pid;      /* a thread, 0 for the calling one, -1 for all; or a cgroup's descriptor */
	int cpu;        /* -1: any */
	bool cgroup;    /* `pid` is a descriptor of a control group's folder */
	bool from_exec; /* the thread's execve(2) enables them, unless there is a delay */
	/* Only events of this PMU, for which events name `kind`; NULL: of cores and the kernel. */
	const struct cpu_unit *unit;
	const char *kind;
};

static inline bool perf_scope_is_task(const struct perf_scope *scope)
{
	return !scope->cgroup && scope->pid >= 0;
}

struct perf_events {
	const struct source_job *job;
	struct perf_scope scope;
	int *fds;       /* one for each place of the plan; -1: not open */
	bool *discards; /* likewise: whether it is an SPE unit, which has no count */
	struct perf_limits limits;
};

/* Counters for a single event each. */
struct perf_own_counters {
	bool cycles, instructions; /* CPU_CYCLES, INST_RETIRED */
};

/*
 * Finds how many events a PMU of this type counts at once, without those that have their own
 * counter, by opening larger and larger groups until the kernel refuses one, at most
 * PLUMB_COUNTERS_MAX. Leaves out counters that others have pinned: a group on them never counts.
 * Then tries which events fit in addition, and sets `own` unless it is NULL. Returns the number,
 * which is 0 if others have them all, or a negative errno if not even one event can be opened.
 */
int perf_counters(uint32_t pmu, struct perf_own_counters *own);

/* Tries to count a software event of the calling thread, in user code. Returns 0 or an errno. */
int perf_try_software(void);
/* Likewise of a control group's descriptor, with an event that counts nothing. */
int perf_try_cgroup(int cgroup, int cpu);

/*
 * Opens the groups of a pass (all of them, unless job->one_pass) for process `pid` and its
 * children, to count from its next execve(2) on, or once enabled. Leaves out events that the PMU
 * lacks or the kernel refuses, and adds them to limits.refused. Returns 0, or, if nothing can be
 * counted, a negative errno with a finding. In both cases call perf_events_close().
 */
int perf_events_open(struct perf_events *events, const struct source_job *job, uint16_t pass,
		     pid_t pid, struct plumb_diagnostics *diagnostics);

/*
 * Does the same for any scope, without an error if no event can be counted. Begins with the limits
 * that `events` has: what the kernel refused for another scope it will refuse here. Returns -ESRCH,
 * without a finding, if the thread has ended. In all cases call perf_events_close().
 */
int perf_events_open_in(struct perf_events *events, const struct source_job *job, uint16_t pass,
			const struct perf_scope *scope, struct plumb_diagnostics *diagnostics);

/* Adds the finding that none of the events can be counted. Returns a negative errno. */
int perf_events_explain_nothing(const struct source_job *job, const struct index_set *refused,
				struct plumb_diagnostics *diagnostics);

/*
 * Returns the names of the plan's events whose indexes are in `events`, joined by ", ". Free the
 * result; NULL: out of memory.
 */
char *perf_names(const struct plumb_plan *plan, const struct index_set *events);

void perf_events_close(struct perf_events *events);

/* Raises the limit of open files by `count`, as far as possible. */
void perf_allow_descriptors(size_t count);

/* Enables events that no execve(2) enables, and disables them. */
void perf_events_switch(const struct perf_events *events, bool on);

/* The current count of an event. */
struct perf_reading {
	uint64_t raw, enabled_ns, running_ns;
};

/* Reads the event at a place of the plan; false if it is not open or cannot be read. */
bool perf_events_read(const struct perf_events *events, size_t place, struct perf_reading *reading);

#endif
