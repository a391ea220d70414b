/* SPDX-License-Identifier: Apache-2.0 */
/* What to look at next: groups to count, events to sample, and the other losses. */
#include <math.h>
#include <string.h>

#include "base/index_set.h"
#include "profile/advice.h"
#include "profile/walk.h"

/* Leave out stage 1, whose groups are the tree itself. */
static void add_group(const struct walk *w, uint16_t group)
{
	struct diagnosis *r = w->result;

	if (plumb_methodology_stage(w->methodology, group) == 1 ||
	    r->given.next_group_count == GROUPS_MAX)
		return;
	for (size_t i = 0; i < r->given.next_group_count; i++)
		if (r->groups[i] == group)
			return;
	r->groups[r->given.next_group_count++] = group;
}

static void add_groups_of_node(const struct walk *w, uint16_t metric)
{
	uint16_t node = plumb_methodology_node(w->methodology, metric);

	if (node == PLUMB_NONE)
		return;
	for (uint16_t i = 0; i < w->methodology->nodes[node].next_item_count; i++) {
		const struct plumb_next_item *item = &w->methodology->nodes[node].next_items[i];

		if (item->kind == PLUMB_ITEM_METRIC_GROUP)
			add_group(w, item->index);
	}
}

/* Adds the groups of the notable children, and of their notable children, each child once. */
static void add_groups_below(const struct walk *w, uint16_t parent, struct index_set *done,
			     unsigned depth)
{
	if (depth == PLUMB_PATH_MAX)
		return;
	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		double share;

		if (!walk_is_child(m, parent) || !index_set_add(done, m->metric))
			continue;
		share = walk_share(w, parent, m->metric, w->values[i].value);
		if (!(share >= PLUMB_NOTABLE_SHARE))
			continue;
		add_groups_of_node(w, m->metric);
		add_groups_below(w, m->metric, done, depth + 1);
	}
}

/* Adds the groups that the advice names, separated by ',', if this CPU has them. */
static void add_advised_groups(const struct walk *w, const struct plumb_advice *advice)
{
	const char *at = advice ? advice->groups : "";

	while (*at) {
		size_t length = strcspn(at, ",");
		char name[64];
		uint16_t group;

		if (length < sizeof(name)) {
			memcpy(name, at, length);
			name[length] = '\0';
			group = plumb_spec_metric_group(w->spec, name);
			if (group != PLUMB_NONE)
				add_group(w, group);
		}
		at += length + (at[length] == ',');
	}
}

static void add_sample(const struct walk *w, uint16_t event)
{
	struct diagnosis *r = w->result;

	if (r->given.sample_event_count == SAMPLES_MAX)
		return;
	for (size_t i = 0; i < r->given.sample_event_count; i++)
		if (r->samples[i] == event)
			return;
	r->samples[r->given.sample_event_count++] = event;
}

static void add_samples(const struct walk *w, struct plumb_indexes events)
{
	for (uint16_t i = 0; i < events.count; i++)
		add_sample(w, events.at[i]);
}

/*
 * Adds the events to sample: the node's own, which show where the time goes, and those of the
 * misses that the next groups count, which show why.
 */
static void find_samples(const struct walk *w, uint16_t metric)
{
	uint16_t node = plumb_methodology_node(w->methodology, metric);
	struct plumb_indexes events = w->spec->metrics[metric].sample_events;

	if (node != PLUMB_NONE && w->methodology->nodes[node].sample_events.count)
		events = w->methodology->nodes[node].sample_events;
	add_samples(w, events);
	for (size_t g = 0; g < w->result->given.next_group_count; g++) {
		const struct plumb_metric_group *group =
			&w->spec->metric_groups[w->result->groups[g]];

		for (uint16_t i = 0; i < group->metrics.count; i++) {
			const struct plumb_metric *m = &w->spec->metrics[group->metrics.at[i]];

			if (strcmp(m->units, "MPKI") == 0)
				add_samples(w, m->sample_events);
		}
	}
}

/* Adds the groups to look at for the end of a walk. */
static void add_groups_of_trail(const struct walk *w, const struct trail *trail)
{
	size_t before = w->result->given.next_group_count;
	uint16_t leaf = trail->path[trail->length - 1].metric;
	struct index_set done = {0};

	if (trail->partly) {
		add_advised_groups(w, advice_partly(w->spec->metrics[leaf].name));
	} else {
		add_groups_of_node(w, leaf);
		add_groups_below(w, leaf, &done, 0);
	}
	if (w->result->given.next_group_count == before)
		add_advised_groups(w, plumb_advice(w->spec->metrics[leaf].name));
}

/* Finds the losses that are not on the path, the largest first. */
static void find_runners_up(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct index_set done = {0};

	if (d->verdict == PLUMB_VERDICT_UNKNOWN)
		return;
	if (d->path_length)
		index_set_add(&done, d->path[0].metric);
	while (d->runner_up_count < PLUMB_RUNNERS_UP_MAX) {
		struct plumb_step best = {PLUMB_NONE, NAN, NAN};
		struct trail trail;

		for (size_t i = 0; i < w->selection->metric_count; i++) {
			const struct plumb_selected_metric *m = &w->selection->metrics[i];
			double value = w->values[i].value;

			if (walk_is_child(m, PLUMB_NONE) && !walk_is_work(w, m->metric) &&
			    !index_set_has(&done, m->metric) && value >= PLUMB_RUNNER_UP &&
			    !(value <= best.value))
				best = (struct plumb_step){m->metric, value, value};
		}
		if (best.metric == PLUMB_NONE)
			return;
		index_set_add(&done, best.metric);
		walk_down(w, best, &trail);
		d->runners_up[d->runner_up_count++] = (struct plumb_runner_up){
			best, trail.path[trail.length - 1], walk_advice(w, &trail)};
		add_groups_of_trail(w, &trail);
	}
}

void walk_find_next(const struct walk *w, const struct trail *trail)
{
	const struct plumb_diagnosis *d = &w->result->given;

	if (d->path_length) {
		add_groups_of_trail(w, trail);
		find_samples(w, d->path[d->path_length - 1].metric);
	} else if (d->verdict != PLUMB_VERDICT_UNKNOWN) {
		add_advised_groups(w, plumb_advice("retiring"));
	}
	/* Do this last, so that what the path leads to comes first. */
	find_runners_up(w);
}
