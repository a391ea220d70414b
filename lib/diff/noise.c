/* SPDX-License-Identifier: Apache-2.0 */
/* Whether one change is more than noise, before all comparisons are accounted for. */
#include <math.h>
#include <stdlib.h>

#include "diff/baseline.h"
#include "diff/diff.h"

static bool all_equal(const struct diff_item *item)
{
	for (size_t i = 1; i < item->count; i++)
		if (item->values[i].value != item->values[0].value)
			return false;
	return true;
}

/* Copies the values. Returns their median. */
static double median_value(const struct diff_item *item, double *values)
{
	for (size_t i = 0; i < item->count; i++)
		values[i] = item->values[i].value;
	return median_of(values, item->count);
}

/*
 * Returns the mean of the runs with its interval; without ends, if that is not known. Runs of the
 * model differ by their sampling only. Those of hardware differ by more than their intervals say.
 */
static struct interval mean_interval(const struct diff_item *item)
{
	struct interval mean = {0, NAN, NAN}, sum = item->values[0];

	for (size_t i = 1; i < item->count; i++)
		sum = interval_sum(&sum, &item->values[i]);
	if (item->count > 1 && !item->modelled)
		return mean;
	mean.value = sum.value / (double)item->count;
	mean.low = sum.low / (double)item->count;
	mean.high = sum.high / (double)item->count;
	return mean;
}

static bool has_interval(const struct interval *mean)
{
	return !isnan(mean->low) && !isnan(mean->high);
}

/* An exact count that functions without any have not, either. */
static bool is_exact(const struct diff_item *item)
{
	return item->exact && all_equal(item);
}

static int test_ranks(const struct diff_item *before, const struct diff_item *after,
		      struct diff_change *change)
{
	double *values = calloc(before->count + after->count, sizeof(*values));
	struct rank_test test;

	int status;

	if (!values)
		return PLUMB_ERR_NO_MEMORY;
	change->before = median_value(before, values);
	change->after = median_value(after, values + before->count);
	status = rank_test(values, before->count, values + before->count, after->count, &test);
	change->p = test.p;
	change->effect = test.effect;
	change->least = test.least;
	free(values);
	return status < 0 ? PLUMB_ERR_NO_MEMORY : 0;
}

int diff_test(const struct diff *diff, const struct diff_item *before,
	      const struct diff_item *after, struct diff_change *change)
{
	const struct interval means[] = {mean_interval(before), mean_interval(after)};
	int status = 0;

	change->runs[0] = before->count;
	change->runs[1] = after->count;
	change->unseen[0] = change->unseen[1] = NAN;
	change->p = change->adjusted = change->effect = change->least = NAN;
	change->difference = (struct interval){NAN, NAN, NAN};
	change->before = before->values[0].value;
	change->after = after->values[0].value;
	if (is_exact(before) && is_exact(after)) {
		change->method = DIFF_EXACT;
		/* A baseline is rounded, which is no change. */
		if (diff->before->baseline || diff->after->baseline) {
			change->before = baseline_round(change->before);
			change->after = baseline_round(change->after);
		}
		change->real = change->before != change->after;
	} else if (has_interval(&means[0]) && has_interval(&means[1])) {
		change->method = DIFF_INTERVALS;
		change->before = means[0].value;
		change->after = means[1].value;
		change->p = interval_difference(&means[0], &means[1], &change->difference);
		for (size_t s = 0; s < 2; s++)
			if ((s ? after : before)->additive && means[s].value == 0 &&
			    means[s].high > 0)
				change->unseen[s] = means[s].high;
	} else if (before->count > 1 || after->count > 1) {
		change->method = DIFF_RANKS;
		status = test_ranks(before, after, change);
	} else {
		change->method = DIFF_UNKNOWN;
	}
	change->change = change->after - change->before;
	change->relative = change->change == 0   ? 0
			   : change->before != 0 ? change->change / fabs(change->before)
						 : copysign(INFINITY, change->change);
	return status;
}
