/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the metrics and events that a request selects, in the order of display. */
#include <plumb/count.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/index_set.h"
#include "base/sized.h"

struct selection {
	struct plumb_selection given; /* must be first: callers hold a pointer to it */
	struct arena arena;
	struct plumb_selected_metric *metrics;
	size_t room;
	uint32_t *pairs; /* hash table of metric and group; its size is a power of two */
	size_t pair_room;
	unsigned deepest; /* deepest level selected */

	/* The tree: level and parent of each node, and the node of each metric. */
	uint16_t *levels, *parents; /* 0 and PLUMB_NONE if no root leads to the node */
	uint16_t *node_of;
	bool failed; /* out of memory */
};

#define NO_PAIR UINT32_MAX

static uint32_t *pair_place(uint32_t *pairs, size_t room, uint32_t pair)
{
	size_t i = (size_t)pair * 2654435769u & (room - 1);

	while (pairs[i] != NO_PAIR && pairs[i] != pair)
		i = (i + 1) & (room - 1);
	return &pairs[i];
}

/* Makes room for one more entry; both tables grow together. */
static bool grow(struct selection *s)
{
	size_t room = s->room ? 2 * s->room : 64;
	struct plumb_selected_metric *metrics;
	uint32_t *pairs;

	if (s->given.metric_count < s->room)
		return true;
	metrics = reallocarray(s->metrics, room, sizeof(*metrics));
	if (!metrics)
		return false;
	s->metrics = metrics;
	pairs = reallocarray(NULL, 2 * room, sizeof(*pairs));
	if (!pairs)
		return false;
	memset(pairs, 0xff, 2 * room * sizeof(*pairs));
	for (size_t i = 0; i < s->pair_room; i++)
		if (s->pairs[i] != NO_PAIR)
			*pair_place(pairs, 2 * room, s->pairs[i]) = s->pairs[i];
	free(s->pairs);
	s->pairs = pairs;
	s->pair_room = 2 * room;
	s->room = room;
	return true;
}

static void add(struct selection *s, uint16_t metric, uint16_t group)
{
	const struct plumb_methodology *methodology = s->given.methodology;
	const uint32_t pair = (uint32_t)metric << 16 | group;
	struct plumb_selected_metric *selected;
	uint32_t *place;
	uint16_t node;

	if (s->failed || !grow(s)) {
		s->failed = true;
		return;
	}
	place = pair_place(s->pairs, s->pair_room, pair);
	if (*place == pair)
		return;
	*place = pair;
	selected = &s->metrics[s->given.metric_count++];
	*selected = (struct plumb_selected_metric){metric, group, PLUMB_NONE, 0, 0};
	if (!methodology)
		return;
	if (group != PLUMB_NONE)
		selected->stage = (uint16_t)plumb_methodology_stage(methodology, group);
	node = s->node_of[metric];
	if (node == PLUMB_NONE)
		return;
	selected->level = s->levels[node];
	if (s->parents[node] != PLUMB_NONE)
		selected->parent = methodology->nodes[s->parents[node]].metric;
}

/*
 * Computes the levels of all nodes at once, with the same results as plumb_methodology_level(), and
 * their parents: level by level, nodes in order. The parent of a node is the first node one level
 * above that leads to it.
 */
static bool measure_tree(struct selection *s)
{
	const struct plumb_methodology *methodology = s->given.methodology;
	const struct plumb_spec *spec = s->given.spec;
	bool more = true;

	s->levels = arena_alloc_array(&s->arena, methodology->node_count, sizeof(*s->levels));
	s->parents = arena_alloc_array(&s->arena, methodology->node_count, sizeof(*s->parents));
	s->node_of = arena_alloc_array(&s->arena, spec->metric_count, sizeof(*s->node_of));
	if (!s->levels || !s->parents || !s->node_of)
		return false;
	memset(s->parents, 0xff, methodology->node_count * sizeof(*s->parents));
	memset(s->node_of, 0xff, spec->metric_count * sizeof(*s->node_of));
	for (uint16_t n = methodology->node_count; n-- > 0;)
		s->node_of[methodology->nodes[n].metric] = n;
	for (uint16_t i = 0; i < methodology->roots.count; i++)
		s->levels[methodology->roots.at[i]] = 1;

	for (uint16_t level = 1; more && level < PLUMB_TREE_MAX_LEVELS; level++) {
		more = false;
		for (uint16_t n = 0; n < methodology->node_count; n++) {
			const struct plumb_node *node = &methodology->nodes[n];

			for (uint16_t i = 0; s->levels[n] == level && i < node->next_item_count;
			     i++) {
				uint16_t next = node->next_items[i].kind == PLUMB_ITEM_METRIC
							? s->node_of[node->next_items[i].index]
							: PLUMB_NONE;

				if (next == PLUMB_NONE || s->levels[next])
					continue;
				s->levels[next] = level + 1;
				s->parents[next] = n;
				more = true;
			}
		}
	}
	return true;
}

