/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting: from a request to metric values.
 *
 *     plumb_selection   the metrics and events requested, in the order of display
 *     plumb_plan        which events a PMU counts together, and in how many passes
 *     plumb_count       the count of an event; one for each event of each group of the plan
 *     plumb_result      the values of the metrics, over one or more runs
 *
 * A source does the counting: it takes a plan and returns counts. Only one thread at a time may
 * call these functions on an object, but a selection and a plan never change.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_COUNT_H
#define PLUMB_COUNT_H

#include <plumb/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What may limit a core: fetch, dispatch, chains of operations, ports, page table walks, misses as
 * many at a time as there are buffers, the bandwidth of caches and memory, and the store buffer.
 * With chains, also what about half of the chain is, if that is one thing: waiting for
 * translations, or for stores that cannot forward their data.
 */
enum plumb_limit {
	PLUMB_LIMIT_FETCH = 1 << 0,
	PLUMB_LIMIT_SLOTS = 1 << 1,
	PLUMB_LIMIT_CHAIN = 1 << 2,
	PLUMB_LIMIT_PORTS = 1 << 3,
	PLUMB_LIMIT_WALKS = 1 << 4,
	PLUMB_LIMIT_MISSES = 1 << 5,
	PLUMB_LIMIT_BANDWIDTH = 1 << 6,
	PLUMB_LIMIT_TRANSLATION = 1 << 7,
	PLUMB_LIMIT_STORE = 1 << 8,
	PLUMB_LIMIT_STORE_BUFFER = 1 << 9
};
#define PLUMB_LIMIT_SETS 1024

/* ---- the request --------------------------------------------------------------------------- */

/* Selects everything that is named; nothing if zeroed. Indexes refer to the specification. */
struct plumb_request {
	size_t size;                  /* sizeof(struct plumb_request) */
	unsigned stages;              /* bit N: metric groups of stage N; bit 1: also the tree */
	struct plumb_indexes groups;  /* metric groups */
	struct plumb_indexes metrics; /* single metrics */
	bool node_given;              /* `node` is set */
	uint16_t node;                /* metric: its node, all below, and groups they lead to */
	unsigned level;               /* the deepest level of the tree to select; 0: all */
	/* Additional events and metrics, read to be counted; must outlive the plan. NULL: none. */
	const struct plumb_event_list *events;
};

struct plumb_selected_metric {
	uint16_t metric; /* into plumb_spec.metrics */
	uint16_t group;  /* metric group it is shown under, or PLUMB_NONE */
	uint16_t parent; /* metric of its parent node, or PLUMB_NONE */
	uint16_t level;  /* of its node, 1 for a root; 0 if no root leads to it */
	uint16_t stage;  /* of its group; 0 if none */
};

/* An event that was requested by itself. */
struct plumb_selected_event {
	const struct plumb_event_config *event;
	uint16_t leader; /* index of its group's first event; its own if it is in no group */
};

/* Made by the library; may grow. */
struct plumb_selection {
	const struct plumb_spec *spec;               /* must outlive the selection */
	const struct plumb_methodology *methodology; /* the specification's first, or NULL */
	const struct plumb_selected_metric *metrics; /* pairs of metric and group are distinct */
	size_t metric_count;
	/* Events requested by themselves, in their order, each as often as it was requested. */
	const struct plumb_selected_event *events;
	uint16_t event_count;
};

/*
 * Resolves a request. The order is: the tree of stage 1, each node before those below it; the other
 * metrics of stage 1; the groups of other stages; then groups and metrics as requested. `spec` may
 * be NULL if only software events are requested; the selection's specification is then empty.
 * Returns 0, ARGUMENT (an index is out of range, or a metric has no node) or NO_MEMORY. Free with
 * plumb_selection_free(), which accepts NULL.
 */
PLUMB_API int plumb_selection_new(const struct plumb_spec *spec,
				  const struct plumb_request *request,
				  struct plumb_selection **selection);
PLUMB_API void plumb_selection_free(struct plumb_selection *selection);

/* ---- the plan ----------------------------------------------------------------------------- */

/* Which events to count together if counters are few; like topdown-tool's --collect-by. */
enum plumb_collect_by {
	PLUMB_COLLECT_BY_METRIC, /* those of a metric */
	PLUMB_COLLECT_BY_GROUP,  /* those of a metric group, or of each metric if too many */
	PLUMB_COLLECT_BY_NONE,   /* none: each event is its own group */
};

/* CPU_CYCLES, which has a counter of its own, and the maximum number of other counters. */
#define PLUMB_CODE_CYCLES  0x0011
#define PLUMB_COUNTERS_MAX 31

struct plumb_plan_options {
	size_t size;        /* sizeof(struct plumb_plan_options) */
	unsigned counters;  /* at most PLUMB_COUNTERS_MAX; 0: unlimited, so one group is enough */
	bool cycle_counter; /* there is one more, for CPU_CYCLES only */
	enum plumb_collect_by collect_by;
	/* Tells whether the source can count a PMU event; others are left out. NULL: it can. */
	bool (*counts)(const void *user, uint16_t code);
	const void *user;
};

