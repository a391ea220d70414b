/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c, dominators.c, loops.c, trips.c: branches, blocks, loops and trip counts of small
 * functions. */
#include "check.h"

#include <plumb/flow.h>

#define NOP 0xd503201f
#define ADD 0x91000400 /* add x0, x0, #1 */
#define RET 0xd65f03c0
#define BR  0xd61f0000 /* br x0 */
#define BL  0x94000400 /* far away */
/* Branches over a number of instructions. */
#define B(n)   (0x14000000u | ((uint32_t)(n)&0x3ffffffu))
#define BEQ(n) (0x54000000u | ((uint32_t)(n)&0x7ffffu) << 5)
#define CBZ(n) (0xb4000000u | ((uint32_t)(n)&0x7ffffu) << 5)
#define TBZ(n) (0x36000000u | ((uint32_t)(n)&0x3fffu) << 5)

#define NONE PLUMB_FLOW_NONE

static struct plumb_flow *flow_of(const uint32_t *words, size_t count)
{
	struct plumb_flow *flow;

	assert_int_equal(0, plumb_flow_new(0x400000, words, count, &flow));
	return flow;
}

#define FLOW(...)                                \
	flow_of((const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void expect_block(const struct plumb_flow *flow, size_t i, uint32_t first, uint32_t count,
			 uint32_t next, uint32_t target, bool leaves)
{
	struct plumb_block block;

	assert_true(plumb_flow_block(flow, i, &block));
	assert_int_equal(first, block.first);
	assert_int_equal(count, block.count);
	assert_int_equal(next, block.successors[0]);
	assert_int_equal(target, block.successors[1]);
	assert_int_equal(leaves, block.leaves);
	assert_int_equal(i, plumb_flow_block_of(flow, first));
	assert_int_equal(i, plumb_flow_block_of(flow, first + count - 1));
}

static void expect_loop(const struct plumb_flow *flow, size_t i, uint32_t header, uint32_t parent,
			unsigned depth, uint32_t blocks)
{
	struct plumb_loop loop;

	assert_true(plumb_flow_loop(flow, i, &loop));
	assert_int_equal(header, loop.header);
	assert_int_equal(parent, loop.parent);
	assert_int_equal(depth, loop.depth);
	assert_int_equal(blocks, loop.block_count);
}

static void expect_loops(const struct plumb_flow *flow, size_t count)
{
	struct plumb_loop loop;

	assert_int_equal(count != 0, count == 0 ? plumb_flow_loop(flow, 0, &loop)
						: plumb_flow_loop(flow, count - 1, &loop));
	assert_false(plumb_flow_loop(flow, count, &loop));
}

static void expect_trips(const struct plumb_flow *flow, const uint64_t *executions, size_t loop,
			 uint64_t iterations, int64_t entries)
{
	struct plumb_trips trips[8];

	assert_int_equal(0, plumb_flow_trips(flow, executions, trips));
	assert_int_equal(iterations, trips[loop].iterations);
	assert_int_equal(entries >= 0, trips[loop].known);
	if (entries >= 0)
		assert_int_equal(entries, trips[loop].entries);
}

static void expect_branch(uint64_t address, uint32_t word, enum plumb_branch_kind kind,
			  int64_t target)
{
	struct plumb_branch branch = plumb_branch_of(address, word);

	assert_int_equal(kind, branch.kind);
	assert_int_equal(target >= 0, branch.has_target);
	if (target >= 0)
		assert_int_equal(target, branch.target);
}

static void branches(void **state)
{
	(void)state;
	expect_branch(0x1000, NOP, PLUMB_BRANCH_NONE, -1);
	expect_branch(0x1000, B(2), PLUMB_BRANCH_JUMP, 0x1008);
	expect_branch(0x1000, B(-1), PLUMB_BRANCH_JUMP, 0xffc);
	expect_branch(0x1000, BEQ(-4), PLUMB_BRANCH_CONDITIONAL, 0xff0);
	expect_branch(0x1000, CBZ(3), PLUMB_BRANCH_CONDITIONAL, 0x100c);
	expect_branch(0x1000, TBZ(-2), PLUMB_BRANCH_CONDITIONAL, 0xff8);
	expect_branch(0x1000, BL, PLUMB_BRANCH_CALL, 0x2000);
	expect_branch(0x1000, BR, PLUMB_BRANCH_INDIRECT, -1);
	expect_branch(0x1000, 0xd63f0020, PLUMB_BRANCH_INDIRECT_CALL, -1); /* blr x1 */
	expect_branch(0x1000, RET, PLUMB_BRANCH_RETURN, -1);
	expect_branch(0x1000, 0xd65f0bff, PLUMB_BRANCH_RETURN, -1);    /* retaa */
	expect_branch(0x1000, 0xd4000001, PLUMB_BRANCH_EXCEPTION, -1); /* svc #0 */
	expect_branch(0x1000, 0xffffffff, PLUMB_BRANCH_NONE, -1);
}

static void straight_code(void **state)
{
	struct plumb_flow *flow = FLOW(NOP, BL, NOP, RET);

	(void)state;
	expect_block(flow, 0, 0, 4, NONE, NONE, true);
	expect_loops(flow, 0);
	assert_int_equal(NONE, plumb_flow_block_of(flow, 4));
	plumb_flow_free(flow);
	/* No instructions at all, and a function that ends in the middle. */
	flow = flow_of(NULL, 0);
	expect_loops(flow, 0);
	assert_int_equal(0, plumb_flow_trips(flow, NULL, NULL));
	plumb_flow_free(flow);
	flow = FLOW(NOP);
	expect_block(flow, 0, 0, 1, NONE, NONE, true);
	plumb_flow_free(flow);
	plumb_flow_free(NULL);
}

/* if (a) b; else c; */
static void choice_of_two(void **state)
{
	struct plumb_flow *flow = FLOW(NOP, BEQ(3), NOP, B(2), NOP, RET);

	(void)state;
	expect_block(flow, 0, 0, 2, 1, 2, false);
	expect_block(flow, 1, 2, 2, NONE, 3, false);
	expect_block(flow, 2, 4, 1, 3, NONE, false);
	expect_block(flow, 3, 5, 1, NONE, NONE, true);
	expect_loops(flow, 0);
	plumb_flow_free(flow);
}

static void one_loop(void **state)
{
	/* do { 1; } while (2); */
	struct plumb_flow *flow = FLOW(NOP, NOP, BEQ(-1), RET);

	(void)state;
	expect_loops(flow, 1);
	expect_loop(flow, 0, 1, NONE, 1, 1);
	assert_false(plumb_flow_contains(flow, 0, 0));
	assert_true(plumb_flow_contains(flow, 0, 1));
	assert_false(plumb_flow_contains(flow, 0, 2));
	assert_false(plumb_flow_contains(flow, 0, 99));
	expect_trips(flow, (const uint64_t[]){3, 300, 300, 3}, 0, 300, 3);
	plumb_flow_free(flow);

	/* for (;;) at the very start of the function: it is entered from outside. */
	flow = FLOW(NOP, B(-1));
	expect_loops(flow, 1);
	expect_loop(flow, 0, 0, NONE, 1, 1);
	expect_trips(flow, (const uint64_t[]){7, 7}, 0, 7, 0);
	plumb_flow_free(flow);

	/* while (0) { 1; if (2) continue; 3; }: two latches, one loop, whose body ran ten times. */
	flow = FLOW(CBZ(5), NOP, TBZ(-2), NOP, B(-4), RET);
	expect_loops(flow, 1);
	expect_loop(flow, 0, 0, NONE, 1, 3);
	expect_trips(flow, (const uint64_t[]){11, 10, 10, 6, 6, 1}, 0, 10, 1);
	plumb_flow_free(flow);
}

/* Code without a branch is cut into blocks that go on to each other. */
static void long_block(void **state)
{
	enum { COUNT = 2 * PLUMB_BLOCK_MAX + 4 };
	uint32_t *words = calloc(COUNT, sizeof(*words));
	struct plumb_flow *flow;
	struct plumb_block block;

	(void)state;
	assert_non_null(words);
	for (size_t i = 0; i < COUNT; i++)
		words[i] = 0x91000400; /* add x0, x0, #1 */
	words[COUNT - 1] = BEQ(1 - COUNT);
	assert_int_equal(plumb_flow_new(0x1000, words, COUNT, &flow), 0);
	for (size_t b = 0; b < 3; b++) {
		assert_true(plumb_flow_block(flow, b, &block));
		assert_int_equal(block.first, b * PLUMB_BLOCK_MAX);
		assert_int_equal(block.count, b < 2 ? PLUMB_BLOCK_MAX : 4);
		assert_int_equal(block.successors[0], b < 2 ? b + 1 : NONE);
		assert_int_equal(block.loop, 0);
	}
	assert_false(plumb_flow_block(flow, 3, &block));
	expect_loops(flow, 1);
	expect_loop(flow, 0, 0, NONE, 1, 3);
	plumb_flow_free(flow);
	free(words);
}

/* Two loops inside one, the second of which has one inside. */
static void nested_loops(void **state)
{
	struct plumb_flow *flow = FLOW(NOP,          /* 0 */
				       NOP,          /* 1: outer */
				       NOP, BEQ(-1), /* 2: first inner */
				       NOP,          /* 4: second inner */
				       NOP, CBZ(-1), /* 5: innermost */
				       NOP, BEQ(-4), BEQ(-8), RET);
	static const uint64_t executions[] = {1, 4, 40, 40, 20, 100, 100, 20, 20, 4, 1};
	struct plumb_loop loop;
	unsigned seen = 0;

	(void)state;
	expect_loops(flow, 4);
	expect_loop(flow, 0, plumb_flow_block_of(flow, 1), NONE, 1, 6);
	for (size_t i = 0; plumb_flow_loop(flow, i, &loop); i++) {
		struct plumb_block block;

		assert_true(plumb_flow_block(flow, loop.header, &block));
		assert_int_equal(i, block.loop);
		seen |= 1u << block.first;
		switch (block.first) {
		case 1:
			expect_trips(flow, executions, i, 4, 1);
			break;
		case 2:
			assert_int_equal(0, loop.parent);
			assert_int_equal(1, loop.block_count);
			expect_trips(flow, executions, i, 40, 4);
			break;
		case 4:
			assert_int_equal(0, loop.parent);
			assert_int_equal(3, loop.block_count);
			expect_trips(flow, executions, i, 20, 4);
			break;
		case 5:
			assert_int_equal(3, loop.depth);
			expect_trips(flow, executions, i, 100, 20);
			assert_true(plumb_flow_contains(flow, 0, loop.header));
			assert_true(plumb_flow_contains(flow, loop.parent, loop.header));
			break;
		default:
			fail();
		}
	}
	assert_int_equal(1 << 1 | 1 << 2 | 1 << 4 | 1 << 5, seen);
	plumb_flow_free(flow);
}

/* Two entries: no block dominates the other, so there is no natural loop. */
static void irreducible(void **state)
{
	struct plumb_flow *flow = FLOW(BEQ(2), NOP, NOP, BEQ(-2), RET);

	(void)state;
	expect_block(flow, 0, 0, 1, 1, 2, false);
	expect_loops(flow, 0);
	plumb_flow_free(flow);
}

/* Code that only an indirect branch leads to, with a loop; nobody knows how often it is entered. */
static void indirect(void **state)
{
	struct plumb_flow *flow = FLOW(BR, ADD, ADD, BEQ(-1), BEQ(-3), RET);

	(void)state;
	expect_block(flow, 0, 0, 1, NONE, NONE, true);
	expect_loops(flow, 2);
	expect_loop(flow, 0, 1, NONE, 1, 3);
	expect_loop(flow, 1, 2, 0, 2, 1);
	expect_trips(flow, (const uint64_t[]){5, 6, 9, 9, 6, 2}, 1, 9, -1);
	plumb_flow_free(flow);
	/* A loop that nothing leads to. */
	flow = FLOW(RET, ADD, B(-1));
	expect_loops(flow, 1);
	expect_loop(flow, 0, 1, NONE, 1, 1);
	plumb_flow_free(flow);
}

/* What fills up to an alignment is not executed with the code behind it, unless that falls into it.
 */
static void padding(void **state)
{
	struct plumb_flow *flow = FLOW(BR, NOP, NOP, ADD, BEQ(2), RET, NOP);

	(void)state;
	expect_block(flow, 0, 0, 1, NONE, NONE, true);
	expect_block(flow, 1, 1, 2, 2, NONE, false);
	expect_block(flow, 2, 3, 2, 3, 4, false);
	expect_block(flow, 3, 5, 1, NONE, NONE, true);
	expect_block(flow, 4, 6, 1, NONE, NONE, true);
	plumb_flow_free(flow);
	flow = FLOW(BEQ(3), NOP, ADD, RET);
	expect_block(flow, 1, 1, 2, 2, NONE, false);
	plumb_flow_free(flow);
}

/* Any words at all: every loop's header dominates what closes it, so headers are in their loops,
 * and inner loops in outer ones. */
static void anything(void **state)
{
	enum { COUNT = 200 };
	uint32_t words[COUNT], seed = 1;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct plumb_flow *flow;
		struct plumb_loop loop;
		struct plumb_block block;
		struct plumb_trips trips[COUNT];
		uint64_t executions[COUNT];

		for (size_t i = 0; i < COUNT; i++) {
			int distance;

			seed = seed * 1664525 + 1013904223;
			distance = (int)(seed >> 16 & 63) - 32;
			words[i] = seed >> 30 == 0    ? BEQ(distance)
				   : seed >> 29 == 2  ? B(distance)
				   : seed >> 27 == 12 ? (seed >> 8 & 1 ? RET : BR)
						      : NOP;
			executions[i] = seed >> 20;
		}
		flow = flow_of(words, COUNT);
		for (size_t i = 0; plumb_flow_loop(flow, i, &loop); i++) {
			uint32_t blocks = 0;

			assert_true(plumb_flow_contains(flow, i, loop.header));
			for (size_t b = 0; plumb_flow_block(flow, b, &block); b++)
				blocks += plumb_flow_contains(flow, i, (uint32_t)b);
			assert_int_equal(blocks, loop.block_count);
			if (loop.parent != NONE) {
				assert_true(loop.parent < i);
				assert_true(plumb_flow_contains(flow, loop.parent, loop.header));
			}
		}
		assert_int_equal(0, plumb_flow_trips(flow, executions, trips));
		plumb_flow_free(flow);
	}
}

/* ---- Loops by their definition, which takes long -----------------------------------------------
 */

enum { SMALL = 60 };

struct small {
	struct plumb_block blocks[SMALL];
	uint32_t count;
	bool root[SMALL];
};

/* Marks what can be reached from `block` without going through `without`. */
static void reach(const struct small *graph, uint32_t block, uint32_t without, bool *reached)
{
	if (block == without || reached[block])
		return;
	reached[block] = true;
	for (unsigned s = 0; s < 2; s++)
		if (graph->blocks[block].successors[s] != NONE)
			reach(graph, graph->blocks[block].successors[s], without, reached);
}

static bool leads_to(const struct small *graph, uint32_t from, uint32_t to)
{
	return graph->blocks[from].successors[0] == to || graph->blocks[from].successors[1] == to;
}

/* The first block, those that nothing leads to, and the first of each part not reached from them.
 */
static void find_roots(struct small *graph)
{
	bool reached[SMALL] = {0};

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t b = 0; b < graph->count; b++) {
			bool entered = false;

			for (uint32_t from = 0; from < graph->count; from++)
				entered |= leads_to(graph, from, b);
			graph->root[b] |= b == 0 || !entered || (pass && !reached[b]);
			if (graph->root[b])
				reach(graph, b, NONE, reached);
		}
}

