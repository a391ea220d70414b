/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control flow of a function of A64 code: its branches, blocks and loops. It is found from the
 * instruction words alone, without symbols and without a disassembler.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_FLOW_H
#define PLUMB_FLOW_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Branches -------------------------------------------------------------------------------- */

enum plumb_branch_kind {
	PLUMB_BRANCH_NONE,
	PLUMB_BRANCH_JUMP,          /* b */
	PLUMB_BRANCH_CONDITIONAL,   /* b.cond, cbz, tbz ... */
	PLUMB_BRANCH_CALL,          /* bl */
	PLUMB_BRANCH_INDIRECT,      /* br */
	PLUMB_BRANCH_INDIRECT_CALL, /* blr */
	PLUMB_BRANCH_RETURN,        /* ret */
	PLUMB_BRANCH_EXCEPTION,     /* svc, brk, udf ... */
};

struct plumb_branch {
	enum plumb_branch_kind kind;
	bool has_target;
	uint64_t target; /* address */
};

/* Returns what kind of branch the instruction `word` at `address` is. Thread-safe. */
PLUMB_API struct plumb_branch plumb_branch_of(uint64_t address, uint32_t word);

/* ---- Blocks and loops ------------------------------------------------------------------------ */

struct plumb_flow;

#define PLUMB_FLOW_NONE UINT32_MAX

/*
 * Finds the blocks and loops of the `count` instructions from address `start` on; the function is
 * entered at the first one. Assumes that calls return to the next instruction. The target of an
 * indirect branch is unknown, so code that no other branch leads to is assumed to be entered from
 * outside, after the nops that align it: those are a block of their own. Returns 0, NO_MEMORY, or
 * LIMIT for more than 2^28 instructions. Time and memory are proportional to `count`, apart from
 * deeply nested loops.
 */
PLUMB_API int plumb_flow_new(uint64_t start, const uint32_t *words, size_t count,
			     struct plumb_flow **flow);
PLUMB_API void plumb_flow_free(struct plumb_flow *flow); /* accepts NULL */

/*
 * Instructions that are executed one after the other: at most this many, so longer code without a
 * branch is several blocks, each of which goes on to the next.
 */
#define PLUMB_BLOCK_MAX 4096
struct plumb_block {
	uint32_t first, count;  /* indexes of instructions */
	uint32_t successors[2]; /* indexes of blocks: the next one, the branch's target; or NONE */
	uint32_t loop;          /* the innermost loop that it is in; or NONE */
	bool leaves; /* may return, or branch out of the function or to an unknown target */
};
/* Describes the i-th block, in the order of addresses. Returns false past the end. */
PLUMB_API bool plumb_flow_block(const struct plumb_flow *flow, size_t i, struct plumb_block *block);
/* Returns the block that the i-th instruction is in, or PLUMB_FLOW_NONE. */
PLUMB_API uint32_t plumb_flow_block_of(const struct plumb_flow *flow, size_t instruction);

/*
 * A natural loop: all blocks from which its header can be reached again without leaving the part of
 * the function that the header dominates. Loops with the same header are one.
 */
struct plumb_loop {
	uint32_t header; /* index of a block */
	uint32_t parent; /* index of the loop around it, which comes before it; or NONE */
	unsigned depth;  /* 1: the outermost */
	uint32_t block_count;
};
/* Describes the i-th loop; outer loops come before inner ones. Returns false past the end. */
PLUMB_API bool plumb_flow_loop(const struct plumb_flow *flow, size_t i, struct plumb_loop *loop);
/* Tells whether a loop contains a block, itself or in a loop inside it. */
PLUMB_API bool plumb_flow_contains(const struct plumb_flow *flow, size_t loop, uint32_t block);

/* How often a loop ran. */
struct plumb_trips {
	/*
	 * How often its header was executed; without the last test of each entry if only the header
	 * tests whether to go on, and `entries` is known.
	 */
	uint64_t iterations;
	uint64_t entries; /* how often it was entered from outside */
	bool known;       /* `entries` is known */
};
/*
 * Computes how often each loop ran from `executions`, which says for each instruction how often it
 * was executed. If the counts of single branches are unknown, computes them from the other
 * branches; an entry count that cannot be found this way stays unknown. Writes one struct for each
 * loop. Returns 0 or NO_MEMORY.
 */
PLUMB_API int plumb_flow_trips(const struct plumb_flow *flow, const uint64_t *executions,
			       struct plumb_trips *trips);

#ifdef __cplusplus
}
#endif

#endif
