/* SPDX-License-Identifier: Apache-2.0 */
/* What a result knows beyond its values, and values that another tool computed. */
#ifndef COUNT_INSIDE_H
#define COUNT_INSIDE_H

#include <plumb/count.h>

/* Sets the value of the selection's `metric`-th metric, unless it was computed from counts. */
void result_give_value(struct plumb_result *result, size_t metric, double value);
/* Sets the spread of the plan's `event`-th event, as plumb_event_count.deviation. */
void result_give_deviation(struct plumb_result *result, uint16_t event, double deviation);

/* How far the value of a metric can be relied on. */
struct result_doubt {
	/* By how much it changes if each count is off by one, which is what rounding can do. */
	double rounding;
	double counted; /* the smallest share of the time that one of its events was counted */
	bool apart;     /* its events were counted in several groups */
	bool times;     /* its events were enabled for different times */
};

/* Fills in the doubt about the selection's `metric`-th metric. */
void result_doubt(const struct plumb_result *result, size_t metric, struct result_doubt *doubt);

#endif
