/* SPDX-License-Identifier: Apache-2.0 */
/* Computes metric values from counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/inside.h"
#include "count/plan.h"
#include "count/result.h"

/* Adds two counts; NaN only if both are NaN. */
static double plus(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

static void add_count(struct plumb_count *sum, const struct plumb_count *count)
{
	sum->count = plus(sum->count, count->count);
	sum->enabled_ns += count->enabled_ns;
	sum->running_ns += count->running_ns;
}

/* An event in several groups was counted several times: returns the mean. */
static double event_count(const struct plumb_plan *plan, const struct plumb_count *counts,
			  uint16_t event)
{
	double sum = NAN;
	unsigned times = 0;

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			double count = counts[plan->groups[g].first + i].count;

			if (plan->groups[g].events[i] != event || isnan(count))
				continue;
			sum = plus(sum, count);
			times++;
		}
	}
	return times ? sum / times : sum;
}

double result_evaluate(const struct result *r, const struct plan_metric *metric,
		       const struct plumb_count *counts)
{
	double value = NAN;

	for (uint16_t k = 0; k < metric->operand_count; k++) {
		const struct plan_operand *operand = &metric->operands[k];

		r->counts[operand->event] =
			operand->of_events == PLUMB_NONE ? (double)NAN
			: metric->home == PLUMB_NONE
				? event_count(&r->plan->given, counts, operand->of_events)
				: counts[operand->place].count;
	}
	if (!formula_evaluate(metric->formula, r->counts, &value))
		value = NAN;
	for (uint16_t k = 0; k < metric->operand_count; k++)
		r->counts[metric->operands[k].event] = NAN;
	return value;
}

struct plumb_interval result_interval(const struct result *r, size_t metric, double value,
				      double half)
{
	const struct plumb_selection *selection = r->given.plan->selection;
	const char *units = selection->spec->metrics[selection->metrics[metric].metric].units;
	const double most = units && strncmp(units, "percent", 7) == 0 ? 100 : (double)INFINITY;

	if (isnan(value) || isnan(half))
		return (struct plumb_interval){NAN, NAN};
	return (struct plumb_interval){fmin(value, fmax(value - half, 0)),
				       fmax(value, fmin(value + half, most))};
}

static void add_to_spread(struct spread *spread, double count)
{
	double before = count - spread->mean;

	if (isnan(count))
		return;
	spread->parts++;
	spread->mean += before / spread->parts;
	spread->squares += before * (count - spread->mean);
}

/* Computes the deviation that perf stat prints after "+-". */
static double deviation(const struct spread *spread)
{
	if (spread->parts < 2)
		return NAN;
	if (spread->squares == 0)
		return 0;
	return sqrt(spread->squares / (spread->parts - 1) / spread->parts) / spread->mean * 100;
}

/* Sums up what was counted of an event. */
static struct plumb_count total(const struct result *r, uint16_t event)
{
	const struct plumb_plan *plan = r->given.plan;
	struct plumb_count total = {event_count(plan, r->sums, event), 0, 0};

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t k = 0; k < plan->groups[g].count; k++) {
			if (plan->groups[g].events[k] != event)
				continue;
			total.enabled_ns += r->sums[plan->groups[g].first + k].enabled_ns;
			total.running_ns += r->sums[plan->groups[g].first + k].running_ns;
		}
	}
	return total;
}

/* Updates an event; `count` is that of the newest part. */
static void update_event(struct result *r, uint16_t i, double count, bool runs)
{
	struct plumb_event_count *event = &r->events[i];

	event->count = total(r, i);
	/* fmin() and fmax() ignore NaN. */
	event->low = fmin(event->low, count);
	event->high = fmax(event->high, count);
	if (!runs)
		return;
	event->count.count /= r->given.parts;
	add_to_spread(&r->spreads[i], count);
	event->deviation = deviation(&r->spreads[i]);
}

/* Gives an event the results of an earlier one, which it repeats. */
static void copy_event(struct plumb_event_count *event, const struct plumb_event_count *earlier)
{
	const struct plumb_event_config *config = event->event;

	*event = *earlier;
	event->event = config;
}

void plumb_result_add(struct plumb_result *result, const struct plumb_count *counts, bool runs)
{
	struct result *r = (struct result *)(void *)result;
	const struct plumb_plan *plan = result->plan;

	for (size_t i = 0; i < plan->place_count; i++)
		add_count(&r->sums[i], &counts[i]);
	result->parts++;
	r->runs = runs;
	for (size_t i = 0; i < plan->selection->metric_count; i++) {
		const struct plan_metric *metric = &r->plan->metrics[i];
		double part = result_evaluate(r, metric, counts);

		r->values[i].value = result_evaluate(r, metric, r->sums);
		r->values[i].low = fmin(r->values[i].low, part);
		r->values[i].high = fmax(r->values[i].high, part);
	}
	for (uint16_t i = 0; i < plan->event_count; i++) {
		uint16_t counted = r->plan->counted_as[i];

		if (counted == i)
			update_event(r, i, event_count(plan, counts, i), runs);
		else
			copy_event(&r->events[i], &r->events[counted]);
	}
}

