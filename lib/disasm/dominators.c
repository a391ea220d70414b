/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dominators of a graph of blocks: Lengauer and Tarjan, A Fast Algorithm for Finding Dominators in
 * a Flowgraph, 1979, with path compression alone. Simpler methods take quadratic time for graphs
 * that somebody made up for that.
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/flow.h"

#define NONE PLUMB_FLOW_NONE

/*
 * A block as the depth-first search finds it. Nodes are numbered in that order, so a node's
 * ancestors have smaller numbers. Node 0 is no block: all roots hang from it.
 */
struct node {
	uint32_t block;
	uint32_t parent; /* in the search's tree */
	uint32_t semi;   /* the semidominator, once computed; until then the node itself */
	uint32_t dominator;
	uint32_t ancestor; /* above it among the computed nodes; NONE: it is the top */
	uint32_t least;    /* the node with the least semidominator from here to below the top */
	uint32_t waiting;  /* the first of a list of nodes whose semidominator this is */
	uint32_t next_waiting;
};

struct search {
	const struct plumb_flow *flow;
	struct node *nodes;
	uint32_t count;
	uint32_t *number; /* of each block; NONE: not reached yet */
	uint32_t *stack;
	uint8_t *next;   /* the successor to follow next */
	uint32_t *order; /* reverse postorder, filled from its end */
	uint32_t ordered;
};

/* ---- Order ----------------------------------------------------------------------------------- */

static void find(struct search *search, uint32_t block, uint32_t parent)
{
	const uint32_t number = ++search->count;

	search->number[block] = number;
	search->nodes[number] = (struct node){
		.block = block,
		.parent = parent,
		.semi = number,
		.ancestor = NONE,
		.least = number,
		.waiting = NONE,
	};
}

/* Finds all blocks that can be reached from `root`, and puts them before those found so far. */
static void visit(struct search *search, uint32_t root)
{
	uint32_t depth = 0;

	find(search, root, 0);
	search->stack[depth++] = root;
	while (depth) {
		uint32_t block = search->stack[depth - 1], to;

		if (search->next[block] == 2) {
			search->order[--search->ordered] = block;
			depth--;
			continue;
		}
		to = search->flow->blocks[block].successors[search->next[block]++];
		if (to != NONE && search->number[to] == NONE) {
			find(search, to, search->number[block]);
			search->stack[depth++] = to;
		}
	}
}

/* The entry is a root of the graph, and so is what only indirect branches lead to, or nothing. */
static void find_order(struct search *search)
{
	const struct plumb_flow *flow = search->flow;

	search->nodes[0] = (struct node){.ancestor = NONE, .waiting = NONE};
	search->ordered = flow->block_count;
	memset(search->number, 0xff, flow->block_count * sizeof(*search->number));
	visit(search, 0);
	for (uint32_t i = 1; i < flow->block_count; i++)
		if (search->number[i] == NONE &&
		    flow->first_predecessor[i] == flow->first_predecessor[i + 1])
			visit(search, i);
	/* Loops that nothing leads to. */
	for (uint32_t i = 1; i < flow->block_count; i++)
		if (search->number[i] == NONE)
			visit(search, i);
}

/* ---- Dominators ------------------------------------------------------------------------------ */

/* Makes the way from `at` to the top of its tree one step long. */
static void compress(struct search *search, uint32_t at)
{
	struct node *nodes = search->nodes;
	uint32_t depth = 0;

	while (nodes[nodes[at].ancestor].ancestor != NONE) {
		search->stack[depth++] = at;
		at = nodes[at].ancestor;
	}
	while (depth) {
		struct node *node = &nodes[search->stack[--depth]];
		const struct node *above = &nodes[node->ancestor];

		if (nodes[above->least].semi < nodes[node->least].semi)
			node->least = above->least;
		node->ancestor = above->ancestor;
	}
}

