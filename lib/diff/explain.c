/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what explains a change: the function, its line and the cause with most of it. */
#include <math.h>
#include <string.h>

#include "diff/diff.h"

/* Function and line must have this share of the change to be named. */
#define EXPLAINS 0.3
/* A function with more than so many times the change of all is named with what cancels it. */
#define EXCEEDS 1.5
/* A child in the decision tree is the cause if it has this share of its parent's change. */
#define LEADS 0.5

static bool same_direction(double a, double b)
{
	return (a > 0) == (b > 0) && a != 0 && b != 0;
}

/* ---- The whole --------------------------------------------------------------------------------
 */

/* Cycles, or what is most like them; those of the counts first. */
static const struct diff_change *find_whole(const struct diff *diff)
{
	static const char *const names[] = {"CPU_CYCLES", "cycles",      "cycles:u",    "cycles:k",
					    "slots",      "spe_latency", "INST_RETIRED"};
	const struct diff_quantity *main = diff_side_main(diff->after);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct diff_change *found = diff_find(diff, DIFF_EVENTS, names[i], "");

		if (found)
			return found;
	}
	return main ? diff_find(diff, DIFF_EVENTS, main->name, "") : NULL;
}

/* ---- The function and its line ----------------------------------------------------------------
 */

/* Returns the main change of a view with the largest share in the direction of `whole`. */
static const struct diff_change *largest(const struct diff *diff, enum diff_view view,
					 const char *in, double whole)
{
	const struct diff_change *found = NULL;

	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		if (change->key.view == view && change->main && change->real &&
		    (!in || strcmp(change->key.in, in) == 0) &&
		    same_direction(change->change, whole) &&
		    (!found || fabs(change->share) > fabs(found->share)))
			found = change;
	}
	return found;
}

/* ---- The cause --------------------------------------------------------------------------------
 */

/* Returns what became of most of the slots that a function has more, or less, by an exact profile.
 */
static const char *exact_cause(struct diff *diff, const struct diff_change *function)
{
	const struct diff_change *found = NULL;

	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		if (change->key.view == DIFF_FUNCTIONS &&
		    (strncmp(change->key.of, "slots_", 6) == 0 ||
		     strcmp(change->key.of, "OP_RETIRED") == 0) &&
		    strcmp(change->key.name, function->key.name) == 0 &&
		    same_direction(change->change, function->change) &&
		    (!found || fabs(change->change) > fabs(found->change)))
			found = change;
	}
	if (!found || fabs(found->change) < EXPLAINS * fabs(function->change))
		return NULL;
	return strcmp(found->key.of, "OP_RETIRED") == 0 ? "retiring"
							: found->key.of + strlen("slots_");
}

/* Returns which rate of the function's SPE records changed. */
static const char *sampled_cause(const struct diff *diff, const struct diff_change *function)
{
	static const struct {
		const char *of, *text;
	} rates[] = {
		{"spe_l1d_miss_rate", "L1D misses"},
		{"spe_mispredict_rate", "mispredictions"},
		{"spe_mean_latency", "latency"},
	};

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const struct diff_change *rate =
			diff_find(diff, DIFF_FUNCTIONS, function->key.name, rates[i].of);

		if (rate && rate->real && same_direction(rate->change, function->change))
			return rates[i].text;
	}
	return NULL;
}

static double value_of(const struct diff_side *side, enum diff_view view, const char *name)
{
	const struct diff_key key = {view, name, "", ""};
	const struct diff_item *item = diff_side_find(side, &key);

	return item ? item->values[0].value : (double)NAN;
}

/*
 * Returns a metric of the decision tree as a part of all cycles. Those of the first level are parts
 * of the slots; those below are parts of their parent's, and in the end of the stalled cycles.
 */
