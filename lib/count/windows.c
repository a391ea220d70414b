/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ratio estimates from windows, of which each stratum has one, with errors from the differences of
 * neighbours, and for metrics by their derivatives.
 */
#include "count/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/plan.h"
#include "count/result.h"

#define STEP         1e-5 /* of a count, for derivatives */
#define INST_RETIRED 0x08 /* the event's code in every Arm PMU */

double windows_quantile(double degrees)
{
	/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5. */
	const double z = 1.959963984540054, z2 = z * z, z3 = z2 * z, z5 = z3 * z2, z7 = z5 * z2;

	return z + (z3 + z) / (4 * degrees) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

double windows_half_width(const double *residuals, size_t count, double fraction)
{
	double squares = 0, variance;

	if (count < WINDOWS_LEAST)
		return NAN;
	for (size_t i = 1; i < count; i++)
		squares += (residuals[i] - residuals[i - 1]) * (residuals[i] - residuals[i - 1]);
	variance = squares / (2 * ((double)count - 1)) * (double)count;
	variance *= fraction < 1 ? 1 - fraction : 0;
	/* Overlapping differences have about two thirds of the degrees of freedom. */
	return windows_quantile(2.0 / 3 * ((double)count - 1)) * sqrt(variance);
}

double windows_effective(const double *counts, size_t count, size_t stride)
{
	double all = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		all += counts[i * stride];
		squares += counts[i * stride] * counts[i * stride];
	}
	return squares > 0 ? all * all / squares : 0;
}

static double sum(const double *values, size_t count, size_t stride)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += values[i * stride];
	return all;
}

/* Returns which part of what the windows stand for is in them. */
static double fraction_of(const struct plumb_windows *w)
{
	return w->rest ? sum(w->sizes, w->count, 1) / (double)w->rest : 1;
}

/*
 * Adds to `residuals`, `factor` times, how far each window is from the estimate of a count, scaled
 * to the whole run. `counts` are those of the windows, `stride` apart.
 */
static void add_residuals(const struct plumb_windows *w, const double *counts, size_t stride,
			  double factor, double *residuals)
{
	const double size = sum(w->sizes, w->count, 1);
	const double ratio = sum(counts, w->count, stride) / size;
	const double scale = factor * (double)w->rest / size;

	for (size_t i = 0; i < w->count; i++)
		residuals[i] += scale * (counts[i * stride] - ratio * w->sizes[i]);
}

double windows_error(const struct plumb_windows *w)
{
	double *residuals, cycles, half = NAN;

	if (w->count < WINDOWS_LEAST)
		return w->count || w->rest ? (double)NAN : 0;
	residuals = calloc(w->count, sizeof(*residuals));
	if (!residuals)
		return NAN;
	add_residuals(w, w->cycles, 1, 1, residuals);
	cycles = w->first_cycles +
		 (double)w->rest * sum(w->cycles, w->count, 1) / sum(w->sizes, w->count, 1);
	half = hypot(windows_half_width(residuals, w->count, fraction_of(w)),
		     WINDOWS_ALLOWANCE * (cycles - w->first_cycles));
	free(residuals);
	return cycles > 0 ? half / cycles : (double)NAN;
}

/* What the intervals of a result are computed with. */
struct estimate {
	const struct plumb_windows *windows;
	const struct plumb_plan *plan;
	struct plumb_count *counts; /* the estimates, in the plan's layout */
	double *residuals;          /* one for each window */
	double fraction;
};

void windows_estimate(const struct plumb_windows *w, struct plumb_count *counts)
{
	const double size = sum(w->sizes, w->count, 1);

	for (size_t p = 0; p < w->place_count; p++) {
		counts[p].count = w->first[p];
		if (w->count)
			counts[p].count += (double)w->rest *
					   sum(w->counts + p, w->count, w->place_count) / size;
	}
}

static struct plumb_interval around(double value, double half)
{
	if (isnan(value) || isnan(half))
		return (struct plumb_interval){NAN, NAN};
	/* Nothing that is counted is negative. */
	return (struct plumb_interval){value >= 0 ? fmax(value - half, 0) : value - half,
				       value + half};
}