/* Events that are counted at the same time. */
struct plumb_plan_group {
	const uint16_t
		*events; /* indexes into plumb_plan.events; a requested group's leader first */
	uint16_t count;
	uint16_t pass; /* from 0; all groups of a pass fit the counters at once */
	size_t first;  /* place of its first event among the events of all groups */
};

/* Made by the library; may grow. */
struct plumb_plan {
	const struct plumb_selection *selection; /* must outlive the plan */
	const struct plumb_plan_group *groups;
	uint16_t group_count;
	uint16_t pass_count;
	size_t place_count; /* total number of events in all groups; one event may be in several */
	/*
	 * The requested events, in order, each as often as it was requested; then those that
	 * metrics also need. An event that repeats an earlier one outside requested groups is in no
	 * group: it shares the earlier one's count.
	 */
	const struct plumb_event_config *const *events;
	uint16_t event_count;
};

/*
 * Makes a plan with few passes; deterministic. A metric with more events than there are counters is
 * split; a requested group is not, unless it is weak. Software events take no counter. Returns 0,
 * ARGUMENT (too many counters), LIMIT (more than 65534 groups; a group that needs more counters
 * than there are, with a finding), NO_MEMORY, or, for a metric whose formula is wrong, SYNTAX,
 * NOT_FOUND, INVALID or LIMIT with a finding. `diagnostics` may be NULL. Free with
 * plumb_plan_free(), which accepts NULL.
 */
