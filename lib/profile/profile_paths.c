/* SPDX-License-Identifier: Apache-2.0 */
/* The call trees of a profile's rows. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

static uint64_t hash_node(const void *owner, uint32_t i)
{
	const struct node *node = &((const struct plumb_profile *)owner)->nodes[i];
	const uint64_t words[] = {node->row, node->parent, node->function[0], node->function[1]};

	return hash_words(words, 4);
}

static bool is_same(const struct node *a, const struct node *b)
{
	return a->row == b->row && a->parent == b->parent && a->function[0] == b->function[0] &&
	       a->function[1] == b->function[1];
}

static bool grow(struct plumb_profile *profile)
{
	size_t room = profile->node_room ? 2 * profile->node_room : 1024;
	struct node *nodes;

	/* One more is the node that is looked for. */
	if (room > profile->options.nodes_max + 1)
		room = profile->options.nodes_max + 1;
	nodes = realloc(profile->nodes, room * sizeof(*nodes));
	if (!nodes)
		return false;
	profile->nodes = nodes;
	profile->node_room = room;
	return true;
}

/* Finds or makes a node. *found is NO_ROW if there is no room for another. */
static int find(struct plumb_profile *profile, const struct node *wanted, uint32_t *found)
{
	struct index_table *table = &profile->by_path;
	size_t at;

	if (profile->node_count == profile->node_room && !grow(profile))
		return PLUMB_ERR_NO_MEMORY;
	if (!index_table_reserve(table, hash_node, profile))
		return PLUMB_ERR_NO_MEMORY;
	profile->nodes[profile->node_count] = *wanted;
	at = hash_node(profile, (uint32_t)profile->node_count) & table->mask;
	for (; table->slots[at] != UINT32_MAX; at = (at + 1) & table->mask) {
		*found = table->slots[at];
		if (is_same(&profile->nodes[*found], wanted))
			return 0;
	}
	*found = NO_ROW;
	if (profile->node_count == profile->options.nodes_max)
		return 0;
	*found = (uint32_t)profile->node_count++;
	profile->nodes[*found].next = profile->rows[wanted->row].nodes;
	profile->rows[wanted->row].nodes = *found;
	table->slots[at] = *found;
	table->count++;
	return 0;
}

int paths_add(struct plumb_profile *profile, struct profiled_event *event, uint32_t row,
	      const uint64_t (*functions)[2], size_t count, uint64_t period)
{
	struct node wanted = {.row = row, .parent = NO_ROW};

	for (size_t i = 0; i < count; i++) {
		uint32_t node;
		int status;

		memcpy(wanted.function, functions[i], sizeof(wanted.function));
		status = find(profile, &wanted, &node);
		if (status < 0)
			return status;
		if (node == NO_ROW) {
			event->public.cut_off = add_saturating(event->public.cut_off, period);
			break;
		}
		profile->nodes[node].period = add_saturating(profile->nodes[node].period, period);
		wanted.parent = node;
	}
	if (wanted.parent != NO_ROW)
		profile->nodes[wanted.parent].own =
			add_saturating(profile->nodes[wanted.parent].own, period);
	return 0;
}

int paths_renumber(struct plumb_profile *profile, const uint32_t *rows)
{
	struct index_table *table = &profile->by_path;
	uint32_t *renumbered, kept = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		profile->rows[i].nodes = NO_ROW;
	if (!profile->node_count)
		return 0;
	renumbered = malloc(profile->node_count * sizeof(*renumbered));
	if (!renumbered)
		return PLUMB_ERR_NO_MEMORY;
	memset(table->slots, 0xff, (table->mask + 1) * sizeof(*table->slots));
	/* Parents come before their children. */
	for (size_t i = 0; i < profile->node_count; i++) {
		struct node node = profile->nodes[i];
		size_t at;

		renumbered[i] = NO_ROW;
		node.row = rows[node.row];
		if (node.row == NO_ROW)
			continue;
		if (node.parent != NO_ROW)
			node.parent = renumbered[node.parent];
		node.next = profile->rows[node.row].nodes;
		profile->nodes[kept] = node;
		profile->rows[node.row].nodes = kept;
		at = hash_node(profile, kept) & table->mask;
		while (table->slots[at] != UINT32_MAX)
			at = (at + 1) & table->mask;
		table->slots[at] = kept;
		renumbered[i] = kept++;
	}
	profile->node_count = table->count = kept;
	free(renumbered);
	return 0;
}

