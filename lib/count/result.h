/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a result, for the files that compute it. */
#ifndef COUNT_RESULT_H
#define COUNT_RESULT_H

#include "count/plan.h"

/* Mean and sum of squared differences from it, updated by Welford's method. */
struct spread {
	unsigned parts;
	double mean, squares;
};

/* What a place of the plan counted in a slice of time. */
struct slice_count {
	double raw, enabled, running;
};

/* The slices, one after the other, each with a count for each place. */
struct slices {
	struct slice_count *at;
	size_t count, room;
	size_t step;    /* how many given slices one comprises */
	size_t pending; /* how many the last comprises, if fewer */
};

struct result {
	struct plumb_result given; /* must be first: callers hold a pointer to it */
	const struct plan *plan;
	struct plumb_count *sums; /* for each place of the plan, over all parts */
	struct plumb_value *values;
	struct plumb_event_count *events;
	struct spread *spreads;                   /* of each event, over the parts */
	double moving_cycles, cycles;             /* plumb_result_add_moving() */
	double unforwarded_cycles, waited_cycles; /* plumb_result_add_waits() */
	double kernel_cycles, all_cycles;         /* plumb_result_add_kernel() */
	double chained_cycles, limit_cycles;
	struct plumb_interval *value_intervals, *event_intervals; /* or NULL */
	bool runs; /* the parts are runs, whose counts are averaged */
	struct slices slices;
	double *counts; /* for each event of the specification, for formulas; NaN between uses */
};

/* Computes a metric from counts of the plan's places; NaN if it has no value. */
double result_evaluate(const struct result *r, const struct plan_metric *metric,
		       const struct plumb_count *counts);

/*
 * Returns the interval of a value of the selection's metric: `half` to either side, but no further
 * than the metric can be: for counts of which all are of the same cycles, as those of the model's
 * windows. None is negative, and no share exceeds 100 %. A value beyond that stays within. NaN:
 * unknown.
 */
struct plumb_interval result_interval(const struct result *r, size_t metric, double value,
				      double half);

#endif
