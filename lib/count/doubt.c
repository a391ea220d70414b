/* SPDX-License-Identifier: Apache-2.0 */
/* Says how far the values of metrics can be relied on. */
#include <math.h>

#include "count/inside.h"
#include "count/result.h"

#define ALIKE 0.99 /* times that differ less are the same */

/* Tells whether a place of the plan is one that an operand takes its count from. */
static bool takes(const struct plumb_plan *plan, const struct plan_metric *metric,
		  const struct plan_operand *operand, uint16_t group, uint16_t i)
{
	const struct plumb_plan_group *g = &plan->groups[group];

	if (operand->of_events == PLUMB_NONE)
		return false;
	return metric->home == PLUMB_NONE ? g->events[i] == operand->of_events
					  : g->first + i == operand->place;
}

/* Adds a number to all counts that an operand takes. */
static void shift(struct result *r, const struct plan_metric *metric,
		  const struct plan_operand *operand, double by)
{
	const struct plumb_plan *plan = r->given.plan;

	for (uint16_t g = 0; g < plan->group_count; g++)
		for (uint16_t i = 0; i < plan->groups[g].count; i++)
			if (takes(plan, metric, operand, g, i))
				r->sums[plan->groups[g].first + i].count += by;
}

/* Returns the larger change of a metric if an operand's count is one more or less in each part. */
static double change(struct result *r, const struct plan_metric *metric,
		     const struct plan_operand *operand)
{
	const double value = result_evaluate(r, metric, r->sums), by = r->given.parts;
	double more, less;

	shift(r, metric, operand, by);
	more = fabs(result_evaluate(r, metric, r->sums) - value);
	shift(r, metric, operand, -2 * by);
	less = fabs(result_evaluate(r, metric, r->sums) - value);
	shift(r, metric, operand, by);
	return fmax(more, less);
}

void result_doubt(const struct plumb_result *result, size_t metric, struct result_doubt *doubt)
{
	/* The counts are changed and changed back. */
	struct result *r = (struct result *)(uintptr_t)result;
	const struct plumb_plan *plan = result->plan;
	const struct plan_metric *m = &r->plan->metrics[metric];
	double shortest = INFINITY, longest = 0;
	uint16_t last = PLUMB_NONE;

	*doubt = (struct result_doubt){.counted = 1};
	for (uint16_t k = 0; k < m->operand_count; k++) {
		const struct plan_operand *operand = &m->operands[k];
		double enabled = 0;

		doubt->rounding += change(r, m, operand);
		for (uint16_t g = 0; g < plan->group_count; g++) {
			for (uint16_t i = 0; i < plan->groups[g].count; i++) {
				const struct plumb_count *sum = &r->sums[plan->groups[g].first + i];

				if (!takes(plan, m, operand, g, i) || !sum->enabled_ns)
					continue;
				enabled = fmax(enabled, (double)sum->enabled_ns);
				doubt->counted =
					fmin(doubt->counted,
					     (double)sum->running_ns / (double)sum->enabled_ns);
				doubt->apart |= last != PLUMB_NONE && last != g;
				last = g;
			}
		}
		if (enabled > 0) {
			shortest = fmin(shortest, enabled);
			longest = fmax(longest, enabled);
		}
	}
	doubt->times = longest > 0 && shortest < ALIKE * longest;
}
