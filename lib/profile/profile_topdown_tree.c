/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees with top-down shares: the paths of all events that count slots, put together. */
#include <stdlib.h>
#include <string.h>

#include "profile/topdown.h"

struct slots_node {
	struct topdown_row slots;
	uint32_t parent; /* NO_ROW: a root */
	uint64_t function[2];
};

struct slots_tree {
	struct plumb_profile *profile;
	struct slots_node *nodes;
	size_t count, room;
	struct index_table by_path;
	uint32_t *merged; /* by index in the profile's nodes, of those of one row */
};

static uint64_t hash_node(const void *owner, uint32_t i)
{
	const struct slots_node *node = &((const struct slots_tree *)owner)->nodes[i];
	const uint64_t words[] = {node->parent, node->function[0], node->function[1]};

	return hash_words(words, 3);
}

/* Finds or makes the node at this path. There is room for it. Returns NO_ROW if out of memory. */
static uint32_t find(struct slots_tree *tree, uint32_t parent, const struct node *of)
{
	struct slots_node *made = &tree->nodes[tree->count];
	size_t at;

	if (!index_table_reserve(&tree->by_path, hash_node, tree))
		return NO_ROW;
	*made = (struct slots_node){.parent = parent,
				    .function = {of->function[0], of->function[1]}};
	at = hash_node(tree, (uint32_t)tree->count) & tree->by_path.mask;
	for (; tree->by_path.slots[at] != UINT32_MAX; at = (at + 1) & tree->by_path.mask) {
		const uint32_t found = tree->by_path.slots[at];

		if (tree->nodes[found].parent == parent &&
		    memcmp(tree->nodes[found].function, of->function, sizeof(of->function)) == 0)
			return found;
	}
	tree->by_path.slots[at] = (uint32_t)tree->count;
	tree->by_path.count++;
	return (uint32_t)tree->count++;
}

/* Makes room for `more` nodes, and for the one that is looked for. */
static bool reserve(struct slots_tree *tree, size_t more)
{
	struct slots_node *nodes;

	if (tree->room - tree->count > more)
		return true;
	nodes = reallocarray(tree->nodes, tree->count + more + 1, sizeof(*nodes));
	if (!nodes)
		return false;
	tree->nodes = nodes;
	tree->room = tree->count + more + 1;
	return true;
}

