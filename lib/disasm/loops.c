/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops: an edge to a block that dominates its source closes one. Dominators are found by iterating
 * over the blocks in reverse postorder (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
 * Algorithm, 2001).
 */
#include <stdlib.h>
#include <string.h>

#include "disasm/flow.h"

struct search {
	struct plumb_flow *flow;
	uint32_t *order;     /* reverse postorder, block by block */
	uint32_t *number;    /* of each block in it; NONE: not reached yet */
	uint32_t *dominator; /* the immediate one, as a number in the order; a root's is itself */
	uint32_t *stack;
	uint8_t *next; /* the successor to follow next; ROOT: a root, visited */
};

#define ROOT 3

/* ---- Order ----------------------------------------------------------------------------------- */

/* Adds to the order, from its end, all blocks that can be reached from `root`. */
static void visit(struct search *search, uint32_t root, uint32_t *end)
{
	uint32_t depth = 0;

	search->stack[depth++] = root;
	search->number[root] = 0;
	while (depth) {
		uint32_t block = search->stack[depth - 1], to;

		if (search->next[block] == 2) {
			search->order[--*end] = block;
			depth--;
			continue;
		}
		to = search->flow->blocks[block].successors[search->next[block]++];
		if (to != PLUMB_FLOW_NONE && search->number[to] == PLUMB_FLOW_NONE) {
			search->number[to] = 0;
			search->stack[depth++] = to;
		}
	}
	search->next[root] = ROOT;
}

/*
 * The entry is a root of the graph, and so is what only indirect branches lead to, or nothing. Each
 * is put before what was visited before.
 */
static void find_order(struct search *search)
{
	const struct plumb_flow *flow = search->flow;
	uint32_t end = flow->block_count;

	memset(search->number, 0xff, flow->block_count * sizeof(*search->number));
	visit(search, 0, &end);
	for (uint32_t i = 1; i < flow->block_count; i++)
		if (search->number[i] == PLUMB_FLOW_NONE &&
		    flow->first_predecessor[i] == flow->first_predecessor[i + 1])
			visit(search, i, &end);
	/* Loops that nothing leads to. */
	for (uint32_t i = 1; i < flow->block_count; i++)
		if (search->number[i] == PLUMB_FLOW_NONE)
			visit(search, i, &end);
	for (uint32_t i = 0; i < flow->block_count; i++)
		search->number[search->order[i]] = i;
}

/* ---- Dominators ------------------------------------------------------------------------------ */

/* All roots hang from one more node, whose number is that of no block. */
#define TOP(search) ((search)->flow->block_count)

static uint32_t common(const struct search *search, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a == TOP(search) || b == TOP(search))
			return TOP(search);
		if (a > b)
			a = search->dominator[a];
		else
			b = search->dominator[b];
	}
	return a;
}

/* Returns the immediate dominator of the i-th block in the order, as far as it is known. */
static uint32_t improve(const struct search *search, uint32_t i)
{
	const struct plumb_flow *flow = search->flow;
	uint32_t block = search->order[i], best = PLUMB_FLOW_NONE;

	if (search->next[block] == ROOT)
		return TOP(search);
	for (uint32_t p = flow->first_predecessor[block]; p < flow->first_predecessor[block + 1];
	     p++) {
		uint32_t from = search->number[flow->predecessors[p]];

		if (search->dominator[from] == PLUMB_FLOW_NONE)
			continue;
		best = best == PLUMB_FLOW_NONE ? from : common(search, best, from);
	}
	return best == PLUMB_FLOW_NONE ? TOP(search) : best;
}

static void find_dominators(struct search *search)
{
	bool changed = true;

	memset(search->dominator, 0xff, search->flow->block_count * sizeof(*search->dominator));
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < search->flow->block_count; i++) {
			uint32_t better = improve(search, i);

			changed |= better != search->dominator[i];
			search->dominator[i] = better;
		}
	}
}