/* Returns whether the event with this index is the one in a place of the plan. */
static bool is_in_place(const struct plumb_plan *plan, uint16_t event, size_t *place)
{
	for (uint16_t g = 0; g < plan->group_count; g++)
		for (uint16_t i = 0; i < plan->groups[g].count; i++)
			if (plan->groups[g].events[i] == event) {
				*place = plan->groups[g].first + i;
				return true;
			}
	return false;
}

static double half_width(struct estimate *e)
{
	return windows_half_width(e->residuals, e->windows->count, e->fraction);
}

/*
 * Tells whether the windows say how uncertain the count in a place is. If few have such events,
 * most of them may be where no window is.
 */
static bool is_frequent(const struct estimate *e, size_t place)
{
	const struct plumb_windows *w = e->windows;
	const double most = w->count < WINDOWS_FREQUENT ? (double)w->count / 2 : WINDOWS_FREQUENT;

	return windows_effective(w->counts + place, w->count, w->place_count) >= most;
}

static void clear_residuals(struct estimate *e)
{
	memset(e->residuals, 0, (e->windows->count + 1) * sizeof(*e->residuals));
}

/* Tells whether an event is INST_RETIRED, whose count is known. */
static bool is_exact(const struct estimate *e, uint16_t event)
{
	const struct plumb_event_config *config = e->plan->events[event];

	return config->kind == PLUMB_EVENT_PMU && config->config == INST_RETIRED;
}

/* Returns by how much the estimate of a count may be off, whichever windows are chosen. */
static double allowance(const struct estimate *e, uint16_t event, size_t place)
{
	const double estimated = e->counts[place].count - e->windows->first[place];

	return is_exact(e, event) ? 0 : WINDOWS_ALLOWANCE * estimated;
}

static struct plumb_interval event_interval(struct estimate *e, uint16_t event)
{
	size_t place;

	if (!is_in_place(e->plan, event, &place))
		return (struct plumb_interval){NAN, NAN};
	if (is_exact(e, event))
		return around(round(e->counts[place].count), 0);
	if (!is_frequent(e, place))
		return (struct plumb_interval){NAN, NAN};
	clear_residuals(e);
	add_residuals(e->windows, e->windows->counts + place, e->windows->place_count, 1,
		      e->residuals);
	return around(e->counts[place].count, hypot(half_width(e), allowance(e, event, place)));
}

/* Adds `more` to the count of an event wherever the plan has it. */
static void change(struct estimate *e, uint16_t event, double more)
{
	for (uint16_t g = 0; g < e->plan->group_count; g++)
		for (uint16_t i = 0; i < e->plan->groups[g].count; i++)
			if (e->plan->groups[g].events[i] == event)
				e->counts[e->plan->groups[g].first + i].count += more;
}

/* Returns the derivative of a metric by the count of an event, which may be 0. */
static double derivative(struct estimate *e, const struct result *result,
			 const struct plan_metric *metric, uint16_t event, double count)
{
	const double step = count > 0 ? STEP * count : STEP;
	double above, below;

	change(e, event, step);
	above = result_evaluate(result, metric, e->counts);
	change(e, event, -2 * step);
	below = result_evaluate(result, metric, e->counts);
	change(e, event, step);
	return (above - below) / (2 * step);
}

/* Tells whether nowhere, as far as it was counted, is more of what one place counts. */
static bool is_within(const struct plumb_windows *w, size_t part, size_t whole)
{
	bool within = w->first[part] <= w->first[whole];

	for (size_t i = 0; i < w->count && within; i++)
		within = w->counts[i * w->place_count + part] <=
			 w->counts[i * w->place_count + whole];
	return within;
}

/*
 * Tells whether a metric is the ratio of one count to another that it is a part of: "per branch".
 * What is per cycle may exceed 1, however little there is of it.
 */
static bool is_part(const struct estimate *e, const struct result *result,
		    const struct plan_metric *metric, size_t of, double value)
{
	const struct plumb_selection *selection = result->given.plan->selection;
	const char *units = selection->spec->metrics[selection->metrics[of].metric].units;
	size_t places[2];

	if (!units || strncmp(units, "per ", 4) != 0 || strstr(units, "cycle") ||
	    metric->operand_count != 2)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!is_in_place(e->plan, metric->operands[i].of_events, &places[i]))
			return false;
	for (unsigned i = 0; i < 2; i++) {
		const size_t part = places[i], whole = places[1 - i];
		const double count = e->counts[part].count;

		if (fabs(value * e->counts[whole].count - count) <= STEP * count)
			return is_within(e->windows, part, whole);
	}
	return false;
}

