/* SPDX-License-Identifier: Apache-2.0 */
/* Walks down the decision tree: shares, the way from a root to its end, and useful work. */
#include "profile/walk.h"

#include <math.h>
#include <string.h>

#include "base/index_set.h"

/* ---- Shares ---------------------------------------------------------------------------------- */

/* A formula "NUMERATOR / DENOMINATOR * 100", both without blanks around them. */
struct ratio {
	const char *numerator, *denominator;
	size_t numerator_length, denominator_length;
};

static bool as_ratio(const char *formula, struct ratio *ratio)
{
	static const char percent[] = " * 100", by[] = " / ";
	size_t length = strlen(formula), end;
	int depth = 0;

	if (length < sizeof(percent) - 1)
		return false;
	end = length - (sizeof(percent) - 1);
	if (strcmp(formula + end, percent) != 0)
		return false;
	/* Finds the last division outside parentheses, unless another operator binds as loosely. */
	for (size_t i = end; i-- > 0;) {
		depth += formula[i] == ')';
		depth -= formula[i] == '(';
		if (depth == 0 && strchr("*+-", formula[i]))
			return false;
		if (depth != 0 || i < 1 || strncmp(&formula[i - 1], by, sizeof(by) - 1) != 0)
			continue;
		*ratio = (struct ratio){formula, &formula[i + 2], i - 1, end - i - 2};
		return true;
	}
	return false;
}

static bool same_denominator(const struct plumb_metric *a, const struct plumb_metric *b)
{
	struct ratio x, y;

	return as_ratio(a->formula, &x) && as_ratio(b->formula, &y) &&
	       x.denominator_length == y.denominator_length &&
	       memcmp(x.denominator, y.denominator, x.denominator_length) == 0;
}

static double value_of(const struct walk *w, uint16_t metric)
{
	for (size_t i = 0; i < w->selection->metric_count; i++)
		if (w->selection->metrics[i].metric == metric)
			return w->values[i].value;
	return NAN;
}

double walk_share(const struct walk *w, uint16_t parent, uint16_t metric, double value)
{
	double whole;

	if (parent == PLUMB_NONE ||
	    !same_denominator(&w->spec->metrics[parent], &w->spec->metrics[metric]))
		return value;
	whole = value_of(w, parent);
	return whole > 0 ? value / whole * 100 : (double)NAN;
}

double walk_count(const struct walk *w, uint16_t code)
{
	uint16_t event = plumb_plan_event(w->counted->plan, code);

	return event == PLUMB_NONE ? (double)NAN : w->counted->events[event].count.count;
}

double walk_stalled_cycles(const struct walk *w, uint16_t child)
{
	struct ratio ratio;
	char name[64];
	uint16_t event;
	double cycles = walk_count(w, PLUMB_CODE_CYCLES);

	if (!as_ratio(w->spec->metrics[child].formula, &ratio) ||
	    ratio.denominator_length >= sizeof(name))
		return NAN;
	memcpy(name, ratio.denominator, ratio.denominator_length);
	name[ratio.denominator_length] = '\0';
	event = plumb_spec_event(w->spec, name);
	if (event == PLUMB_NONE || !(cycles > 0))
		return NAN;
	return walk_count(w, w->spec->events[event].code) / cycles * 100;
}

/* ---- The walk -------------------------------------------------------------------------------- */

bool walk_is_work(const struct walk *w, uint16_t metric)
{
	const char *name = w->spec->metrics[metric].name;
	size_t length = strlen(name), suffix = strlen("retiring");

	return length >= suffix && strcmp(name + length - suffix, "retiring") == 0;
}

bool walk_is_child(const struct plumb_selected_metric *metric, uint16_t parent)
{
	return parent == PLUMB_NONE ? metric->level == 1
				    : metric->level > 1 && metric->parent == parent;
}

/*
 * Finds the two largest children of `parent` (PLUMB_NONE: the roots that are losses). Skips
 * children without a value. Returns how many children there are.
 */
static unsigned greatest(const struct walk *w, uint16_t parent, struct plumb_step best[2])
{
	struct index_set seen = {0};
	unsigned count = 0;

	best[0] = best[1] = (struct plumb_step){PLUMB_NONE, NAN, NAN};
	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		struct plumb_step step = {m->metric, w->values[i].value, NAN};

		if (!walk_is_child(m, parent) || !index_set_add(&seen, m->metric) ||
		    (parent == PLUMB_NONE && walk_is_work(w, m->metric)))
			continue;
		count++;
		step.share = walk_share(w, parent, m->metric, step.value);
		if (isnan(step.share))
			continue;
		if (best[0].metric == PLUMB_NONE || step.share > best[0].share) {
			best[1] = best[0];
			best[0] = step;
		} else if (best[1].metric == PLUMB_NONE || step.share > best[1].share) {
			best[1] = step;
		}
	}
	return count;
}

