/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/findings_ruled.h"

#include <math.h>
#include <string.h>

#include "base/index_set.h"
#include "profile/walk.h"

#define ROUNDING 1e-6 /* percent of the slots */

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

/* Returns what the children of a root divide among them, in percent of the slots; 0: no children.
 */
static double divided(const struct walk *w, uint16_t root)
{
	double most = 0;

	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		const double stalled =
			walk_is_child(m, root) ? walk_stalled_cycles(w, m->metric) : 0;

		if (stalled > most)
			most = stalled;
	}
	return most;
}

/* Adds what a root loses beyond what its losses can have. */
static bool leave(const struct walk *w, const struct plumb_diagnosis *diagnosis, size_t root,
		  struct plumb_undivided *left)
{
	const uint16_t metric = w->selection->metrics[root].metric;
	const double most = divided(w, metric);
	unsigned below = 0;

	*left = (struct plumb_undivided){.node = w->spec->metrics[metric].name,
					 .slots = diagnosis->slots[root] - most};
	for (unsigned i = 0; i < diagnosis->loss_count; i++) {
		if (diagnosis->losses[i].root != metric)
			continue;
		/* The tree does not apply, or a cause has all of it. */
		if (diagnosis->losses[i].slots > most + ROUNDING)
			return false;
		left->finding = below++ ? 0 : i + 1;
	}
	return most > 0;
}

unsigned undivided(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
		   double least, struct plumb_undivided at[PLUMB_UNDIVIDED_MAX])
{
	const struct plumb_selection *selection = counted->plan->selection;
	const struct walk w = {.spec = selection->spec,
			       .methodology = selection->methodology,
			       .selection = selection,
			       .counted = counted,
			       .values = counted->values};
	struct index_set seen = {0};
	unsigned count = 0;

	if (diagnosis->verdict == PLUMB_VERDICT_UNKNOWN)
		return 0;
	for (size_t i = 0; i < selection->metric_count && count < PLUMB_UNDIVIDED_MAX; i++) {
		const uint16_t metric = selection->metrics[i].metric;

		if (!walk_is_child(&selection->metrics[i], PLUMB_NONE) ||
		    walk_is_work(&w, metric) || !walk_counts_slots(&w, metric) ||
		    !index_set_add(&seen, metric))
			continue;
		if (leave(&w, diagnosis, i, &at[count]) && at[count].slots >= least)
			count++;
	}
	return count;
}
