/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting: from what is asked for to values.
 *
 *     plumb_selection   the metrics and events that are asked for, in the order they are shown
 *     plumb_plan        which events a PMU counts together, and in how many passes
 *     plumb_count       what a source counted, one for each event of each group of the plan
 *     plumb_result      the metrics' values, over one run or several
 *
 * Who counts has no part in this: a source takes a plan and gives counts. Nothing here is done
 * by more than one thread at a time; a selection and a plan are constant once made.
 */
#ifndef PLUMB_COUNT_H
#define PLUMB_COUNT_H

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is asked for -------------------------------------------------------------------- */

/* All that is named is selected; zero selects nothing. Indexes are into the specification. */
struct plumb_request {
	unsigned stages;              /* bit N: the metric groups of stage N; bit 1 the tree too */
	struct plumb_indexes groups;  /* metric groups */
	struct plumb_indexes metrics; /* metrics by themselves */
	bool node_given;              /* a part of the tree: the node of this metric, ... */
	uint16_t node;                /* ... what is below it, and the groups it leads to */
	unsigned level;               /* of the tree, no node below this level; 0: all */
	const uint16_t *codes;        /* PMU event codes to count besides */
	uint16_t code_count;
};

struct plumb_selected_metric {
	uint16_t metric; /* into plumb_spec.metrics */
	uint16_t group;  /* metric group that it is shown under, or PLUMB_NONE */
	uint16_t parent; /* metric of the node above it, or PLUMB_NONE */
	uint16_t level;  /* of its node, 1 for a root; 0: it is no node that a root leads to */
	uint16_t stage;  /* of its group; 0: of none */
};

struct plumb_selection {
	const struct plumb_spec *spec;               /* must live as long */
	const struct plumb_methodology *methodology; /* the specification's first, or NULL */
	const struct plumb_selected_metric *metrics; /* no pair of metric and group twice */
	size_t metric_count;
	const uint16_t *codes; /* PMU event codes asked for by themselves, no two alike */
	uint16_t code_count;
};

/*
 * Stage 1 comes first, its tree from each root down, a node before what is below it; then what
 * else its groups hold; then the groups of other stages, groups and metrics as they were named.
 * Returns 0, ARGUMENT (an index out of range, a metric that is no node) or NO_MEMORY. Free with
 * plumb_selection_free(), which takes NULL too.
 */
PLUMB_API int plumb_selection_new(const struct plumb_spec *spec,
				  const struct plumb_request *request,
				  struct plumb_selection **selection);
PLUMB_API void plumb_selection_free(struct plumb_selection *selection);

/* ---- the plan ----------------------------------------------------------------------------- */

/* Which events are kept together, where counters are few; as topdown-tool's --collect-by. */
enum plumb_collect_by {
	PLUMB_COLLECT_BY_METRIC, /* those of a metric */
	PLUMB_COLLECT_BY_GROUP,  /* those of a metric group; of its metrics, if they are too many */
	PLUMB_COLLECT_BY_NONE,   /* none: each is its own group */
};

/* The event that PMUs count apart, CPU_CYCLES; and the most counters that one can have besides. */
#define PLUMB_CODE_CYCLES  0x0011
#define PLUMB_COUNTERS_MAX 31

struct plumb_plan_options {
	unsigned counters;  /* at most PLUMB_COUNTERS_MAX; 0: any number, so one group does */
	bool cycle_counter; /* and one more for CPU_CYCLES alone */
	enum plumb_collect_by collect_by;
	/* Whether the source counts this PMU event; those it does not are left out. NULL: all. */
	bool (*counts)(const void *user, uint16_t code);
	const void *user;
};

/* Events that are counted at the same time. */
struct plumb_plan_group {
	const uint16_t *codes; /* ascending */
	uint16_t count;
	uint16_t pass; /* the groups of a pass fit the counters at once; numbered from 0 */
	size_t first;  /* place of its first event among those of all groups */
};

struct plumb_plan {
	const struct plumb_selection *selection; /* must live as long */
	const struct plumb_plan_group *groups;
	uint16_t group_count;
	uint16_t pass_count;
	size_t place_count;    /* events of all groups; one event may be in several */
	const uint16_t *codes; /* the distinct events of them, ascending */
	uint16_t code_count;
};

/*
 * Plans so that the passes are few: the same input gives the same plan. A metric that needs more
 * events than there are counters has them parted. Returns 0, ARGUMENT (too many counters), LIMIT
 * (more than 65534 groups), NO_MEMORY, or what plumb_spec_compile_metric() returns, with its
 * finding in `found` (may be NULL). Free with plumb_plan_free(), which takes NULL too.
 */
PLUMB_API int plumb_plan_new(const struct plumb_selection *selection,
			     const struct plumb_plan_options *options, struct plumb_plan **plan,
			     struct plumb_diagnostics *found);
PLUMB_API void plumb_plan_free(struct plumb_plan *plan);

/*
 * The group that has all events of the selection's `metric`-th metric, so that its value comes
 * from events counted at the same time; PLUMB_NONE if they are parted or not all are counted.
 */
PLUMB_API uint16_t plumb_plan_home(const struct plumb_plan *plan, size_t metric);

/*
 * Whether all events of the selection's `metric`-th metric are counted; if not, `*missing` (may be
 * NULL) is the first that is not, an index into plumb_spec.events.
 */
PLUMB_API bool plumb_plan_computes(const struct plumb_plan *plan, size_t metric, uint16_t *missing);

/* ---- counts and values -------------------------------------------------------------------- */

/* One event of one group. */
struct plumb_count {
	double count;        /* scaled, if it was not on a counter all the time; NaN: none */
	uint64_t enabled_ns; /* how long it was to be counted */
	uint64_t running_ns; /* how long it was on a counter */
};

/*
 * What was counted in `running` of `enabled` nanoseconds, for all of them: `raw` itself if they
 * are the same, NaN if it never ran.
 */
PLUMB_API double plumb_count_scaled(uint64_t raw, uint64_t enabled, uint64_t running);

/* `low` and `high` are the least and the greatest of the parts it was made from. */
struct plumb_value {
	double value, low, high; /* NaN: there is none */
};

struct plumb_event_count {
	uint16_t code;
	struct plumb_count count; /* mean of the runs; times are sums over its groups and runs */
};

/*
 * What was counted in all: `parts` runs of a program, or intervals of one. A metric's value is
 * that of the sums of the counts, not the mean of the parts' values: a part weighs what it lasted.
 */
struct plumb_result {
	const struct plumb_plan *plan;
	unsigned parts;
	const struct plumb_value *values;       /* of each selected metric */
	const struct plumb_event_count *events; /* of each of the plan's codes */
};

PLUMB_API int plumb_result_new(const struct plumb_plan *plan, struct plumb_result **result);
PLUMB_API void plumb_result_free(struct plumb_result *result);

/*
 * Adds a part: `counts` has plan->place_count elements, those of group after group. `runs` says
 * that parts are runs of the same program, whose events' counts are averaged; those of intervals
 * are added up. All of it that `result` points to is then up to date.
 */
PLUMB_API void plumb_result_add(struct plumb_result *result, const struct plumb_count *counts,
				bool runs);

#ifdef __cplusplus
}
#endif

#endif