void plumb_result_add_moving(struct plumb_result *result, uint64_t moving_cycles, uint64_t cycles)
{
	struct result *r = (struct result *)(void *)result;

	if (!cycles)
		return;
	r->moving_cycles += (double)moving_cycles;
	r->cycles += (double)cycles;
	result->moving = r->moving_cycles / r->cycles * 100;
}

void plumb_result_add_waits(struct plumb_result *result, uint64_t unforwarded_cycles,
			    uint64_t cycles, const uint64_t limit_cycles[PLUMB_LIMIT_SETS])
{
	struct result *r = (struct result *)(void *)result;

	if (!cycles)
		return;
	r->unforwarded_cycles += (double)unforwarded_cycles;
	r->waited_cycles += (double)cycles;
	result->unforwarded = r->unforwarded_cycles / r->waited_cycles * 100;
	for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++) {
		r->limit_cycles += (double)limit_cycles[set];
		if (set & PLUMB_LIMIT_CHAIN)
			r->chained_cycles += (double)limit_cycles[set];
	}
	if (r->limit_cycles > 0)
		result->chained = r->chained_cycles / r->limit_cycles * 100;
}

void plumb_result_add_kernel(struct plumb_result *result, uint64_t kernel_cycles, uint64_t cycles)
{
	struct result *r = (struct result *)(void *)result;

	if (!cycles)
		return;
	r->kernel_cycles += (double)kernel_cycles;
	r->all_cycles += (double)cycles;
	result->kernel = r->kernel_cycles / r->all_cycles * 100;
}

void plumb_result_add_core_waits(struct plumb_result *result, const struct plumb_core_waits *waits)
{
	struct plumb_core_waits *all = &result->waits;

	all->cycles += waits->cycles;
	all->core += waits->core;
	all->l1d += waits->l1d;
	all->beyond_l2 += waits->beyond_l2;
	all->tlb += waits->tlb;
	all->store += waits->store;
	all->flush += waits->flush;
	all->flow += waits->flow;
	all->code_l1i += waits->code_l1i;
	all->code_beyond_l2 += waits->code_beyond_l2;
	all->code_tlb += waits->code_tlb;
	all->mispredictions += waits->mispredictions;
	all->exceptions += waits->exceptions;
	all->barriers += waits->barriers;
}

/* ---- values from elsewhere, and what is known of values
 * ------------------------------------------ */

void result_give_value(struct plumb_result *result, size_t metric, double value)
{
	struct plumb_value *given = &((struct result *)(void *)result)->values[metric];

	if (isnan(given->value))
		*given = (struct plumb_value){value, value, value};
}

void result_give_deviation(struct plumb_result *result, uint16_t event, double deviation)
{
	((struct result *)(void *)result)->events[event].deviation = deviation;
}

static bool allocate(struct result *r)
{
	const struct plumb_plan *plan = r->given.plan;
	const struct plumb_selection *selection = plan->selection;

	r->sums = calloc(plan->place_count + 1, sizeof(*r->sums));
	r->values = calloc(selection->metric_count + 1, sizeof(*r->values));
	r->events = calloc(plan->event_count + 1u, sizeof(*r->events));
	r->spreads = calloc(plan->event_count + 1u, sizeof(*r->spreads));
	r->counts = calloc(selection->spec->event_count + 1u, sizeof(*r->counts));
	return r->sums && r->values && r->events && r->spreads && r->counts;
}

int plumb_result_new(const struct plumb_plan *plan, struct plumb_result **result)
{
	struct result *r = calloc(1, sizeof(*r));

	*result = NULL;
	if (!r)
		return PLUMB_ERR_NO_MEMORY;
	r->plan = plan_of(plan);
	r->given.plan = plan;
	if (!allocate(r)) {
		plumb_result_free(&r->given);
		return PLUMB_ERR_NO_MEMORY;
	}
	for (size_t i = 0; i < plan->place_count; i++)
		r->sums[i].count = NAN;
	for (size_t i = 0; i < plan->selection->metric_count; i++)
		r->values[i] = (struct plumb_value){NAN, NAN, NAN};
	for (uint16_t i = 0; i < plan->event_count; i++)
		r->events[i] =
			(struct plumb_event_count){plan->events[i], {NAN, 0, 0}, NAN, NAN, NAN};
	for (uint16_t i = 0; i < plan->selection->spec->event_count; i++)
		r->counts[i] = NAN;
	r->given.values = r->values;
	r->given.events = r->events;
	r->given.moving = r->given.unforwarded = r->given.chained = r->given.kernel = NAN;
	*result = &r->given;
	return PLUMB_OK;
}

void plumb_result_free(struct plumb_result *result)
{
	struct result *r = (struct result *)(void *)result;

	if (!r)
		return;
	free(r->sums);
	free(r->values);
	free(r->events);
	free(r->spreads);
	free(r->counts);
	free(r->value_intervals);
	free(r->event_intervals);
	free(r->slices.at);
	free(r);
}