static void add_group(struct selection *s, uint16_t group)
{
	struct plumb_indexes metrics = s->given.spec->metric_groups[group].metrics;

	for (uint16_t i = 0; i < metrics.count; i++)
		add(s, metrics.at[i], group);
}

/*
 * Adds a node and everything below it that is reached by the shortest path from a root. So each
 * node is added once, and recursion is no deeper than PLUMB_TREE_MAX_LEVELS. Collects the groups
 * these nodes lead to in `groups`, unless it is NULL.
 */
static void add_node(struct selection *s, uint16_t index, struct index_set *done,
		     struct index_set *groups)
{
	const struct plumb_methodology *methodology = s->given.methodology;
	const struct plumb_node *node = &methodology->nodes[index];

	if (s->levels[index] > s->deepest || !index_set_add(done, index))
		return;
	add(s, node->metric, node->group);
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];
		uint16_t next;

		if (item->kind == PLUMB_ITEM_METRIC_GROUP) {
			if (groups)
				index_set_add(groups, item->index);
			continue;
		}
		next = s->node_of[item->index];
		if (next != PLUMB_NONE && s->parents[next] == index)
			add_node(s, next, done, groups);
	}
}

static void add_tree(struct selection *s)
{
	const struct plumb_methodology *methodology = s->given.methodology;
	struct index_set done = {0};

	for (uint16_t i = 0; i < methodology->roots.count; i++)
		add_node(s, methodology->roots.at[i], &done, NULL);
}

static void add_stage(struct selection *s, unsigned number)
{
	const struct plumb_methodology *methodology = s->given.methodology;

	for (uint16_t i = 0; i < methodology->stage_count; i++) {
		struct plumb_indexes groups = methodology->stages[i].groups;

		for (uint16_t g = 0; g < groups.count; g++)
			if (plumb_methodology_stage(methodology, groups.at[g]) == number)
				add_group(s, groups.at[g]);
	}
}

/* Adds the groups a branch leads to, except those of stage 1, which is the tree itself. */
static void add_branch(struct selection *s, uint16_t node)
{
	struct index_set done = {0}, groups = {0};

	add_node(s, node, &done, &groups);
	for (uint16_t g = 0; g < s->given.spec->metric_group_count; g++)
		if (index_set_has(&groups, g) &&
		    plumb_methodology_stage(s->given.methodology, g) != 1)
			add_group(s, g);
}

/* Adds a single metric, shown under the first group that has it. */
static void add_metric(struct selection *s, uint16_t metric)
{
	uint16_t group = PLUMB_NONE;

	plumb_spec_groups_of_metric(s->given.spec, metric, &group, 1);
	add(s, metric, group);
}

/* Adds the requested events, each as often as it was requested. */
static int add_events(struct selection *s, const struct plumb_event_list *list)
{
	const size_t count = list ? plumb_event_list_count(list) : 0;
	struct plumb_selected_event *events = arena_alloc_array(&s->arena, count, sizeof(*events));

	if (!events)
		return PLUMB_ERR_NO_MEMORY;
	s->given.events = events;
	for (size_t i = 0; i < count; i++) {
		const struct plumb_event_config *event = plumb_event_list_get(list, i);
		const uint16_t at = s->given.event_count;

		if (event->kind == PLUMB_EVENT_METRIC)
			continue;
		events[at].event = event;
		events[at].leader = event->leader != i ? events[at - 1].leader : at;
		s->given.event_count++;
	}
	return PLUMB_OK;
}

