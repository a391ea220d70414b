/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the losses that are worth looking at by themselves: struct plumb_loss gives the rules. */
#include <math.h>
#include <string.h>

#include "base/index_set.h"
#include "profile/advice.h"
#include "profile/diagnosis_waits.h"
#include "profile/walk.h"

#define EXPLAINED_SHARE 0.5 /* of a node: the part that its children must explain */

#define FLUSH_NODE "frontend_core_flush_bound"
#define FLUSH_ROOT "bad_speculation"

static const char *name_of(const struct walk *w, uint16_t metric)
{
	return w->spec->metrics[metric].name;
}

static double slots_of(const struct walk *w, uint16_t metric)
{
	for (size_t i = 0; i < w->selection->metric_count; i++)
		if (w->selection->metrics[i].metric == metric)
			return w->result->slots[i];
	return NAN;
}

/* Adds a loss, or adds to the one with the same root and cause. */
static void add(const struct walk *w, struct plumb_loss loss)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct plumb_loss *least = d->losses;

	for (unsigned i = 0; i < d->loss_count; i++) {
		struct plumb_loss *other = &d->losses[i];

		if (other->root == loss.root && other->advice && other->advice == loss.advice) {
			other->slots += loss.slots;
			other->metric = loss.root;
			return;
		}
		if (other->slots < least->slots)
			least = other;
	}
	if (d->loss_count < PLUMB_LOSSES_MAX)
		d->losses[d->loss_count++] = loss;
	else if (least->slots < loss.slots)
		*least = loss;
}

/* Returns the name of a cause: the advice's, if that says more than the node. */
static const char *cause_of(const struct walk *w, uint16_t metric,
			    const struct plumb_advice *advice)
{
	return advice ? advice->metric : name_of(w, metric);
}

static void add_end(const struct walk *w, const struct trail *trail, double slots)
{
	const uint16_t metric = trail->path[trail->length - 1].metric;
	const struct plumb_advice *advice = walk_advice(w, trail);

	add(w, (struct plumb_loss){.metric = metric,
				   .root = trail->path[0].metric,
				   .slots = slots,
				   .advice = advice,
				   .cause = cause_of(w, metric, advice),
				   .partly = trail->partly});
}

/* A core's own tree may end where the model knows more. Returns whether it does. */
static bool add_waits(const struct walk *w, const struct trail *trail, double slots)
{
	struct plumb_wait waits[PLUMB_WAITS_MAX];
	unsigned count, added = 0;

	if (!walk_ends_early(w, trail) || walk_is_partly(w, trail))
		return false;
	count = waits_find(&w->counted->waits, name_of(w, trail->path[0].metric), waits);
	for (unsigned i = 0; i < count; i++) {
		const double part = slots * waits[i].share / 100;
		const char *node = waits[i].advice->metric;
		const struct plumb_advice *specific = walk_specific(w, node), *advice = specific;

		if (part < PLUMB_WORTH)
			continue;
		added++;
		if (!advice)
			advice = advice_beyond_l2(node, w->last_level_hits);
		add(w, (struct plumb_loss){.metric = trail->path[0].metric,
					   .root = trail->path[0].metric,
					   .slots = part,
					   .advice = advice ? advice : waits[i].advice,
					   .cause = specific ? specific->metric : node});
	}
	return added > 0;
}

static void descend(const struct walk *w, struct trail *trail);

/* Descends to the children of a trail's end. Returns the slots of those that are worth it. */
static double descend_children(const struct walk *w, struct trail *trail)
{
	const uint16_t parent = trail->path[trail->length - 1].metric;
	struct index_set seen = {0};
	double explained = 0;

	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		struct trail next = *trail;

		if (!walk_is_child(m, parent) || !index_set_add(&seen, m->metric) ||
		    !(w->result->slots[i] >= PLUMB_WORTH))
			continue;
		explained += w->result->slots[i];
		next.path[next.length++] =
			(struct plumb_step){m->metric, w->values[i].value,
					    walk_share(w, parent, m->metric, w->values[i].value)};
		descend(w, &next);
	}
	return explained;
}

