/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stores move a line between L1D and L2 without a record that shows it: stores of whole lines
 * in sequence pass L1D by, and lines that are fetched ahead miss nowhere. But they take the time of
 * the path between the two.
 */
#include <stdlib.h>

#include "disasm/replay_core.h"

/* The pages that loads of a loop access, from the first on to the one before the end. */
struct range {
	uint64_t first, end;
};

static struct range pages_of(const struct replay_instruction *instruction)
{
	return (struct range){instruction->first_page,
			      (uint64_t)instruction->first_page + instruction->pages};
}

static void widen(struct range *range, const struct replay_instruction *load)
{
	const struct range pages = pages_of(load);

	if (range->end == 0)
		*range = pages;
	range->first = pages.first < range->first ? pages.first : range->first;
	range->end = pages.end > range->end ? pages.end : range->end;
}

/* Returns whether at least half of the pages are ones that loads access, too. */
static bool are_loaded(const struct range *pages, const struct range *loads)
{
	const uint64_t first = pages->first > loads->first ? pages->first : loads->first;
	const uint64_t end = pages->end < loads->end ? pages->end : loads->end;

	return first < end && 2 * (end - first) >= pages->end - pages->first;
}

static double moves_of(const struct replay_instruction *store, const struct range *loads,
		       const struct core_params *params)
{
	const struct range pages = pages_of(store);
	double moves;

	if (!store->stores || store->line_before || !store->offsets ||
	    (uint64_t)store->pages << REPLAY_PAGE_LOG2 <= params->l1d.bytes ||
	    are_loaded(&pages, loads))
		return 0;
	/* Where accesses of a walk begin in a line tells how many a line has. */
	moves = store->samples / __builtin_popcountll(store->offsets) - store->misses;
	return moves > 0 ? moves : 0;
}

int replay_find_moves(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		      struct replay_instruction *instructions)
{
	struct range *loads;
	struct plumb_block block;
	struct plumb_loop loop;
	size_t count = 0;

	while (plumb_flow_loop(flow, count, &loop))
		count++;
	/* The last one is of the code outside loops. */
	loads = calloc(count + 1, sizeof(*loads));
	if (!loads)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t b = 0; plumb_flow_block(flow, b, &block); b++)
		for (uint32_t i = block.first; i < block.first + block.count; i++)
			if (instructions[i].alike && instructions[i].pages)
				widen(&loads[block.loop == PLUMB_FLOW_NONE ? count : block.loop],
				      &instructions[i]);
	for (size_t b = 0; plumb_flow_block(flow, b, &block); b++)
		for (uint32_t i = block.first; i < block.first + block.count; i++)
			instructions[i].moves =
				moves_of(&instructions[i],
					 &loads[block.loop == PLUMB_FLOW_NONE ? count : block.loop],
					 replay_params(core));
	free(loads);
	return 0;
}
