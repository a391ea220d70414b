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

/*
 * Walks from the roots, level by level, until it reaches `node`. Returns the level of `node`, or 0
 * if it is unreachable. Sets `*parent` to the first node of the level above that leads to it. If
 * `levels` is not NULL, walks to the end and sets the level of every node it reaches. Each node is
 * expanded once, so the cost is the number of all next items plus PLUMB_TREE_MAX_LEVELS times the
 * number of nodes.
 */
static unsigned walk(const struct plumb_methodology *methodology, uint16_t node, uint16_t *parent,
		     uint16_t *levels)
{
	/* Levels are filled in when nodes are expanded, so the last level takes another round. */
	const unsigned last = PLUMB_TREE_MAX_LEVELS + (levels ? 1 : 0);
	const struct plumb_node *nodes = methodology->nodes;
	struct index_set reached = {0};  /* metrics of nodes at this level and above */
	struct index_set expanded = {0}; /* nodes */

	*parent = PLUMB_NONE;
	if (!levels && node >= methodology->node_count)
		return 0;
	for (uint16_t i = 0; i < methodology->roots.count; i++)
		if (methodology->roots.at[i] < methodology->node_count)
			index_set_add(&reached, nodes[methodology->roots.at[i]].metric);
	if (!levels && index_set_has(&reached, nodes[node].metric))
		return 1;

	for (unsigned level = 2; level <= last; level++) {
		struct index_set next = reached;
		bool progress = false;

		for (uint16_t n = 0; n < methodology->node_count; n++) {
			if (!index_set_has(&reached, nodes[n].metric) ||
			    !index_set_add(&expanded, n))
				continue;
			if (levels)
				levels[n] = (uint16_t)(level - 1);
			for (uint16_t i = 0; i < nodes[n].next_item_count; i++) {
				const struct plumb_next_item *item = &nodes[n].next_items[i];

				if (item->kind != PLUMB_ITEM_METRIC)
					continue;
				if (!levels && item->index == nodes[node].metric) {
					*parent = n;
					return level;
				}
				progress |= index_set_add(&next, item->index);
			}
		}
		if (!progress)
			return 0;
		reached = next;
	}
	return 0;
}

uint16_t plumb_methodology_parent(const struct plumb_methodology *methodology, uint16_t node)
{
	uint16_t parent;

	walk(methodology, node, &parent, NULL);
	return parent;
}

unsigned plumb_methodology_level(const struct plumb_methodology *methodology, uint16_t node)
{
	uint16_t parent;

	return walk(methodology, node, &parent, NULL);
}

void plumb_methodology_levels(const struct plumb_methodology *methodology, uint16_t *levels)
{
	uint16_t parent;

	memset(levels, 0, methodology->node_count * sizeof(*levels));
	walk(methodology, PLUMB_NONE, &parent, levels);
}