static double weight_of(const struct diff_side *side, const char *metric, double cycles,
			unsigned depth)
{
	const struct diff_key key = {DIFF_METRICS, metric, "", ""};
	const struct diff_item *item = diff_side_find(side, &key);
	double part;

	if (!item || depth > 16)
		return NAN;
	if (!item->parent && depth)
		return cycles * (strcmp(metric, "frontend_bound") == 0
					 ? value_of(side, DIFF_EVENTS, "STALL_FRONTEND")
				 : strcmp(metric, "backend_bound") == 0
					 ? value_of(side, DIFF_EVENTS, "STALL_BACKEND")
					 : (double)NAN);
	part = item->values[0].value / 100;
	if (!item->parent)
		return part * cycles;
	return weight_of(side, item->parent, depth ? part * cycles : part, depth + 1);
}

/* Returns the child of `parent` (NULL: the roots) whose weight changed most. */
static const char *leading_child(const struct diff *diff, const char *parent,
				 const double cycles[2], double *change)
{
	const char *found = NULL;
	double best = 0;

	for (size_t i = 0; i < diff->after->item_count; i++) {
		const struct diff_item *item = &diff->after->items[i];
		const bool is_root = !item->parent && strcmp(item->unit, "percent of slots") == 0;
		double grown;

		if (item->key.view != DIFF_METRICS ||
		    (parent ? !item->parent || strcmp(item->parent, parent) != 0 : !is_root))
			continue;
		grown = weight_of(diff->after, item->key.name, cycles[1], 0) -
			weight_of(diff->before, item->key.name, cycles[0], 0);
		if (same_direction(grown, *change) && fabs(grown) > fabs(best)) {
			best = grown;
			found = item->key.name;
		}
	}
	if (!found || fabs(best) < LEADS * fabs(*change))
		return NULL;
	*change = best;
	return found;
}

/* Follows the decision tree along what changed most. */
static const char *counted_cause(const struct diff *diff, const struct diff_change *whole)
{
	const double cycles[2] = {whole->before, whole->after};
	double change = whole->change;
	const char *node = NULL;

	for (unsigned depth = 0; depth < 16; depth++) {
		const char *child = leading_child(diff, node, cycles, &change);

		if (!child)
			break;
		node = child;
	}
	return node;
}

/* Returns by how much all functions changed, in the direction of `function`, as its share is. */
static double total_along(const struct diff *diff, const struct diff_change *function,
			  const struct diff_change *whole)
{
	const struct diff_change *own = diff_find(diff, DIFF_EVENTS, function->key.of, "");

	return (own ? own : whole)->relative * (function->change < 0 ? -1 : 1);
}

/* Finds the function, and another one if that cancels what it has more than the total. */
static void explain_by_function(struct diff *diff)
{
	struct diff_reason *reason = &diff->reason;
	const struct diff_change *whole = reason->whole, *opposite;
	const struct diff_change *function = largest(diff, DIFF_FUNCTIONS, NULL, whole->change);
	double share, total;

	if (!function || fabs(function->share) < EXPLAINS * fabs(whole->relative))
		return;
	share = fabs(function->share);
	total = total_along(diff, function, whole);
	if (share > EXCEEDS * fmax(total, 0)) {
		opposite = largest(diff, DIFF_FUNCTIONS, NULL, -function->change);
		/* What many cancel is not explained by one. */
		if (!opposite || fabs(opposite->share) < LEADS * (share - total))
			return;
		reason->opposite = opposite;
	}
	reason->function = function;
}

void diff_explain(struct diff *diff)
{
	struct diff_reason *reason = &diff->reason;
	const struct diff_change *whole = find_whole(diff);

	reason->whole = whole;
	if (!whole)
		return;
	explain_by_function(diff);
	if (reason->opposite)
		return;
	if (reason->function) {
		reason->line = largest(diff, DIFF_LINES, reason->function->key.name, whole->change);
		if (reason->line &&
		    fabs(reason->line->change) < EXPLAINS * fabs(reason->function->change))
			reason->line = NULL;
		reason->cause = exact_cause(diff, reason->function);
		if (!reason->cause)
			reason->cause = sampled_cause(diff, reason->function);
	}
	if (!reason->cause && strcmp(whole->key.name, "CPU_CYCLES") == 0)
		reason->cause = counted_cause(diff, whole);
}