/* Returns a child of a node, or PLUMB_NONE. */
static uint16_t child_of(const struct walk *w, uint16_t parent)
{
	for (size_t i = 0; i < w->selection->metric_count; i++)
		if (walk_is_child(&w->selection->metrics[i], parent))
			return w->selection->metrics[i].metric;
	return PLUMB_NONE;
}

static void descend(const struct walk *w, struct trail *trail)
{
	struct plumb_diagnosis *d = &w->result->given;
	const uint16_t metric = trail->path[trail->length - 1].metric;
	const uint16_t child = child_of(w, metric);
	const double slots = slots_of(w, metric);
	struct plumb_loss before[PLUMB_LOSSES_MAX];
	const unsigned count = d->loss_count;

	trail->childless = child == PLUMB_NONE;
	if (trail->length == 1)
		trail->partly = walk_is_partly_lost(w, trail, child);
	if (trail->partly || trail->childless || trail->length == PLUMB_PATH_MAX) {
		if (trail->partly || !add_waits(w, trail, slots))
			add_end(w, trail, slots);
		return;
	}
	memcpy(before, d->losses, sizeof(before));
	if (descend_children(w, trail) >= EXPLAINED_SHARE * slots)
		return;
	memcpy(d->losses, before, sizeof(before));
	d->loss_count = count;
	add_end(w, trail, slots);
}

/* Returns the cause of all that a root loses, or NULL: the tree tells. */
static const struct plumb_advice *whole_cause(const struct walk *w, const struct trail *trail)
{
	const struct plumb_diagnosis *d = &w->result->given;

	if (d->sharing && d->path[0].metric == trail->path[0].metric)
		return plumb_advice(PLUMB_STEP_SHARING);
	return walk_is_kernel(w, trail) ? plumb_advice("kernel") : NULL;
}

/* What a flush costs the frontend is a part of bad speculation. */
static void join_flushes(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct plumb_loss *flush = NULL, *root = NULL;

	for (unsigned i = 0; i < d->loss_count; i++) {
		const char *name = name_of(w, d->losses[i].metric);

		if (strcmp(name, FLUSH_NODE) == 0)
			flush = &d->losses[i];
		else if (strcmp(name, FLUSH_ROOT) == 0)
			root = &d->losses[i];
	}
	if (!flush || !root)
		return;
	root->slots += flush->slots;
	*flush = d->losses[--d->loss_count];
}

/* An insertion sort, which keeps the tree's order of equals. */
static void sort(struct plumb_diagnosis *d)
{
	for (unsigned i = 1; i < d->loss_count; i++) {
		const struct plumb_loss loss = d->losses[i];
		unsigned at = i;

		for (; at && d->losses[at - 1].slots < loss.slots; at--)
			d->losses[at] = d->losses[at - 1];
		d->losses[at] = loss;
	}
}

void walk_losses(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct index_set seen;

	if (d->verdict == PLUMB_VERDICT_UNKNOWN)
		return;
	seen = (struct index_set){0};
	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		const double value = w->values[i].value;
		struct trail trail = {.path = {{m->metric, value, value}}, .length = 1};
		const struct plumb_advice *whole;

		if (!walk_is_child(m, PLUMB_NONE) || walk_is_work(w, m->metric) ||
		    !index_set_add(&seen, m->metric) || !(value >= PLUMB_WORTH))
			continue;
		whole = whole_cause(w, &trail);
		if (whole)
			add(w, (struct plumb_loss){m->metric, m->metric, value, whole,
						   whole->metric, false});
		else
			descend(w, &trail);
	}
	join_flushes(w);
	sort(d);
	/* Where most slots do work, small losses are what any program has. */
	while (d->verdict == PLUMB_VERDICT_WORK && d->loss_count &&
	       d->losses[d->loss_count - 1].slots < PLUMB_RUNNER_UP)
		d->loss_count--;
}