static struct plumb_interval value_interval(struct estimate *e, const struct result *result,
					    size_t of)
{
	const struct plan_metric *metric = &result->plan->metrics[of];
	const double value = result_evaluate(result, metric, e->counts);
	struct plumb_interval interval;
	double others = 0; /* the square of what the windows do not show */

	clear_residuals(e);
	for (uint16_t k = 0; k < metric->operand_count; k++) {
		const uint16_t event = metric->operands[k].of_events;
		double slope, off;
		size_t place;

		if (event == PLUMB_NONE || !is_in_place(e->plan, event, &place))
			return (struct plumb_interval){NAN, NAN};
		slope = derivative(e, result, metric, event, e->counts[place].count);
		if (!isfinite(slope))
			return (struct plumb_interval){NAN, NAN};
		if (!is_frequent(e, place)) {
			off = WINDOWS_RARE_TIMES * fabs(slope) * fmax(e->counts[place].count, 1);
			if (!(off <= WINDOWS_RARE_PART * fabs(value)))
				return (struct plumb_interval){NAN, NAN};
			others += off * off;
			continue;
		}
		off = slope * allowance(e, event, place);
		others += off * off;
		add_residuals(e->windows, e->windows->counts + place, e->windows->place_count,
			      slope, e->residuals);
	}
	interval = result_interval(result, of, value, hypot(half_width(e), sqrt(others)));
	if (interval.high > 1 && is_part(e, result, metric, of, value))
		interval.high = fmax(value, 1);
	return interval;
}

static void set_intervals(struct result *r, struct plumb_interval *values,
			  struct plumb_interval *events)
{
	free(r->value_intervals);
	free(r->event_intervals);
	r->given.value_intervals = r->value_intervals = values;
	r->given.event_intervals = r->event_intervals = events;
}

int plumb_result_add_windows(struct plumb_result *result, const struct plumb_windows *windows)
{
	struct result *r = (struct result *)(void *)result;
	const struct plumb_plan *plan = result->plan;
	const size_t metrics = plan->selection->metric_count;
	struct plumb_interval *values, *events;
	struct estimate e = {.windows = windows, .plan = plan, .fraction = fraction_of(windows)};
	int error = PLUMB_ERR_NO_MEMORY;

	if (windows->place_count != plan->place_count)
		return PLUMB_ERR_ARGUMENT;
	values = calloc(metrics + 1, sizeof(*values));
	events = calloc(plan->event_count + 1u, sizeof(*events));
	e.counts = calloc(plan->place_count + 1, sizeof(*e.counts));
	e.residuals = calloc(windows->count + 1, sizeof(*e.residuals));
	if (values && events && e.counts && e.residuals) {
		windows_estimate(windows, e.counts);
		for (size_t i = 0; i < metrics; i++)
			values[i] = value_interval(&e, r, i);
		for (uint16_t i = 0; i < plan->event_count; i++)
			events[i] = event_interval(&e, plan_of(plan)->counted_as[i]);
		set_intervals(r, values, events);
		values = events = NULL;
		error = 0;
	}
	free(values);
	free(events);
	free(e.counts);
	free(e.residuals);
	return error;
}

/* Returns the next random number: SplitMix64. */
static uint64_t random_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void plumb_windows_redraw(const struct plumb_windows *w, uint64_t *random,
			  struct plumb_count *counts)
{
	double size = 0;

	for (size_t p = 0; p < w->place_count; p++)
		counts[p] = (struct plumb_count){w->first[p], 1, 1};
	if (!w->count)
		return;
	/* Each window, or its neighbour: a stratum of two, of which two are drawn. */
	for (size_t p = 0; p < w->place_count; p++)
		counts[p].count = 0;
	for (size_t i = 0; i < w->count; i++) {
		size_t drawn = (i & ~(size_t)1) + (random_number(random) >> 63);

		drawn = drawn < w->count ? drawn : w->count - 1;
		size += w->sizes[drawn];
		for (size_t p = 0; p < w->place_count; p++)
			counts[p].count += w->counts[drawn * w->place_count + p];
	}
	for (size_t p = 0; p < w->place_count; p++)
		counts[p].count = w->first[p] + (double)w->rest * counts[p].count / size;
}