/* Whether no way from a root to `b` avoids `a`. */
static bool dominates(const struct small *graph, uint32_t a, uint32_t b)
{
	bool reached[SMALL] = {0};

	for (uint32_t root = 0; root < graph->count; root++)
		if (graph->root[root])
			reach(graph, root, a, reached);
	return !reached[b];
}

/* Whether `b` is in the loop of `header`: it reaches one of the latches without the header. */
static bool is_inside(const struct small *graph, uint32_t header, uint32_t b)
{
	bool reached[SMALL] = {0};

	if (b == header)
		return true;
	if (!dominates(graph, header, b))
		return false;
	reach(graph, b, header, reached);
	for (uint32_t latch = 0; latch < graph->count; latch++)
		if (reached[latch] && leads_to(graph, latch, header) &&
		    dominates(graph, header, latch))
			return true;
	return false;
}

static void check_loops(const struct plumb_flow *flow, const struct small *graph)
{
	uint32_t loop_of[SMALL];
	struct plumb_loop loop;

	memset(loop_of, 0xff, sizeof(loop_of));
	for (uint32_t i = 0; plumb_flow_loop(flow, i, &loop); i++) {
		assert_int_equal(NONE, loop_of[loop.header]);
		loop_of[loop.header] = i;
	}
	for (uint32_t header = 0; header < graph->count; header++) {
		bool closed = false;

		for (uint32_t latch = 0; latch < graph->count; latch++)
			closed |= leads_to(graph, latch, header) && dominates(graph, header, latch);
		assert_int_equal(closed, loop_of[header] != NONE);
		for (uint32_t b = 0; closed && b < graph->count; b++)
			assert_int_equal(is_inside(graph, header, b),
					 plumb_flow_contains(flow, loop_of[header], b));
	}
}