/* Returns the node with the least semidominator between `at` and the top of its tree. */
static uint32_t least(struct search *search, uint32_t at)
{
	if (search->nodes[at].ancestor != NONE)
		compress(search, at);
	return search->nodes[at].least;
}

static uint32_t semidominator(struct search *search, uint32_t i)
{
	const struct plumb_flow *flow = search->flow;
	const uint32_t block = search->nodes[i].block;
	uint32_t best = search->nodes[i].parent;

	for (uint32_t p = flow->first_predecessor[block]; p < flow->first_predecessor[block + 1];
	     p++) {
		uint32_t from = least(search, search->number[flow->predecessors[p]]);

		if (search->nodes[from].semi < best)
			best = search->nodes[from].semi;
	}
	return best;
}

/* Computes the dominators of those whose semidominator is `parent`; some only in part. */
static void release(struct search *search, uint32_t parent)
{
	struct node *nodes = search->nodes;

	for (uint32_t at = nodes[parent].waiting; at != NONE; at = nodes[at].next_waiting) {
		uint32_t from = least(search, at);

		nodes[at].dominator = nodes[from].semi < nodes[at].semi ? from : parent;
	}
	nodes[parent].waiting = NONE;
}

static void find_dominators(struct search *search)
{
	struct node *nodes = search->nodes;

	for (uint32_t i = search->count; i > 0; i--) {
		uint32_t semi = semidominator(search, i);

		nodes[i].semi = semi;
		nodes[i].next_waiting = nodes[semi].waiting;
		nodes[semi].waiting = i;
		nodes[i].ancestor = nodes[i].parent;
		release(search, nodes[i].parent);
	}
	for (uint32_t i = 1; i <= search->count; i++)
		if (nodes[i].dominator != nodes[i].semi)
			nodes[i].dominator = nodes[nodes[i].dominator].dominator;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

void flow_number_tree(const uint32_t *parents, uint32_t count, struct flow_span *spans)
{
	uint32_t roots = 0;

	for (uint32_t i = 0; i < count; i++)
		spans[i] = (struct flow_span){0, 1};
	for (uint32_t i = count; i-- > 0;)
		if (parents[i] != NONE)
			spans[parents[i]].count += spans[i].count;
	/* Meanwhile `first` is the next number for a child; in the end, that after the last one's.
	 */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *next = parents[i] == NONE ? &roots : &spans[parents[i]].first;
		uint32_t first = *next;

		*next += spans[i].count;
		spans[i].first = first + 1;
	}
	for (uint32_t i = 0; i < count; i++)
		spans[i].first -= spans[i].count;
}

static void number_dominators(const struct search *search, uint32_t *parents,
			      struct flow_span *by_node, struct flow_span *spans)
{
	parents[0] = NONE;
	for (uint32_t i = 1; i <= search->count; i++)
		parents[i] = search->nodes[i].dominator;
	flow_number_tree(parents, search->count + 1, by_node);
	for (uint32_t i = 1; i <= search->count; i++)
		spans[search->nodes[i].block] = by_node[i];
}

int flow_find_dominators(const struct plumb_flow *flow, uint32_t *order, struct flow_span *spans)
{
	const size_t room = (size_t)flow->block_count + 1;
	struct search search = {
		.flow = flow,
		.nodes = calloc(room, sizeof(struct node)),
		.number = calloc(room, sizeof(uint32_t)),
		.stack = calloc(room, sizeof(uint32_t)),
		.next = calloc(room, 1),
		.order = order,
	};
	struct flow_span *by_node = calloc(room, sizeof(*by_node));
	bool made = search.nodes && search.number && search.stack && search.next && by_node;

	if (made) {
		find_order(&search);
		find_dominators(&search);
		number_dominators(&search, search.stack, by_node, spans);
	}
	free(search.nodes);
	free(search.number);
	free(search.stack);
	free(search.next);
	free(by_node);
	return made ? 0 : PLUMB_ERR_NO_MEMORY;
}