static bool in_range(struct plumb_indexes list, uint16_t count)
{
	for (uint16_t i = 0; i < list.count; i++)
		if (list.at[i] >= count)
			return false;
	return true;
}

/* Adds the metrics named among the events. */
static int add_named_metrics(struct selection *s, const struct plumb_event_list *list)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; list && (event = plumb_event_list_get(list, i)); i++) {
		if (event->kind != PLUMB_EVENT_METRIC)
			continue;
		if (event->config >= s->given.spec->metric_count)
			return PLUMB_ERR_ARGUMENT;
		add_metric(s, (uint16_t)event->config);
	}
	return PLUMB_OK;
}

static int check(const struct plumb_spec *spec, const struct plumb_request *request, uint16_t *node)
{
	*node = PLUMB_NONE;
	if (!in_range(request->groups, spec->metric_group_count) ||
	    !in_range(request->metrics, spec->metric_count))
		return PLUMB_ERR_ARGUMENT;
	if (!request->node_given)
		return PLUMB_OK;
	if (spec->methodology_count == 0)
		return PLUMB_ERR_ARGUMENT;
	*node = plumb_methodology_node(&spec->methodologies[0], request->node);
	return *node == PLUMB_NONE ? PLUMB_ERR_ARGUMENT : PLUMB_OK;
}

static int fill(struct selection *s, const struct plumb_request *request, uint16_t node)
{
	const unsigned stages = (unsigned)sizeof(request->stages) * 8;
	int error;

	s->deepest = request->level ? request->level : PLUMB_TREE_MAX_LEVELS;
	if (s->given.methodology) {
		bool whole = request->level && !request->stages && !request->node_given;

		if (!measure_tree(s))
			return PLUMB_ERR_NO_MEMORY;
		if (whole || request->stages & 1u << 1)
			add_tree(s);
		if (node != PLUMB_NONE)
			add_branch(s, node);
		for (unsigned n = 1; n < stages; n++)
			/* A level selects only nodes of the tree: groups contain deeper metrics. */
			if (request->stages & 1u << n && !(n == 1 && request->level))
				add_stage(s, n);
	}
	for (uint16_t i = 0; i < request->groups.count; i++)
		add_group(s, request->groups.at[i]);
	for (uint16_t i = 0; i < request->metrics.count; i++)
		add_metric(s, request->metrics.at[i]);
	error = add_named_metrics(s, request->events);
	if (s->failed)
		return PLUMB_ERR_NO_MEMORY;
	s->given.metrics = s->metrics;
	return error < 0 ? error : add_events(s, request->events);
}

static bool has_others(const struct plumb_event_list *events)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; events && (event = plumb_event_list_get(events, i)); i++)
		if (event->kind == PLUMB_EVENT_OTHER)
			return true;
	return false;
}

int plumb_selection_new(const struct plumb_spec *spec, const struct plumb_request *given,
			struct plumb_selection **selection)
{
	/* Empty specifications, for counting without a core's PMU. */
	static const struct plumb_spec software = {
		.id = "none",
		.product = {.name = "Software events"},
	};
	static const struct plumb_spec others = {.id = "none", .product = {.name = "Events"}};
	struct plumb_request request;
	struct selection *s;
	uint16_t node;
	int error;

	*selection = NULL;
	if (!sized_read(&request, sizeof(request), given))
		return PLUMB_ERR_ARGUMENT;
	if (!spec)
		spec = has_others(request.events) ? &others : &software;
	error = check(spec, &request, &node);
	if (error < 0)
		return error;
	s = calloc(1, sizeof(*s));
	if (!s)
		return PLUMB_ERR_NO_MEMORY;
	s->given.spec = spec;
	s->given.methodology = spec->methodology_count ? &spec->methodologies[0] : NULL;
	error = fill(s, &request, node);
	if (error < 0) {
		plumb_selection_free(&s->given);
		return error;
	}
	*selection = &s->given;
	return PLUMB_OK;
}

void plumb_selection_free(struct plumb_selection *selection)
{
	struct selection *s = (struct selection *)(void *)selection;

	if (!s)
		return;
	arena_free(&s->arena);
	free(s->metrics);
	free(s->pairs);
	free(s);
}
