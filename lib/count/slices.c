/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of values whose events shared the counters, from the differences between slices of
 * time. doc/statistics.md derives the formulas ("Multiplexed counts").
 */
#include <math.h>
#include <stdlib.h>

#include "base/student.h"
#include "count/result.h"

#define SLICES_MAX 1024 /* kept; then each two become one */
#define SLICES_MIN 5
#define ALWAYS     0.995 /* of the time: what was counted more is no estimate */
#define STEP       1e-4  /* relative, of a count, for derivatives */

/* ---- Keeping slices -------------------------------------------------------------------------- */

static void add_counts(struct slice_count *sum, const struct slice_count *more, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sum[i].raw += more[i].raw;
		sum[i].enabled += more[i].enabled;
		sum[i].running += more[i].running;
	}
}

/* Makes one slice of each two. */
static void halve(struct slices *slices, size_t places)
{
	for (size_t i = 0; i + 1 < slices->count; i += 2) {
		struct slice_count *to = &slices->at[i / 2 * places];

		for (size_t k = 0; k < places; k++)
			to[k] = slices->at[i * places + k];
		add_counts(to, &slices->at[(i + 1) * places], places);
	}
	slices->count /= 2;
	slices->step *= 2;
}

/* Begins a slice; returns false if out of memory. */
static bool begin(struct slices *slices, size_t places)
{
	struct slice_count *at;

	if (slices->count == SLICES_MAX)
		halve(slices, places);
	if (slices->count == slices->room) {
		const size_t room = slices->room ? 2 * slices->room : 32;

		at = reallocarray(slices->at, room * places, sizeof(*at));
		if (!at)
			return false;
		slices->at = at;
		slices->room = room;
	}
	at = &slices->at[slices->count++ * places];
	for (size_t i = 0; i < places; i++)
		at[i] = (struct slice_count){0, 0, 0};
	slices->pending = 0;
	return true;
}

int plumb_result_add_slice(struct plumb_result *result, const struct plumb_count *counts)
{
	struct result *r = (struct result *)(void *)result;
	const size_t places = result->plan->place_count;
	struct slices *slices = &r->slices;
	struct slice_count *last;

	if (!places)
		return 0;
	if (!slices->step)
		slices->step = 1;
	if ((!slices->count || slices->pending == slices->step) && !begin(slices, places))
		return PLUMB_ERR_NO_MEMORY;
	slices->pending++;
	last = &slices->at[(slices->count - 1) * places];
	for (size_t i = 0; i < places; i++) {
		const double enabled = (double)counts[i].enabled_ns;
		const double running = (double)counts[i].running_ns;

		last[i].enabled += enabled;
		last[i].running += running;
		if (!isnan(counts[i].count) && enabled > 0)
			last[i].raw += running < enabled ? counts[i].count * (running / enabled)
							 : counts[i].count;
	}
	return 0;
}

/* ---- The variance ---------------------------------------------------------------------------- */

/* A value, linearized: a sum of the counts of some places, each times its weight. */
struct linear {
	double *weights; /* of each place; 0: the value does not depend on it */
	size_t places;
};

/* Adds slices together, from the i-th on, until each place of the value was counted. */
static bool next_slice(const struct slices *slices, const struct linear *value, size_t *i,
		       struct slice_count *sum)
{
	for (size_t k = 0; k < value->places; k++)
		sum[k] = (struct slice_count){0, 0, 0};
	while (*i < slices->count) {
		bool whole = true;

		add_counts(sum, &slices->at[(*i)++ * value->places], value->places);
		for (size_t k = 0; k < value->places; k++)
			whole = whole && (value->weights[k] == 0 || sum[k].running > 0);
		if (whole)
			return true;
	}
	return false;
}

/*
 * Returns the rate at which a slice adds to the value, with the part of each place's rate that is
 * uncertain; and its length.
 */
static double rate_of(const struct result *r, const struct linear *value,
		      const struct slice_count *slice, double *length)
{
	double rate = 0;

	*length = 0;
	for (size_t k = 0; k < value->places; k++) {
		const struct plumb_count *sum = &r->sums[k];
		double counted;

		if (value->weights[k] == 0)
			continue;
		counted = fmin(1, (double)sum->running_ns / (double)sum->enabled_ns);
		rate += value->weights[k] * slice[k].raw / slice[k].running * sqrt(1 - counted);
		*length = fmax(*length, slice[k].enabled);
	}
	return rate;
}

/* Returns half the width of the interval; NaN if there are too few slices. */
static double half_width(const struct result *r, const struct linear *value,
			 struct slice_count *slice)
{
	double before = 0, before_length = 0, squares = 0, enabled = 0, degrees;
	size_t count = 0, i = 0;

	while (next_slice(&r->slices, value, &i, slice)) {
		double length, rate = rate_of(r, value, slice, &length);

		if (count++)
			squares += (rate - before) * (rate - before) /
				   (1 / length + 1 / before_length);
		before = rate;
		before_length = length;
	}
	for (size_t k = 0; k < value->places; k++)
		if (value->weights[k] != 0)
			enabled = fmax(enabled, (double)r->sums[k].enabled_ns);
	if (count < SLICES_MIN)
		return NAN;
	degrees = 2.0 / 3 * ((double)count - 1);
	return student_quantile(degrees) * sqrt(enabled * squares / ((double)count - 1));
}