/*
 * Finds the root for work and its value; without one, the value is what the losses leave. NaN if a
 * root has no value, because that could be the largest loss.
 */
static struct plumb_step find_work(const struct walk *w)
{
	struct plumb_step work = {PLUMB_NONE, NAN, NAN};
	struct index_set seen = {0};
	double left = 100;
	uint16_t roots = 0;

	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];

		if (!walk_is_child(m, PLUMB_NONE) || !index_set_add(&seen, m->metric) ||
		    isnan(w->values[i].value))
			continue;
		roots++;
		if (walk_is_work(w, m->metric))
			work.metric = m->metric;
		if (walk_is_work(w, m->metric))
			work.value = work.share = w->values[i].value;
		else
			left -= w->values[i].value;
	}
	if (!w->methodology || roots < w->methodology->roots.count)
		return (struct plumb_step){PLUMB_NONE, NAN, NAN};
	if (work.metric == PLUMB_NONE)
		work.value = work.share = left;
	return work;
}

bool walk_counts_slots(const struct walk *w, uint16_t root)
{
	return strstr(w->spec->metrics[root].units, "slots");
}

bool walk_is_partly_lost(const struct walk *w, struct trail *trail, uint16_t child)
{
	const struct plumb_step *root = &trail->path[0];

	if (child == PLUMB_NONE || !walk_counts_slots(w, root->metric))
		return false;
	trail->stalled = walk_stalled_cycles(w, child);
	return trail->stalled < PLUMB_STALLED_SHARE * root->value;
}

void walk_down(const struct walk *w, struct plumb_step root, struct trail *trail)
{
	*trail = (struct trail){.path = {root}, .length = 1, .stalled = NAN};
	trail->next = (struct plumb_step){PLUMB_NONE, NAN, NAN};
	for (;;) {
		struct plumb_step *best = trail->below;

		trail->childless = greatest(w, trail->path[trail->length - 1].metric, best) == 0;
		if (trail->length == 1)
			trail->partly = walk_is_partly_lost(w, trail, best[0].metric);
		if (trail->partly || trail->length == PLUMB_PATH_MAX ||
		    best[0].metric == PLUMB_NONE || best[0].share < PLUMB_DOMINANT_SHARE ||
		    (best[1].metric != PLUMB_NONE &&
		     best[0].share - best[1].share < PLUMB_DOMINANT_LEAD))
			return;
		trail->path[trail->length++] = best[0];
		trail->next = best[1];
	}
}

/* Makes this walk the path; `rival` is the runner-up to its root. */
static void follow(struct plumb_diagnosis *d, const struct trail *trail, struct plumb_step rival)
{
	memcpy(d->path, trail->path, sizeof(d->path));
	d->path_length = trail->length;
	d->rival = trail->length > 1 ? trail->next : rival;
	memcpy(d->below, trail->below, sizeof(d->below));
	d->childless = trail->childless;
	d->partly = trail->partly;
	d->stalled = trail->stalled;
}

void walk_tree(const struct walk *w, struct trail *trail)
{
	static const struct plumb_step none = {PLUMB_NONE, NAN, NAN};
	struct plumb_diagnosis *d = &w->result->given;
	struct plumb_step work = none, losses[2] = {none, none};

	/* Events alone, as of each interval, are not worth the time. */
	if (w->selection->metric_count) {
		work = find_work(w);
		greatest(w, PLUMB_NONE, losses);
	}
	d->work = work.value;
	d->loss = losses[0];
	d->rival = d->below[0] = d->below[1] = none;
	d->childless = true;
	d->stalled = NAN;
	if (isnan(work.value) || losses[0].metric == PLUMB_NONE)
		return;
	if (losses[0].share >= PLUMB_LOSS_SHARE * work.value) {
		d->verdict = PLUMB_VERDICT_LOSS;
		walk_down(w, losses[0], trail);
		follow(d, trail, losses[1]);
		return;
	}
	d->verdict = work.value >= PLUMB_WORK_GOOD ? PLUMB_VERDICT_WORK : PLUMB_VERDICT_SPREAD;
	d->rival = losses[0];
	if (work.metric != PLUMB_NONE) {
		walk_down(w, work, trail);
		follow(d, trail, losses[0]);
	}
}

const char *walk_root(const struct walk *w, const struct trail *trail)
{
	return w->spec->metrics[trail->path[0].metric].name;
}