static int compare_indexes(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Adds the paths of a row of an event. Parents have lower indexes than the nodes below them. */
static bool add_paths(struct slots_tree *tree, const struct plumb_profile_event *event,
		      uint32_t row)
{
	const struct plumb_profile *profile = tree->profile;
	uint32_t *indexes = NULL;
	size_t count = 0, n = 0;

	for (uint32_t i = profile->rows[row].nodes; i != NO_ROW; i = profile->nodes[i].next)
		count++;
	if (!count)
		return true;
	indexes = reserve(tree, count) ? malloc(count * sizeof(*indexes)) : NULL;
	if (!indexes)
		return false;
	for (uint32_t i = profile->rows[row].nodes; i != NO_ROW; i = profile->nodes[i].next)
		indexes[n++] = i;
	qsort(indexes, count, sizeof(*indexes), compare_indexes);
	for (n = 0; n < count; n++) {
		const struct node *node = &profile->nodes[indexes[n]];
		const uint32_t parent =
			node->parent == NO_ROW ? NO_ROW : tree->merged[node->parent];
		const uint32_t found = find(tree, parent, node);

		if (found == NO_ROW)
			break;
		tree->merged[indexes[n]] = found;
		topdown_add(&tree->nodes[found].slots, event, node->sums.period);
		if (!groups_add_all(&tree->nodes[found].slots.groups[slots_of(event)],
				    node->groups))
			break;
	}
	free(indexes);
	return n == count;
}

/* Calls add_paths() for the rows of all events that count slots and have the values of `values`. */
static bool add_rows(struct slots_tree *tree, const uint64_t *values)
{
	const struct plumb_profile *profile = tree->profile;
	const size_t size = (profile->words - 1) * sizeof(*values);

	for (size_t e = 0; e < profile->event_count; e++) {
		const struct profiled_event *event = &profile->events[e];

		for (size_t i = 0;
		     slots_of(&event->public) != SLOTS_NONE && i < event->public.row_count; i++) {
			if (memcmp(row_values(profile, event->order[i]) + 1, values + 1, size) != 0)
				continue;
			if (!add_paths(tree, &event->public, event->order[i]))
				return false;
			break;
		}
	}
	return true;
}

/*
 * Gives the nodes' shares their intervals, if windows of the run were sampled. Returns false if out
 * of memory.
 */
static bool set_intervals(struct slots_tree *tree, struct tree_place *places)
{
	const struct plumb_profile *profile = tree->profile;
	const size_t kinds = SLOTS_BACKEND + 1;
	double **groups = calloc(tree->count * kinds, sizeof(*groups)), *total = NULL;
	bool fits = groups != NULL;

	for (size_t e = 0; fits && e < profile->event_count; e++)
		if (slots_of(&profile->events[e].public) != SLOTS_NONE)
			fits = groups_add_all(&total, profile->events[e].groups);
	if (!fits || !total) {
		free(groups);
		free(total);
		return fits;
	}
	for (size_t i = 0; i < tree->count; i++)
		memcpy(&groups[i * kinds], tree->nodes[places[i].index].slots.groups,
		       kinds * sizeof(*groups));
	fits = tree_add_up(places, tree->count, groups, kinds);
	/* Some are new. */
	for (size_t i = 0; i < tree->count; i++)
		memcpy(tree->nodes[places[i].index].slots.groups, &groups[i * kinds],
		       kinds * sizeof(*groups));
	for (size_t i = 0; fits && i < tree->count; i++) {
		struct topdown_row *slots = &tree->nodes[places[i].index].slots;

		fits = topdown_set_intervals(profile, total, slots);
		places[i].share = slots->public.share;
	}
	free(groups);
	free(total);
	return fits && tree_compare(places, tree->count);
}

/* Returns the nodes in order, with their shares of all slots. */
static struct plumb_profile_topdown_node *put_in_order(struct slots_tree *tree,
						       const struct plumb_profile_topdown *row)
{
	struct tree_place *places = calloc(tree->count, sizeof(*places));
	struct plumb_profile_topdown_node *made = NULL;
	bool fits = places != NULL;

	for (size_t i = 0; fits && i < tree->count; i++) {
		places[i] = (struct tree_place){
			.index = (uint32_t)i,
			.parent = tree->nodes[i].parent,
			.period = tree->nodes[i].slots.public.slots,
			.name = tree_name(tree->profile, tree->nodes[i].function),
		};
		fits = places[i].name != NULL;
	}
	fits = fits && tree_arrange(places, tree->count);
	for (size_t i = 0; fits && i < tree->count; i++) {
		struct topdown_row *slots = &tree->nodes[i].slots;

		topdown_set_shares(slots, row->slots);
		slots->public.share.value *= row->share.value;
	}
	if (fits && set_intervals(tree, places))
		made = calloc(tree->count, sizeof(*made));
	for (size_t i = 0; made && i < tree->count; i++) {
		struct topdown_row *slots = &tree->nodes[places[i].index].slots;

		slots->public.event = row->event;
		slots->public.row = row->row;
		made[i] = (struct plumb_profile_topdown_node){places[i].depth, places[i].name,
							      slots->public, places[i].uncertain};
	}
	free(places);
	return made;
}

const struct plumb_profile_topdown_node *
plumb_profile_topdown_tree(struct plumb_profile *profile, const struct plumb_profile_topdown *row,
			   size_t *count)
{
	struct slots_tree tree = {.profile = profile};

	free(profile->slots_tree);
	profile->slots_tree = NULL;
	*count = 0;
	if (!profile->finished || !profile->node_count || !row->exact || !row->slots ||
	    row->event >= profile->event_count ||
	    row->row >= profile->events[row->event].public.row_count)
		return NULL;
	tree.merged = malloc(profile->node_count * sizeof(*tree.merged));
	if (tree.merged &&
	    add_rows(&tree, row_values(profile, profile->events[row->event].order[row->row])) &&
	    tree.count)
		profile->slots_tree = put_in_order(&tree, row);
	if (profile->slots_tree)
		*count = tree.count;
	for (size_t i = 0; i < tree.count; i++)
		for (size_t kind = 0; kind <= SLOTS_BACKEND; kind++)
			free(tree.nodes[i].slots.groups[kind]);
	free(tree.nodes);
	free(tree.merged);
	free(tree.by_path.slots);
	return profile->slots_tree;
}
