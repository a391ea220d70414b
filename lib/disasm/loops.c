/* SPDX-License-Identifier: Apache-2.0 */
/* Loops: an edge to a block that dominates its source closes one. */
#include <stdlib.h>

#include "disasm/flow.h"

struct search {
	struct plumb_flow *flow;
	uint32_t *order;              /* reverse postorder, block by block */
	struct flow_span *dominators; /* of each block, in their tree */
	uint32_t *stack;
	uint32_t *outer; /* of each loop: one around it, or itself */
};

/* Returns the outermost loop around `loop` that has been found; halves the way to it. */
static uint32_t root_of(struct search *search, uint32_t loop)
{
	uint32_t *outer = search->outer;

	while (outer[loop] != loop) {
		outer[loop] = outer[outer[loop]];
		loop = outer[loop];
	}
	return loop;
}

/*
 * Makes `block`, or the loops around it, part of a loop. Returns the block whose predecessors are
 * part of it, too; or NONE if they are already.
 */
static uint32_t take(struct search *search, uint32_t loop, uint32_t block)
{
	struct plumb_flow *flow = search->flow;
	uint32_t inner;

	if (flow->blocks[block].loop == PLUMB_FLOW_NONE) {
		flow->blocks[block].loop = loop;
		return block;
	}
	inner = root_of(search, flow->blocks[block].loop);
	if (inner == loop)
		return PLUMB_FLOW_NONE;
	flow->loops[inner].parent = search->outer[inner] = loop;
	return flow->loops[inner].header;
}

/*
 * Adds to a loop all that leads to `latch`, up to its header. Loops that were found before are
 * inside it, or apart from it.
 */
static void fill(struct search *search, uint32_t loop, uint32_t latch)
{
	struct plumb_flow *flow = search->flow;
	uint32_t depth = 0, block = take(search, loop, latch);

	if (block != PLUMB_FLOW_NONE)
		search->stack[depth++] = block;
	while (depth) {
		block = search->stack[--depth];
		for (uint32_t p = flow->first_predecessor[block];
		     p < flow->first_predecessor[block + 1]; p++) {
			uint32_t before = take(search, loop, flow->predecessors[p]);

			if (before != PLUMB_FLOW_NONE)
				search->stack[depth++] = before;
		}
	}
}

/* Returns the new loop's index, or NONE if out of memory. */
static uint32_t add_loop(struct search *search, uint32_t *room, uint32_t header)
{
	struct plumb_flow *flow = search->flow;

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
	search->outer[flow->loop_count] = flow->loop_count;
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

			if (!flow_span_contains(search->dominators[header],
						search->dominators[latch]))
				continue;
			if (loop == PLUMB_FLOW_NONE)
				loop = add_loop(search, &room, header);
			if (loop == PLUMB_FLOW_NONE)
				return false;
			fill(search, loop, latch);
		}
	}
	return true;
}

/* Reverses the order of the loops, so that outer ones come first; computes depths and sizes. */
static bool finish(struct search *search)
{
	struct plumb_flow *flow = search->flow;
	uint32_t count = flow->loop_count, *parents = search->stack;

	flow->loop_spans = calloc((size_t)count + 1, sizeof(*flow->loop_spans));
	if (!flow->loop_spans)
		return false;
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
		parents[i] = loop->parent;
	}
	flow_number_tree(parents, count, flow->loop_spans);
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
	return true;
}

int flow_find_loops(struct plumb_flow *flow)
{
	size_t count = flow->block_count;
	struct search search = {
		.flow = flow,
		.order = calloc(count, sizeof(uint32_t)),
		.dominators = calloc(count, sizeof(struct flow_span)),
		.stack = calloc(count, sizeof(uint32_t)),
		.outer = calloc(count, sizeof(uint32_t)),
	};
	bool made = search.order && search.dominators && search.stack && search.outer &&
		    flow_find_dominators(flow, search.order, search.dominators) == 0 &&
		    collect(&search) && finish(&search);

	free(search.order);
	free(search.dominators);
	free(search.stack);
	free(search.outer);
	return made ? 0 : PLUMB_ERR_NO_MEMORY;
}
