/* SPDX-License-Identifier: Apache-2.0 */
/* From instruction words to a graph of blocks. */
#include "disasm/flow.h"

#include <stdlib.h>

#include "insn.h"

/* What assemblers align code with. */
#define NOP 0xd503201fu

struct plumb_branch plumb_branch_of(uint64_t address, uint32_t word)
{
	static const uint8_t kinds[] = {
		[BRANCH_NONE] = PLUMB_BRANCH_NONE,
		[BRANCH_IMMEDIATE] = PLUMB_BRANCH_JUMP,
		[BRANCH_CONDITIONAL] = PLUMB_BRANCH_CONDITIONAL,
		[BRANCH_CALL] = PLUMB_BRANCH_CALL,
		[BRANCH_INDIRECT] = PLUMB_BRANCH_INDIRECT,
		[BRANCH_INDIRECT_CALL] = PLUMB_BRANCH_INDIRECT_CALL,
		[BRANCH_RETURN] = PLUMB_BRANCH_RETURN,
		[BRANCH_EXCEPTION] = PLUMB_BRANCH_EXCEPTION,
	};
	struct plumb_branch branch = {PLUMB_BRANCH_NONE, false, 0};
	struct insn insn;

	if (!insn_decode(word, 16, &insn))
		return branch;
	branch.kind = kinds[insn.branch];
	branch.has_target = branch.kind == PLUMB_BRANCH_JUMP ||
			    branch.kind == PLUMB_BRANCH_CONDITIONAL ||
			    branch.kind == PLUMB_BRANCH_CALL;
	if (branch.has_target)
		branch.target = address + (uint64_t)insn.target;
	return branch;
}

/* Instructions after which the next one need not be executed. svc returns; brk does not matter. */
static bool ends_block(enum plumb_branch_kind kind)
{
	return kind == PLUMB_BRANCH_JUMP || kind == PLUMB_BRANCH_CONDITIONAL ||
	       kind == PLUMB_BRANCH_INDIRECT || kind == PLUMB_BRANCH_RETURN;
}

/* Returns the index of the instruction at `address`, or `count` if it is not in the function. */
static size_t index_of(uint64_t start, size_t count, uint64_t address)
{
	uint64_t distance = address - start;

	return distance % 4 == 0 && distance / 4 < count ? (size_t)(distance / 4) : count;
}

/*
 * Returns the first instruction from `i` on that does not merely fill up to an alignment: what a
 * branch that is not listed leads to.
 */
static size_t skip_padding(const uint32_t *words, size_t count, size_t i)
{
	while (i < count && words[i] == NOP)
		i++;
	return i;
}

/* Numbers the blocks: block_of[i] becomes the block of instruction i. */
static void number_blocks(struct plumb_flow *flow, uint64_t start, const uint32_t *words)
{
	size_t count = flow->instruction_count, target, first = 0;
	uint32_t block = 0;

	/* 1 where a block begins. */
	flow->block_of[0] = 1;
	for (size_t i = 0; i < count; i++) {
		struct plumb_branch branch = plumb_branch_of(start + 4 * i, words[i]);

		if (!ends_block(branch.kind))
			continue;
		if (i + 1 < count)
			flow->block_of[i + 1] = 1;
		target = branch.kind == PLUMB_BRANCH_CONDITIONAL
				 ? count
				 : skip_padding(words, count, i + 1);
		if (target < count)
			flow->block_of[target] = 1;
		target = branch.has_target ? index_of(start, count, branch.target) : count;
		if (target < count)
			flow->block_of[target] = 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (flow->block_of[i] || i - first == PLUMB_BLOCK_MAX) {
			first = i;
			block++;
		}
		flow->block_of[i] = block - 1;
	}
	flow->block_count = block;
}

static void describe_block(struct plumb_flow *flow, uint64_t start, const uint32_t *words,
			   struct plumb_block *block)
{
	size_t last = block->first + block->count - 1, target;
	struct plumb_branch branch = plumb_branch_of(start + 4 * last, words[last]);
	bool falls = branch.kind != PLUMB_BRANCH_JUMP && branch.kind != PLUMB_BRANCH_INDIRECT &&
		     branch.kind != PLUMB_BRANCH_RETURN;

