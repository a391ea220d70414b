/* SPDX-License-Identifier: Apache-2.0 */
/* The call trees of a profile's rows. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/sums.h"

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
	      const uint64_t (*functions)[2], size_t count, uint64_t period, uint32_t *end)
{
	struct node wanted = {.row = row, .parent = NO_ROW};

	*end = NO_ROW;
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
		add_sums(&profile->nodes[node].sums, period);
		profile->nodes[node].mark = profile->mark;
		wanted.parent = *end = node;
	}
	if (*end != NO_ROW)
		profile->nodes[*end].own = add_saturating(profile->nodes[*end].own, period);
	return 0;
}

void paths_step(struct plumb_profile *profile, const struct lane *lane, const uint32_t *ends,
		size_t count, double period)
{
	const struct pair last = {lane->period, lane->period}, gone = {0, lane->period},
			  absent = {0, period}, now = {period, period};

	for (size_t i = 0; i < lane->ends_count; i++)
		for (uint32_t n = lane->ends[i]; n != NO_ROW; n = profile->nodes[n].parent) {
			struct node *node = &profile->nodes[n];

			step_sums(&node->sums, last, node->mark == profile->mark ? now : absent);
			if (node->mark == profile->mark)
				node->mark = 0;
		}
	for (size_t i = 0; i < count; i++)
		for (uint32_t n = ends[i]; n != NO_ROW; n = profile->nodes[n].parent)
			if (profile->nodes[n].mark == profile->mark)
				step_sums(&profile->nodes[n].sums, gone, now);
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
		if (node.row == NO_ROW) {
			free(node.groups);
			continue;
		}
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

bool tree_add_up(const struct tree_place *places, size_t count, double **groups, size_t stride)
{
	size_t *parents = calloc(count, sizeof(*parents)), *above = calloc(count, sizeof(*above));
	bool fits = parents && above;

	for (size_t i = 0; fits && i < count; i++) {
		above[places[i].depth] = i;
		parents[i] = places[i].depth ? above[places[i].depth - 1] : i;
	}
	for (size_t i = count; fits && i-- > 0;)
		for (size_t s = 0; fits && parents[i] != i && s < stride; s++)
			fits = groups_add_all(&groups[parents[i] * stride + s],
					      groups[i * stride + s]);
	free(parents);
	free(above);
	return fits;
}

static bool overlap(const struct plumb_profile_estimate *a, const struct plumb_profile_estimate *b)
{
	return a->low <= b->high && b->low <= a->high;
}

bool tree_compare(struct tree_place *places, size_t count)
{
	/* The last node of each depth, if the next one there has the same parent. */
	struct tree_place **before = calloc(count + 1, sizeof(struct tree_place *));

	for (size_t i = 0; before && i < count; i++) {
		struct tree_place *place = &places[i], *sibling = before[place->depth];

		if (sibling && overlap(&sibling->share, &place->share))
			sibling->uncertain = place->uncertain = true;
		before[place->depth] = place;
		before[place->depth + 1] = NULL;
	}
	free(before);
	return before != NULL;
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
			.index = i, .parent = node->parent, .period = node->sums.period};
		places->name = tree_name(profile, node->function);
		if (!places->name)
			return false;
	}
	return true;
}

/* Estimates the shares of an arranged tree's nodes. Returns false if out of memory. */
static bool estimate_shares(const struct plumb_profile *profile, const struct profiled_event *event,
			    struct tree_place *places, size_t count)
{
	double **groups = calloc(count, sizeof(*groups));
	bool fits = groups != NULL;

	for (size_t i = 0; fits && event->public.windows && i < count; i++)
		fits = groups_add_all(&groups[i], profile->nodes[places[i].index].groups);
	fits = fits && (!event->public.windows || tree_add_up(places, count, groups, 1));
	for (size_t i = 0; fits && i < count; i++)
		places[i].share = profile_share(profile, event,
						&profile->nodes[places[i].index].sums, groups[i]);
	for (size_t i = 0; groups && i < count; i++)
		free(groups[i]);
	free(groups);
	return fits && tree_compare(places, count);
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
	if (places && fill(profile, of->nodes, places) && tree_arrange(places, total) &&
	    estimate_shares(profile, &profile->events[event], places, total))
		profile->tree = calloc(total, sizeof(*profile->tree));
	for (size_t i = 0; profile->tree && i < total; i++) {
		profile->tree[i] = (struct plumb_profile_node){
			.depth = places[i].depth,
			.period = places[i].period,
			.own = profile->nodes[places[i].index].own,
			.name = places[i].name,
			.share = places[i].share,
			.uncertain = places[i].uncertain,
		};
		*count = total;
	}
	free(places);
	return profile->tree;
}