PLUMB_API int plumb_plan_new(const struct plumb_selection *selection,
			     const struct plumb_plan_options *options, struct plumb_plan **plan,
			     struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_plan_free(struct plumb_plan *plan);

/*
 * Returns the index into plumb_plan.events of the PMU event with this code that is counted without
 * modifiers and outside requested groups, or PLUMB_NONE if there is none.
 */
PLUMB_API uint16_t plumb_plan_event(const struct plumb_plan *plan, uint16_t code);

/*
 * Returns whether all events of the selection's `metric`-th metric are counted. If not, sets
 * `*missing` (may be NULL) to the first one missing, an index into plumb_spec.events.
 */
PLUMB_API bool plumb_plan_computes(const struct plumb_plan *plan, size_t metric, uint16_t *missing);

/* ---- counts and values -------------------------------------------------------------------- */

/* One event of one group. */
struct plumb_count {
	double count;        /* scaled if it did not run all the time; NaN if it was not counted */
	uint64_t enabled_ns; /* time it was enabled */
	uint64_t running_ns; /* time it was on a counter */
};

/* What to count separately. */
enum plumb_count_by {
	PLUMB_COUNT_BY_NOTHING, /* only the sum; but control groups always are */
	PLUMB_COUNT_BY_CPU,
	PLUMB_COUNT_BY_CORE, /* with all its hardware threads */
	PLUMB_COUNT_BY_SOCKET,
	PLUMB_COUNT_BY_NODE,   /* of memory */
	PLUMB_COUNT_BY_THREAD, /* with the threads that it starts meanwhile */
};

/* A CPU, a core, a thread or the like that is counted separately. */
struct plumb_count_unit {
	enum plumb_count_by by;
	const char *name;   /* as perf stat -x names it: "CPU3", "S0-D0-C1", "S0", "N0", "sh-42" */
	const char *cgroup; /* the job's, or NULL */
	int cpu, socket, die, core, node, tid; /* those that identify it; -1: the others */
	unsigned cpus;                         /* how many CPUs or threads it comprises */
};

/* `low` and `high` are the smallest and the largest value of the parts. */
struct plumb_value {
	double value, low, high; /* NaN if there is none */
};

struct plumb_event_count {
	const struct plumb_event_config *event; /* the plan's */
	struct plumb_count count; /* mean over the runs; times are sums over its groups and runs */
	/* Standard error of the mean over the runs, in percent of it; NaN with fewer than two. */
	double deviation;
	double low, high; /* the smallest and the largest count of a part; NaN if there is none */
};

/*
 * What the model's cores waited for, whatever events the modelled core has. Sums over all threads;
 * all 0: unknown.
 */
struct plumb_core_waits {
	uint64_t cycles;
	/* Those in which the backend took no operation, by what the oldest one waited for. */
	uint64_t core, l1d, beyond_l2, tlb, store;
	/* Those in which the frontend delivered none, by what it waited for. */
	uint64_t flush, flow, code_l1i, code_beyond_l2, code_tlb;
	/* Flushes of the pipeline. */
	uint64_t mispredictions, exceptions, barriers;
};

/*
 * The windows of a sampled run, from which its counts are estimated: those of `first`, plus `rest`
 * instructions with as many events per instruction as the windows have. doc/statistics.md has the
 * formulas. Made by the library; may grow.
 */
struct plumb_windows {
	size_t count;         /* 0: everything was counted */
	size_t place_count;   /* the plan's */
	const double *sizes;  /* instructions of each window, in order */
	const double *cycles; /* of each window */
	const double *counts; /* of each window, in the plan's layout; NaN if not counted */
	const double *first;  /* counts of what was counted in full, in the plan's layout */
	double first_cycles;
	uint64_t instructions; /* of the whole run */
	uint64_t rest;         /* those that the windows stand for */
	uint64_t modelled;     /* those counted or executed in detail */
	uint64_t bare;         /* those that warmed at most caches and TLBs */
	uint64_t unit;         /* one window per so many instructions */
	double error_asked;    /* of the cycles, relative */
	double error;          /* half the interval at 95 %; NaN: too few windows */
	bool left; /* the program got threads, and everything was counted from there on */
};

/* A confidence interval at 95 %; NaN if it is unknown. */
struct plumb_interval {
	double low, high;
};

/*
 * The combined result of `parts` runs of a program, or intervals of one. The value of a metric is
 * computed from the sums of the counts, not as the mean of the parts' values: a longer part weighs
 * more. Made by the library; may grow.
 */
struct plumb_result {
	const struct plumb_plan *plan;
	unsigned parts;
	const struct plumb_value *values;       /* one for each selected metric */
	const struct plumb_event_count *events; /* one for each event of the plan */
	/*
	 * Percent of all threads' cycles in which a line was on its way from another core. NaN:
	 * unknown.
	 */
	double moving;
	/*
	 * Percent of the cycles: those stalled because loads waited for stores that could not
	 * forward their data, and those in which a chain of operations that depend on each other
	 * was a limit. NaN: unknown.
	 */
	double unforwarded;
	double chained;
	/* Percent of all threads' cycles that the kernel took at the stated costs. NaN: unknown. */
	double kernel;
	struct plumb_core_waits waits;
	/*
	 * If values were estimated, from the windows of a sampled run or by
	 * plumb_result_estimate(): for each selected metric, and each event of the plan, where its
	 * value is; NaN for one that was counted. NULL: all were counted.
	 */
	const struct plumb_interval *value_intervals, *event_intervals;
};

/*
 * Makes a result without parts; its values are NaN. `plan` must outlive it. Returns 0 or NO_MEMORY.
 * Free with plumb_result_free(), which accepts NULL.
 */
PLUMB_API int plumb_result_new(const struct plumb_plan *plan, struct plumb_result **result);
PLUMB_API void plumb_result_free(struct plumb_result *result);

/*
 * Adds a part and updates everything `result` points to. `counts` has plan->place_count elements,
 * group by group. `runs` is true if parts are runs of the same program: then counts of events are
 * averaged. Otherwise they are intervals, and counts are added up.
 */
PLUMB_API void plumb_result_add(struct plumb_result *result, const struct plumb_count *counts,
				bool runs);

/*
 * Adds what a run says of lines that move between cores: plumb_count_run.moving_cycles and .cycles.
 * Ignores a run without cycles.
 */
PLUMB_API void plumb_result_add_moving(struct plumb_result *result, uint64_t moving_cycles,
				       uint64_t cycles);

/*
 * Adds what a run says of waits within the core: plumb_count_run.unforwarded_cycles, .cycles and
 * .limit_cycles. Ignores a run without cycles.
 */
PLUMB_API void plumb_result_add_waits(struct plumb_result *result, uint64_t unforwarded_cycles,
				      uint64_t cycles,
				      const uint64_t limit_cycles[PLUMB_LIMIT_SETS]);

/*
 * Adds what a run says of the kernel: plumb_count_run.conditions.kernel_cycles and .cycles. Ignores
 * a run without cycles.
 */
PLUMB_API void plumb_result_add_kernel(struct plumb_result *result, uint64_t kernel_cycles,
				       uint64_t cycles);

/*
 * Sets the intervals of a result to those that the windows of its only run give. Returns 0, or
 * NO_MEMORY with the intervals unchanged; ARGUMENT if the windows are of another plan.
 */
PLUMB_API int plumb_result_add_windows(struct plumb_result *result,
				       const struct plumb_windows *windows);

/*
 * Draws windows anew: as many as there are, with repetitions, by a bootstrap over pairs of
 * neighbours. Sets plan->place_count elements of `counts`, for plumb_result_add(), to what the run
 * would be estimated to have counted with them. Advances `*random`, which the caller may begin with
 * any number.
 */
PLUMB_API void plumb_windows_redraw(const struct plumb_windows *windows, uint64_t *random,
				    struct plumb_count *counts);

/* Adds plumb_count_run.waits. */
PLUMB_API void plumb_result_add_core_waits(struct plumb_result *result,
					   const struct plumb_core_waits *waits);

/*
 * Adds what was counted in a slice of the time of the parts, laid out as for plumb_result_add().
 * Add slices in their order; they need not cover everything. Returns 0 or NO_MEMORY.
 */
PLUMB_API int plumb_result_add_slice(struct plumb_result *result, const struct plumb_count *counts);

/*
 * Estimates the intervals of all values from the slices; doc/statistics.md gives the formulas. It
 * takes five slices in which all events of a value were counted. Call it when all parts and slices
 * have been added. Returns 0 or NO_MEMORY.
 */
PLUMB_API int plumb_result_estimate(struct plumb_result *result);

#ifdef __cplusplus
}
#endif

#endif