static void loops_by_definition(void **state)
{
	uint32_t words[SMALL], seed = 7;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct small graph = {0};
		struct plumb_flow *flow;

		for (size_t i = 0; i < SMALL; i++) {
			int distance;

			seed = seed * 1664525 + 1013904223;
			distance = (int)(seed >> 16 & 31) - 14;
			words[i] = seed >> 31       ? NOP
				   : seed >> 28 < 6 ? BEQ(distance)
				   : seed >> 28 < 7 ? B(distance)
						    : BR;
		}
		flow = flow_of(words, SMALL);
		while (plumb_flow_block(flow, graph.count, &graph.blocks[graph.count]))
			if (++graph.count == SMALL)
				break;
		find_roots(&graph);
		check_loops(flow, &graph);
		plumb_flow_free(flow);
	}
}

/* ---- Made up to take long ----------------------------------------------------------------------
 */

/*
 * Two rows of blocks, where each of the first leads to the next and to one of the second, which
 * leads to its next: each of these is only dominated by the very first block, and comparing its two
 * predecessors step by step goes through the whole row.
 */
static void ladder(void **state)
{
	enum { LENGTH = 100000 };
	uint32_t *words = calloc(2 * LENGTH + 1, sizeof(*words));
	struct plumb_flow *flow;

	(void)state;
	assert_non_null(words);
	for (size_t i = 0; i < LENGTH; i++)
		words[i] = BEQ(LENGTH);
	/* The second row. */
	for (size_t i = LENGTH; i < 2 * LENGTH; i++)
		words[i] = NOP;
	words[2 * LENGTH] = BEQ(-LENGTH);
	flow = flow_of(words, 2 * LENGTH + 1);
	/* The last block leads back to the first of the second row: which only block 0 dominates.
	 */
	expect_block(flow, LENGTH - 1, LENGTH - 1, 1, LENGTH, 2 * LENGTH - 1, false);
	expect_loops(flow, 0);
	plumb_flow_free(flow);
	/* Back to the first block of all, which is a loop of everything. */
	words[2 * LENGTH] = B(-2 * LENGTH);
	flow = flow_of(words, 2 * LENGTH + 1);
	expect_loops(flow, 1);
	expect_loop(flow, 0, 0, NONE, 1, 2 * LENGTH);
	plumb_flow_free(flow);
	free(words);
}

