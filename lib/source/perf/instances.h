/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a counting job, opened once for each thread, CPU or control group that it counts;
 * and the units whose counts are reported separately.
 */
#ifndef SOURCE_PERF_INSTANCES_H
#define SOURCE_PERF_INSTANCES_H

#include "source/perf/events.h"
#include "source/perf/kinds.h"
#include "source/perf/targets.h"
#include "source/perf/units.h"

struct perf_instance {
	struct perf_events events;
	size_t unit; /* it belongs to; if there are any, and it belongs to one */
	bool apart;  /* it belongs to none: it counts the machine, and the units are threads */
};

struct perf_instances {
	const struct source_job *job;
	uint16_t pass;
	struct perf_targets targets;
	int *cgroups; /* descriptors, as many as the job has */
	size_t cgroup_count;
	struct perf_instance *at;
	size_t count, room;
	struct perf_units units;
	struct perf_kinds kinds;  /* whose events the job has */
	struct perf_reading *now; /* of each place: the sums of all instances */
	struct perf_limits limits;
	struct index_set elsewhere; /* the plan's events that only other CPUs could count */
	struct plumb_diagnostics *diagnostics;
};

/*
 * Opens the events of a pass for the program `pid`, or for what the job names. Returns 0, or a
 * negative enum plumb_error with a finding. In both cases call perf_instances_close().
 */
int perf_instances_open(struct perf_instances *all, const struct source_job *job, uint16_t pass,
			pid_t pid, struct plumb_diagnostics *diagnostics);
void perf_instances_close(struct perf_instances *all);

void perf_instances_switch(const struct perf_instances *all, bool on);
/* Likewise only what no execve(2) enables: events that count the whole machine beside a program. */
void perf_instances_switch_machine(const struct perf_instances *all, bool on);

/* Reads the current counts into `now` of everything. */
void perf_instances_read(struct perf_instances *all);

/*
 * Opens events on CPUs that have come online since, if all are counted, and enables them if `on`.
 * Returns how many CPUs have come or gone.
 */
size_t perf_instances_follow(struct perf_instances *all, bool on);

#endif
