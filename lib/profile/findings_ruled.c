/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/findings_ruled.h"

#include <math.h>
#include <string.h>

#include "base/index_set.h"
#include "profile/walk.h"

struct ruling {
	const struct plumb_selection *selection;
	const struct plumb_diagnosis *diagnosis;
	double least;
	struct index_set seen;
	struct plumb_ruled_out *at;
	unsigned count;
};

/* Returns whether a root is useful work: "retiring". */
static bool is_work(const struct plumb_metric *metric)
{
	static const char work[] = "retiring";
	const size_t length = strlen(metric->name), suffix = sizeof(work) - 1;

	return length >= suffix && strcmp(metric->name + length - suffix, work) == 0;
}

/* Adds a node behind those that are larger; unknown ones are last. */
static void add(struct ruling *r, const struct plumb_metric *metric, double slots)
{
	unsigned place = r->count;

	if (r->count == PLUMB_RULED_OUT_MAX)
		return;
	for (; place && !isnan(slots) && !(r->at[place - 1].slots >= slots); place--)
		r->at[place] = r->at[place - 1];
	r->at[place] = (struct plumb_ruled_out){.node = metric->name, .slots = slots};
	r->count++;
}

static void rule(struct ruling *r, uint16_t parent, unsigned depth)
{
	for (size_t i = 0; i < r->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &r->selection->metrics[i];
		const struct plumb_metric *metric = &r->selection->spec->metrics[m->metric];
		const double slots = r->diagnosis->slots[i];

		if (!walk_is_child(m, parent) || is_work(metric) ||
		    !index_set_add(&r->seen, m->metric))
			continue;
		if (!(slots >= r->least))
			add(r, metric, slots);
		else if (depth < PLUMB_PATH_MAX)
			rule(r, m->metric, depth + 1);
	}
}

unsigned ruled_out(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
		   double least, struct plumb_ruled_out at[PLUMB_RULED_OUT_MAX])
{
	struct ruling r = {.selection = counted->plan->selection,
			   .diagnosis = diagnosis,
			   .least = least,
			   .at = at};

	if (diagnosis->verdict != PLUMB_VERDICT_UNKNOWN)
		rule(&r, PLUMB_NONE, 1);
	return r.count;
}
