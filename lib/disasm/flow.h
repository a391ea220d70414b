/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a flow graph: include/plumb/flow.h. */
#ifndef DISASM_FLOW_H
#define DISASM_FLOW_H

#include <plumb/flow.h>

/*
 * The numbers of a node of a tree and of all below it: nodes are numbered such that these follow
 * each other.
 */
struct flow_span {
	uint32_t first, count; /* the node itself is the first */
};

struct plumb_flow {
	struct plumb_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* of each instruction */
	size_t instruction_count;
	/* The blocks that lead to block i: predecessors[first_predecessor[i]] ... */
	uint32_t *predecessors, *first_predecessor;
	struct plumb_loop *loops;
	struct flow_span *loop_spans; /* in the tree of loops */
	uint32_t loop_count;
	bool indirect; /* there is a branch whose target is unknown */
};

/* Returns whether the second span's node is the first one's, or below it. */
static inline bool flow_span_contains(struct flow_span outer, struct flow_span inner)
{
	return inner.first - outer.first < outer.count;
}

/*
 * dominators.c: numbers the nodes of a forest, where parents stand before their children; NONE is
 * the parent of a root.
 */
void flow_number_tree(const uint32_t *parents, uint32_t count, struct flow_span *spans);

/*
 * dominators.c: fills in the blocks in reverse postorder, and each one's span in the tree of
 * dominators. Takes time in proportion to the branches times the logarithm of the blocks, whatever
 * the graph. Returns 0 or NO_MEMORY.
 */
int flow_find_dominators(const struct plumb_flow *flow, uint32_t *order, struct flow_span *spans);

/* loops.c: finds the loops of a graph of blocks. Returns 0 or NO_MEMORY. */
int flow_find_loops(struct plumb_flow *flow);

#endif
