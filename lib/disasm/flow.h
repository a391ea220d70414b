/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a flow graph: include/plumb/flow.h. */
#ifndef DISASM_FLOW_H
#define DISASM_FLOW_H

#include <plumb/flow.h>

struct plumb_flow {
	struct plumb_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* of each instruction */
	size_t instruction_count;
	/* The blocks that lead to block i: predecessors[first_predecessor[i]] ... */
	uint32_t *predecessors, *first_predecessor;
	struct plumb_loop *loops;
	uint32_t loop_count;
	bool indirect; /* there is a branch whose target is unknown */
};

/* loops.c: finds the loops of a graph of blocks. Returns 0 or NO_MEMORY. */
int flow_find_loops(struct plumb_flow *flow);

#endif