/* Loops in loops: `header` is block i, and its latch the i-th from the end. */
static void deep_nest(void **state)
{
	enum { DEPTH = 50000 };
	uint32_t *words = calloc(2 * DEPTH + 1, sizeof(*words));
	uint64_t *executions = calloc(2 * DEPTH + 1, sizeof(*executions));
	struct plumb_trips *trips = calloc(DEPTH, sizeof(*trips));
	struct plumb_flow *flow;

	(void)state;
	assert_non_null(words);
	assert_non_null(executions);
	assert_non_null(trips);
	for (int i = 0; i < DEPTH; i++) {
		words[i] = NOP;
		words[2 * DEPTH - 1 - i] = BEQ(2 * i + 1 - 2 * DEPTH);
	}
	words[2 * DEPTH] = RET;
	for (size_t i = 0; i <= 2 * DEPTH; i++)
		executions[i] = 1;
	flow = flow_of(words, 2 * DEPTH + 1);
	expect_loops(flow, DEPTH);
	expect_loop(flow, 0, 0, NONE, 1, 2 * DEPTH - 1);
	expect_loop(flow, DEPTH / 2, DEPTH / 2, DEPTH / 2 - 1, DEPTH / 2 + 1, DEPTH - 1);
	expect_loop(flow, DEPTH - 1, DEPTH - 1, DEPTH - 2, DEPTH, 1);
	assert_true(plumb_flow_contains(flow, 0, DEPTH - 1));
	assert_false(plumb_flow_contains(flow, DEPTH - 1, 0));
	assert_false(plumb_flow_contains(flow, DEPTH, 0));
	assert_int_equal(0, plumb_flow_trips(flow, executions, trips));
	plumb_flow_free(flow);
	free(words);
	free(executions);
	free(trips);
}

