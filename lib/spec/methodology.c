/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages and the decision tree of a methodology. The tree need not be a tree: in Arm's C1-Nano
 * several nodes lead to backend_mem_bound, and a hostile file may contain a cycle. So a node's
 * level and parent are those of the shortest path from a root.
 */
#include <plumb/spec.h>

#include <string.h>

#include "base/index_set.h"

/* Returns the N of "stage_N", or 0 for any other name. */
static unsigned stage_number(const char *name)
{
	static const char prefix[] = "stage_";
	unsigned number = 0;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	name += sizeof(prefix) - 1;
	while (*name >= '0' && *name <= '9' && number < 1000)
		number = 10 * number + (unsigned)(*name++ - '0');
	return *name ? 0 : number;
}

unsigned plumb_methodology_stage(const struct plumb_methodology *methodology, uint16_t metric_group)
{
	for (uint16_t s = 0; s < methodology->stage_count; s++) {
		const struct plumb_stage *stage = &methodology->stages[s];

		for (uint16_t i = 0; i < stage->groups.count; i++) {
			unsigned number;

			if (stage->groups.at[i] != metric_group)
				continue;
			number = stage_number(stage->name);
			return number ? number : s + 1u;
		}
	}
	return 0;
}

uint16_t plumb_methodology_node(const struct plumb_methodology *methodology, uint16_t metric)
{
	for (uint16_t n = 0; n < methodology->node_count; n++)
		if (methodology->nodes[n].metric == metric)
			return n;
	return PLUMB_NONE;
}

/* A walk from the roots down, one level after another. It meets each node once. */
struct descent {
	const struct plumb_methodology *methodology;
	unsigned level;
	struct index_set reached; /* metrics of nodes at this level and above */
	struct index_set above;   /* nodes above this level */
};

static struct descent from_roots(const struct plumb_methodology *methodology)
{
	struct descent d = {.methodology = methodology, .level = 1};

	for (uint16_t i = 0; i < methodology->roots.count; i++)
		if (methodology->roots.at[i] < methodology->node_count)
			index_set_add(&d.reached,
				      methodology->nodes[methodology->roots.at[i]].metric);
	return d;
}

static bool has_reached(const struct descent *d, uint16_t node)
{
	return index_set_has(&d->reached, d->methodology->nodes[node].metric);
}

/* Whether the node stands at the level of the walk. */
static bool is_here(const struct descent *d, uint16_t node)
{
	return has_reached(d, node) && !index_set_has(&d->above, node);
}

/* Goes one level down. Returns false if there is nothing below, or too far below. */
static bool descend(struct descent *d)
{
	const struct plumb_methodology *methodology = d->methodology;
	struct index_set reached = d->reached;
	bool deeper = false;

	for (uint16_t n = 0; n < methodology->node_count; n++) {
		const struct plumb_node *node = &methodology->nodes[n];

		if (!is_here(d, n))
			continue;
		index_set_add(&d->above, n);
		for (uint16_t i = 0; i < node->next_item_count; i++)
			if (node->next_items[i].kind == PLUMB_ITEM_METRIC)
				deeper |= index_set_add(&reached, node->next_items[i].index);
	}
	d->reached = reached;
	d->level++;
	return deeper && d->level <= PLUMB_TREE_MAX_LEVELS;
}

unsigned plumb_methodology_level(const struct plumb_methodology *methodology, uint16_t node)
{
	struct descent d = from_roots(methodology);

	if (node >= methodology->node_count)
		return 0;
	do {
		if (has_reached(&d, node))
			return d.level;
	} while (descend(&d));
	return 0;
}

void plumb_methodology_levels(const struct plumb_methodology *methodology, uint16_t *levels)
{
	struct descent d = from_roots(methodology);

	memset(levels, 0, methodology->node_count * sizeof(*levels));
	do {
		for (uint16_t n = 0; n < methodology->node_count; n++)
			if (is_here(&d, n))
				levels[n] = (uint16_t)d.level;
	} while (descend(&d));
}