/* ---- Trees ------------------------------------------------------------------------------------
 */

/* By parent, the largest first. The order of equal ones must not depend on addresses. */
static int compare(const void *a, const void *b)
{
	const struct tree_place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Returns the first of the children of `parent`, or `count`. */
static size_t children_of(const struct tree_place *places, size_t count, uint32_t parent)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && places[low].parent == parent ? low : count;
}

/* Writes all nodes, each before its children. `stack` has room for all. */
static void walk(const struct tree_place *places, size_t count, size_t *stack,
		 struct tree_place *out)
{
	size_t depth = 0, written = 0, at = children_of(places, count, NO_ROW);

	while (at < count || depth > 0) {
		if (at == count) {
			/* The next sibling of the one above. */
			size_t above = stack[--depth];

			at = above + 1 < count && places[above + 1].parent == places[above].parent
				     ? above + 1
				     : count;
			continue;
		}
		out[written] = places[at];
		out[written++].depth = (unsigned)depth;
		stack[depth++] = at;
		at = children_of(places, count, places[at].index);
	}
}

bool tree_arrange(struct tree_place *places, size_t count)
{
	struct tree_place *sorted = calloc(count, sizeof(*sorted));
	size_t *stack = malloc(count * sizeof(*stack));
	const bool fits = sorted && stack;

	if (fits) {
		memcpy(sorted, places, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), compare);
		walk(sorted, count, stack, places);
	}
	free(sorted);
	free(stack);
	return fits;
}

const char *tree_name(struct plumb_profile *profile, const uint64_t function[2])
{
	char room[PLUMB_PROFILE_TEXT];

	/* The name of an inlined function is kept already. */
	if (!function[1])
		return (const char *)(uintptr_t)function[0];
	return text_table_keep(&profile->texts,
			       key_text(profile, PLUMB_KEY_SYMBOL, function, room));
}

static bool fill(struct plumb_profile *profile, uint32_t first, struct tree_place *places)
{
	for (uint32_t i = first; i != NO_ROW; i = profile->nodes[i].next, places++) {
		const struct node *node = &profile->nodes[i];

		*places = (struct tree_place){
			.index = i, .parent = node->parent, .period = node->period};
		places->name = tree_name(profile, node->function);
		if (!places->name)
			return false;
	}
	return true;
}

const struct plumb_profile_node *plumb_profile_tree(struct plumb_profile *profile, size_t event,
						    size_t row, size_t *count)
{
	struct tree_place *places;
	size_t total = 0;
	const struct row *of;

	free(profile->tree);
	profile->tree = NULL;
	*count = 0;
	if (!profile->finished || event >= profile->event_count ||
	    row >= profile->events[event].public.row_count)
		return NULL;
	of = &profile->rows[profile->events[event].order[row]];
	for (uint32_t i = of->nodes; i != NO_ROW; i = profile->nodes[i].next)
		total++;
	if (!total)
		return NULL;
	places = calloc(total, sizeof(*places));
	if (places && fill(profile, of->nodes, places) && tree_arrange(places, total))
		profile->tree = calloc(total, sizeof(*profile->tree));
	for (size_t i = 0; profile->tree && i < total; i++) {
		profile->tree[i] = (struct plumb_profile_node){
			.depth = places[i].depth,
			.period = places[i].period,
			.own = profile->nodes[places[i].index].own,
			.name = places[i].name,
		};
		*count = total;
	}
	free(places);
	return profile->tree;
}