/*
 * for (...) body; as compilers write it without optimization:
 *
 *     0:  b 2
 *     1:  nop         the body
 *     2:  b.eq 4      the test
 *     3:  b 1
 *     4:  ret
 */
static void test_first(void **state)
{
	struct plumb_flow *flow = FLOW(B(2), NOP, BEQ(2), B(-2), RET);

	(void)state;
	expect_loops(flow, 1);
	expect_trips(flow, (uint64_t[]){50, 150, 200, 150, 50}, 0, 150, 50);
	/* It may also never run. */
	expect_trips(flow, (uint64_t[]){50, 0, 50, 0, 50}, 0, 0, 50);
	plumb_flow_free(flow);
	/* The same with a break in the body: each execution of the header may do work. */
	flow = FLOW(B(2), BEQ(3), BEQ(2), B(-2), RET);
	expect_loops(flow, 1);
	expect_trips(flow, (uint64_t[]){50, 150, 190, 150, 50}, 0, 190, 50);
	plumb_flow_free(flow);
	/* And with a return there. */
	flow = FLOW(B(3), BEQ(2), RET, BEQ(2), B(-3), RET);
	expect_loops(flow, 1);
	expect_trips(flow, (uint64_t[]){50, 150, 10, 190, 150, 40}, 0, 190, 50);
	plumb_flow_free(flow);
	/* The header's work and the test are one block. */
	flow = FLOW(NOP, BEQ(0), RET);
	expect_trips(flow, (uint64_t[]){50, 200, 50}, 0, 200, 50);
	plumb_flow_free(flow);
}

