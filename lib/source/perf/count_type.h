/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of cores that a job counts on, each with its own PMU, plan and counts. A machine whose
 * cores are all alike has one.
 */
#ifndef SOURCE_PERF_COUNT_TYPE_H
#define SOURCE_PERF_COUNT_TYPE_H

#include "source/perf/instances.h"

struct perf_count_type {
	struct source_job job; /* the caller's, with this type's plan, PMU and user */
	struct perf_instances instances;
	struct perf_limits limits;   /* of all passes */
	struct plumb_count *counts;  /* the caller's, of the whole run */
	struct perf_reading *before; /* of each place, when the last interval ended */
	struct perf_reading *sliced; /* likewise, when the last slice ended */
	struct plumb_count *part;    /* room for the counts of an interval or a unit */
	uint16_t passes;
	bool open; /* in this pass */
};

struct perf_count_types {
	struct perf_count_type *at; /* the job's own is the first */
	size_t count;
};

/*
 * Prepares all types, with counts of NaN; `counts` are those of the job's own. Returns 0 or
 * NO_MEMORY. In both cases call perf_types_free().
 */
int perf_types_new(struct perf_count_types *types, const struct source_job *job,
		   struct plumb_count *counts);
void perf_types_free(struct perf_count_types *types);
/* Returns the most passes that any type needs. */
uint16_t perf_types_passes(const struct perf_count_types *types);

/*
 * Opens the events of a pass for the program `pid`, or for what the job names. Leaves out a type
 * besides the job's own that cannot be counted, with a warning. Returns 0, or an error with a
 * finding. In both cases call perf_types_close().
 */
int perf_types_open(struct perf_count_types *types, uint16_t pass, pid_t pid,
		    struct plumb_diagnostics *diagnostics);
void perf_types_close(struct perf_count_types *types);
void perf_types_switch(const struct perf_count_types *types, bool on);
/* Likewise only events that count the whole machine, which no execve(2) enables. */
void perf_types_switch_machine(const struct perf_count_types *types, bool on);
/* Opens events on CPUs that have come online since. Returns how many have come or gone. */
size_t perf_types_follow(struct perf_count_types *types, bool on);
/* Returns the instructions counted so far; NaN if no type counts them. */
double perf_types_instructions(struct perf_count_types *types);

/*
 * Ends an interval, or a slice: calls the job's unit() and interval(), or slice(), for each type,
 * the job's own last.
 */
void perf_types_end_interval(struct perf_count_types *types, double time);
void perf_types_end_slice(struct perf_count_types *types);
/* Sets the counts of what was open in this pass, and calls unit() unless there are intervals. */
void perf_types_end_pass(struct perf_count_types *types);

/* Warns of what was not counted as asked: count_warnings.c. */
void perf_types_warn(const struct perf_count_types *types, struct plumb_diagnostics *diagnostics);

/*
 * Sets the counts of a job's plan between two readings of its places. A thread's events are enabled
 * on every core, but count on those of their PMU's type: the time that others take is no time in
 * which they waited for a counter, so counts are scaled to the time on these cores.
 */
void perf_counts_since(const struct source_job *job, const struct perf_reading *from,
		       const struct perf_reading *to, struct plumb_count *counts);

#endif