	block->successors[0] = block->successors[1] = PLUMB_FLOW_NONE;
	block->loop = PLUMB_FLOW_NONE;
	block->leaves = branch.kind == PLUMB_BRANCH_INDIRECT || branch.kind == PLUMB_BRANCH_RETURN;
	flow->indirect |= branch.kind == PLUMB_BRANCH_INDIRECT;
	if (falls && last + 1 < flow->instruction_count)
		block->successors[0] = flow->block_of[last + 1];
	else if (falls)
		block->leaves = true;
	if (!ends_block(branch.kind) || !branch.has_target)
		return;
	target = index_of(start, flow->instruction_count, branch.target);
	if (target == flow->instruction_count)
		block->leaves = true;
	else if (flow->block_of[target] != block->successors[0])
		block->successors[1] = flow->block_of[target];
}

static bool describe_blocks(struct plumb_flow *flow, uint64_t start, const uint32_t *words)
{
	flow->blocks = calloc(flow->block_count, sizeof(*flow->blocks));
	if (!flow->blocks)
		return false;
	for (size_t i = 0; i < flow->instruction_count; i++) {
		struct plumb_block *block = &flow->blocks[flow->block_of[i]];

		if (block->count++ == 0)
			block->first = (uint32_t)i;
	}
	for (uint32_t i = 0; i < flow->block_count; i++)
		describe_block(flow, start, words, &flow->blocks[i]);
	return true;
}

static bool list_predecessors(struct plumb_flow *flow)
{
	uint32_t *first = calloc((size_t)flow->block_count + 2, sizeof(*first));

	flow->first_predecessor = first;
	flow->predecessors = calloc(2 * (size_t)flow->block_count, sizeof(uint32_t));
	if (!first || !flow->predecessors)
		return false;
	for (uint32_t i = 0; i < flow->block_count; i++)
		for (unsigned s = 0; s < 2; s++)
			if (flow->blocks[i].successors[s] != PLUMB_FLOW_NONE)
				first[flow->blocks[i].successors[s] + 2]++;
	for (uint32_t i = 2; i < flow->block_count + 2; i++)
		first[i] += first[i - 1];
	/* first[i + 1] is where the next predecessor of i goes; in the end it is i + 1's first. */
	for (uint32_t i = 0; i < flow->block_count; i++)
		for (unsigned s = 0; s < 2; s++) {
			uint32_t to = flow->blocks[i].successors[s];

			if (to != PLUMB_FLOW_NONE)
				flow->predecessors[first[to + 1]++] = i;
		}
	return true;
}

int plumb_flow_new(uint64_t start, const uint32_t *words, size_t count, struct plumb_flow **flow)
{
	struct plumb_flow *made;

	*flow = NULL;
	if (count > 1u << 28)
		return PLUMB_ERR_LIMIT;
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->instruction_count = count;
	made->block_of = calloc(count + 1, sizeof(*made->block_of));
	if (!made->block_of)
		goto fail;
	if (count)
		number_blocks(made, start, words);
	if (count && (!describe_blocks(made, start, words) || !list_predecessors(made) ||
		      flow_find_loops(made) < 0))
		goto fail;
	*flow = made;
	return 0;
fail:
	plumb_flow_free(made);
	return PLUMB_ERR_NO_MEMORY;
}

void plumb_flow_free(struct plumb_flow *flow)
{
	if (!flow)
		return;
	free(flow->blocks);
	free(flow->block_of);
	free(flow->predecessors);
	free(flow->first_predecessor);
	free(flow->loops);
	free(flow->loop_spans);
	free(flow);
}

bool plumb_flow_block(const struct plumb_flow *flow, size_t i, struct plumb_block *block)
{
	if (i >= flow->block_count)
		return false;
	*block = flow->blocks[i];
	return true;
}

uint32_t plumb_flow_block_of(const struct plumb_flow *flow, size_t instruction)
{
	return instruction < flow->instruction_count ? flow->block_of[instruction]
						     : PLUMB_FLOW_NONE;
}

bool plumb_flow_loop(const struct plumb_flow *flow, size_t i, struct plumb_loop *loop)
{
	if (i >= flow->loop_count)
		return false;
	*loop = flow->loops[i];
	return true;
}

bool plumb_flow_contains(const struct plumb_flow *flow, size_t loop, uint32_t block)
{
	uint32_t at = block < flow->block_count ? flow->blocks[block].loop : PLUMB_FLOW_NONE;

	return at != PLUMB_FLOW_NONE && loop < flow->loop_count &&
	       flow_span_contains(flow->loop_spans[loop], flow->loop_spans[at]);
}