/*
 * The loop's trips are known once all the branches before it are, each of which depends on the two
 * before: it takes forever to go through the whole function for each.
 *
 *     0:           b.eq 2          executed 20 times, taken 10 times
 *     1:           b.eq 3          executed 10 times, never taken
 *     2:           b.eq 4          executed 20 times ...
 *     LENGTH - 1:  nop             executed 10 times
 *     LENGTH:      b.eq LENGTH     entered 20 times
 *     LENGTH + 1:  ret
 */
static void long_chain(void **state)
{
	enum { LENGTH = 400000 };
	uint32_t *words = calloc(LENGTH + 2, sizeof(*words));
	uint64_t *executions = calloc(LENGTH + 2, sizeof(*executions));
	struct plumb_trips trips[1];
	struct plumb_flow *flow;

	(void)state;
	assert_non_null(words);
	assert_non_null(executions);
	for (size_t i = 0; i < LENGTH; i++)
		words[i] = BEQ(2);
	for (size_t i = 0; i < LENGTH; i++)
		executions[i] = i % 2 ? 10 : 20;
	words[LENGTH - 1] = NOP;
	words[LENGTH] = BEQ(0);
	words[LENGTH + 1] = RET;
	executions[LENGTH] = 500;
	executions[LENGTH + 1] = 20;
	flow = flow_of(words, LENGTH + 2);
	expect_loops(flow, 1);
	assert_int_equal(0, plumb_flow_trips(flow, executions, trips));
	assert_int_equal(500, trips[0].iterations);
	assert_true(trips[0].known);
	assert_int_equal(20, trips[0].entries);
	plumb_flow_free(flow);
	free(words);
	free(executions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches),      cmocka_unit_test(straight_code),
		cmocka_unit_test(choice_of_two), cmocka_unit_test(one_loop),
		cmocka_unit_test(long_block),    cmocka_unit_test(nested_loops),
		cmocka_unit_test(irreducible),   cmocka_unit_test(indirect),
		cmocka_unit_test(padding),       cmocka_unit_test(anything),
		cmocka_unit_test(test_first),    cmocka_unit_test(loops_by_definition),
		cmocka_unit_test(ladder),        cmocka_unit_test(deep_nest),
		cmocka_unit_test(long_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