static bool dominates(const struct search *search, uint32_t a, uint32_t b)
{
	/* Dominators have smaller numbers. */
	while (b != TOP(search) && b > a)
		b = search->dominator[b];
	return a == b;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Returns the outermost loop around `loop` that has been found. */
static uint32_t root_of(const struct plumb_flow *flow, uint32_t loop)
{
	while (flow->loops[loop].parent != PLUMB_FLOW_NONE)
		loop = flow->loops[loop].parent;
	return loop;
}

/*
 * Makes `block`, or the loops around it, part of a loop. Returns the block whose predecessors are
 * part of it, too; or NONE if they are already.
 */
static uint32_t take(struct plumb_flow *flow, uint32_t loop, uint32_t block)
{
	uint32_t inner;

	if (flow->blocks[block].loop == PLUMB_FLOW_NONE) {
		flow->blocks[block].loop = loop;
		return block;
	}
	inner = root_of(flow, flow->blocks[block].loop);
	if (inner == loop)
		return PLUMB_FLOW_NONE;
	flow->loops[inner].parent = loop;
	return flow->loops[inner].header;
}

/*
 * Adds to a loop all that leads to `latch`, up to its header. Loops that were found before are
 * inside it, or apart from it.
 */
static void fill(struct search *search, uint32_t loop, uint32_t latch)
{
	struct plumb_flow *flow = search->flow;
	uint32_t depth = 0, block = take(flow, loop, latch);

	if (block != PLUMB_FLOW_NONE)
		search->stack[depth++] = block;
	while (depth) {
		block = search->stack[--depth];
		for (uint32_t p = flow->first_predecessor[block];
		     p < flow->first_predecessor[block + 1]; p++) {
			uint32_t before = take(flow, loop, flow->predecessors[p]);

			if (before != PLUMB_FLOW_NONE)
				search->stack[depth++] = before;
		}
	}
}

/* Returns the new loop's index, or NONE if out of memory. */
static uint32_t add_loop(struct plumb_flow *flow, uint32_t *room, uint32_t header)
{
	if (flow->loop_count == *room) {
		uint32_t more = *room ? 2 * *room : 8;
		struct plumb_loop *grown = reallocarray(flow->loops, more, sizeof(*grown));

		if (!grown)
			return PLUMB_FLOW_NONE;
		flow->loops = grown;
		*room = more;
	}
	flow->loops[flow->loop_count] =
		(struct plumb_loop){.header = header, .parent = PLUMB_FLOW_NONE};
	flow->blocks[header].loop = flow->loop_count;
	return flow->loop_count++;
}

/* Finds the loops, inner ones first: headers in reverse order. */
static bool collect(struct search *search)
{
	struct plumb_flow *flow = search->flow;
	uint32_t room = 0;

	for (uint32_t i = flow->block_count; i-- > 0;) {
		uint32_t header = search->order[i], loop = PLUMB_FLOW_NONE;

		for (uint32_t p = flow->first_predecessor[header];
		     p < flow->first_predecessor[header + 1]; p++) {
			uint32_t latch = flow->predecessors[p];

			if (!dominates(search, i, search->number[latch]))
				continue;
			if (loop == PLUMB_FLOW_NONE)
				loop = add_loop(flow, &room, header);
			if (loop == PLUMB_FLOW_NONE)
				return false;
			fill(search, loop, latch);
		}
	}
	return true;
}

/* Reverses the order of the loops, so that outer ones come first; computes depths and sizes. */
static void finish(struct plumb_flow *flow)
{
	uint32_t count = flow->loop_count;

	for (uint32_t i = 0; i < count / 2; i++) {
		struct plumb_loop held = flow->loops[i];

		flow->loops[i] = flow->loops[count - 1 - i];
		flow->loops[count - 1 - i] = held;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct plumb_loop *loop = &flow->loops[i];

		if (loop->parent != PLUMB_FLOW_NONE)
			loop->parent = count - 1 - loop->parent;
		loop->depth =
			loop->parent == PLUMB_FLOW_NONE ? 1 : flow->loops[loop->parent].depth + 1;
	}
	for (uint32_t i = 0; i < flow->block_count; i++) {
		if (flow->blocks[i].loop == PLUMB_FLOW_NONE)
			continue;
		flow->blocks[i].loop = count - 1 - flow->blocks[i].loop;
		flow->loops[flow->blocks[i].loop].block_count++;
	}
	for (uint32_t i = count; i-- > 0;)
		if (flow->loops[i].parent != PLUMB_FLOW_NONE)
			flow->loops[flow->loops[i].parent].block_count +=
				flow->loops[i].block_count;
}

int flow_find_loops(struct plumb_flow *flow)
{
	size_t count = flow->block_count;
	struct search search = {
		.flow = flow,
		.order = calloc(count, sizeof(uint32_t)),
		.number = calloc(count, sizeof(uint32_t)),
		.dominator = calloc(count, sizeof(uint32_t)),
		.stack = calloc(count, sizeof(uint32_t)),
		.next = calloc(count, 1),
	};
	bool made =
		search.order && search.number && search.dominator && search.stack && search.next;

	if (made) {
		find_order(&search);
		find_dominators(&search);
		made = collect(&search);
		finish(flow);
	}
	free(search.order);
	free(search.number);
	free(search.dominator);
	free(search.stack);
	free(search.next);
	return made ? 0 : PLUMB_ERR_NO_MEMORY;
}
