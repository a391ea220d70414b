/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/contradictions.h"

#include <math.h>
#include <string.h>

#include "base/index_set.h"
#include "count/inside.h"

#define GIVEN_ROUNDING 0.01 /* other tools print two digits */
#define OFTEN          0.99 /* of the time: what was counted less took turns */

static bool is_share(const struct plumb_spec *spec, uint16_t metric)
{
	return strncmp(spec->metrics[metric].units, "percent of", strlen("percent of")) == 0;
}

static enum contradiction_cause cause_of(const struct result_doubt *doubt)
{
	if (doubt->times)
		return CONTRADICTION_TIMES;
	if (doubt->counted < OFTEN)
		return CONTRADICTION_TURNS;
	return doubt->apart ? CONTRADICTION_APART : CONTRADICTION_TOGETHER;
}

/* Returns the doubt about a metric; what another tool computed is rounded, too. */
static struct result_doubt doubt_of(const struct plumb_result *result, size_t i)
{
	struct result_doubt doubt;

	result_doubt(result, i, &doubt);
	if (!(doubt.rounding >= 0))
		doubt.rounding = 0;
	doubt.rounding += GIVEN_ROUNDING;
	return doubt;
}

/* The roots of the tree, together. */
struct roots {
	unsigned count;
	double sum;
	bool slots, work; /* they are shares of slots; one of them is useful work */
	struct result_doubt doubt;
};

static void add_root(struct roots *roots, const struct plumb_result *result, size_t i)
{
	const struct plumb_selection *selection = result->plan->selection;
	const struct plumb_metric *metric = &selection->spec->metrics[selection->metrics[i].metric];
	const struct result_doubt doubt = doubt_of(result, i);
	const size_t length = strlen(metric->name), suffix = strlen("retiring");

	roots->slots = (!roots->count || roots->slots) && strstr(metric->units, "slots");
	roots->work |= length >= suffix && strcmp(metric->name + length - suffix, "retiring") == 0;
	roots->count++;
	roots->sum += result->values[i].value;
	roots->doubt.rounding += doubt.rounding;
	roots->doubt.counted = fmin(roots->doubt.counted, doubt.counted);
	roots->doubt.apart |= doubt.apart;
	roots->doubt.times |= doubt.times;
}

/* Adds the sum of the roots if it cannot be. Without a root for work, they may be less than all. */
static size_t check_sum(const struct plumb_result *result, struct contradiction *found)
{
	const struct plumb_selection *selection = result->plan->selection;
	struct roots roots = {.doubt = {.counted = 1}};
	struct index_set seen = {0};
	double low = 100 - CONTRADICTION_SUM, high = 100 + CONTRADICTION_SUM;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		if (m->level == 1 && is_share(selection->spec, m->metric) &&
		    !isnan(result->values[i].value) && index_set_add(&seen, m->metric))
			add_root(&roots, result, i);
	}
	if (!selection->methodology || roots.count < selection->methodology->roots.count)
		return 0;
	if (!roots.slots || !roots.work)
		low = 0;
	if (roots.sum + roots.doubt.rounding >= low && roots.sum - roots.doubt.rounding <= high)
		return 0;
	*found = (struct contradiction){PLUMB_NONE, roots.sum, low, high, cause_of(&roots.doubt)};
	return 1;
}

size_t contradictions_find(const struct plumb_result *result,
			   struct contradiction found[CONTRADICTIONS_MAX])
{
	const struct plumb_selection *selection = result->plan->selection;
	size_t count = check_sum(result, found);
	struct index_set seen = {0};

	for (size_t i = 0; i < selection->metric_count && count < CONTRADICTIONS_MAX; i++) {
		const uint16_t metric = selection->metrics[i].metric;
		const double value = result->values[i].value;
		struct result_doubt doubt;

		if (isnan(value) || !is_share(selection->spec, metric) ||
		    (value >= 0 && value <= 100) || !index_set_add(&seen, metric))
			continue;
		doubt = doubt_of(result, i);
		if (value + doubt.rounding < 0 || value - doubt.rounding > 100)
			found[count++] =
				(struct contradiction){metric, value, 0, 100, cause_of(&doubt)};
	}
	return count;
}