/* Tells whether a place of the value had to share its counter. */
static bool is_estimate(const struct result *r, const struct linear *value)
{
	for (size_t k = 0; k < value->places; k++)
		if (value->weights[k] != 0 &&
		    (double)r->sums[k].running_ns < ALWAYS * (double)r->sums[k].enabled_ns)
			return true;
	return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Tells whether a metric takes the count of a place: one of its group's, or of all its events. */
static bool takes(const struct plan_metric *metric, uint16_t event, size_t place)
{
	for (uint16_t k = 0; k < metric->operand_count; k++)
		if (metric->operands[k].of_events != PLUMB_NONE &&
		    (metric->home == PLUMB_NONE ? metric->operands[k].of_events == event
						: metric->operands[k].place == place))
			return true;
	return false;
}

/* Sets the weights of a metric: its derivatives by the counts of its places. */
static void linearize(struct result *r, const struct plan_metric *metric, struct linear *value)
{
	const struct plumb_plan *plan = r->given.plan;

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			const size_t place = plan->groups[g].first + i;
			double *count = &r->sums[place].count;
			const double kept = *count, step = fmax(fabs(kept) * STEP, STEP);
			double more, less;

			value->weights[place] = 0;
			if (isnan(kept) || !takes(metric, plan->groups[g].events[i], place))
				continue;
			*count = kept + step;
			more = result_evaluate(r, metric, r->sums);
			*count = kept - step;
			less = result_evaluate(r, metric, r->sums);
			*count = kept;
			if (isfinite(more - less))
				value->weights[place] = (more - less) / (2 * step);
		}
	}
}

/* Sets the weights of an event: it is the mean of its places that were counted. */
static void weigh_event(const struct result *r, uint16_t event, struct linear *value)
{
	const struct plumb_plan *plan = r->given.plan;
	double times = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint16_t g = 0; g < plan->group_count; g++) {
			for (uint16_t i = 0; i < plan->groups[g].count; i++) {
				const size_t place = plan->groups[g].first + i;
				const bool is = plan->groups[g].events[i] == event &&
						!isnan(r->sums[place].count);

				if (pass == 0)
					times += is;
				else
					value->weights[place] = is ? 1 / times : 0;
			}
		}
	}
}

static struct plumb_interval interval_of(const struct result *r, const struct linear *value,
					 double at, struct slice_count *slice)
{
	const double half =
		isfinite(at) && is_estimate(r, value) ? half_width(r, value, slice) : (double)NAN;

	return (struct plumb_interval){at - half, at + half};
}

/* Sets the intervals; returns whether any value is an estimate. */
static bool estimate_all(struct result *r, struct linear *value, struct slice_count *slice)
{
	const struct plumb_result *result = &r->given;
	const struct plumb_plan *plan = result->plan;
	bool any = false;

	for (size_t i = 0; i < plan->selection->metric_count; i++) {
		linearize(r, &r->plan->metrics[i], value);
		r->value_intervals[i] = interval_of(r, value, r->values[i].value, slice);
		any |= !isnan(r->value_intervals[i].low);
	}
	for (uint16_t i = 0; i < plan->event_count; i++) {
		struct plumb_interval *interval = &r->event_intervals[i];
		const double parts = r->runs && result->parts ? result->parts : 1;

		weigh_event(r, r->plan->counted_as[i], value);
		*interval = interval_of(r, value, r->events[i].count.count * parts, slice);
		if (isnan(interval->low))
			continue;
		interval->low = fmax(interval->low, 0) / parts;
		interval->high /= parts;
		any = true;
	}
	return any;
}

static void forget(struct result *r)
{
	free(r->value_intervals);
	free(r->event_intervals);
	r->value_intervals = r->event_intervals = NULL;
}

int plumb_result_estimate(struct plumb_result *result)
{
	struct result *r = (struct result *)(void *)result;
	const struct plumb_plan *plan = result->plan;
	struct linear value = {.places = plan->place_count};
	struct slice_count *slice;
	bool fine;

	if (!r->slices.count || r->value_intervals)
		return 0;
	value.weights = calloc(value.places + 1, sizeof(double));
	slice = calloc(value.places + 1, sizeof(*slice));
	r->value_intervals = calloc(plan->selection->metric_count + 1, sizeof(*r->value_intervals));
	r->event_intervals = calloc(plan->event_count + 1u, sizeof(*r->event_intervals));
	fine = value.weights && slice && r->value_intervals && r->event_intervals;
	if (!fine || !estimate_all(r, &value, slice))
		forget(r);
	result->value_intervals = r->value_intervals;
	result->event_intervals = r->event_intervals;
	free(value.weights);
	free(slice);
	return fine ? 0 : PLUMB_ERR_NO_MEMORY;
}
