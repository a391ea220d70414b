/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of wrong paths are, as far as their code is known. */
#include "wrong_path.h"

#include <stdlib.h>
#include <string.h>

#include "memo_graph.h"

#define PATHS 512 /* that are remembered; a power of two */

/* The sums of the first operations of a wrong path. */
struct wrong_path {
	uint64_t pc, operations;
	uint32_t made; /* core.blocks_made when the code was as it is here */
	bool known;    /* these are the sums */
	uint16_t largest;
	uint32_t instructions, taken, unknown;
	lanes kinds;
};

struct wrong_paths {
	struct wrong_path paths[PATHS];
};

struct wrong_paths *wrong_paths_new(void)
{
	struct wrong_paths *paths = aligned_alloc(64, sizeof(*paths));

	if (paths)
		memset(paths, 0, sizeof(*paths));
	return paths;
}

uint64_t wrong_path_next(const struct block *block, struct wrong_returns *returns)
{
	const struct prepared *prepared = block->model;
	const uint64_t last = block->pc + 4ull * (prepared->count - 1u);
	const int64_t offset = block->insns[prepared->count - 1].target;

	switch (prepared->branch) {
	case BRANCH_CALL:
		if (returns->count == WRONG_RETURNS)
			memmove(returns->at, returns->at + 1,
				--returns->count * sizeof(*returns->at));
		returns->at[returns->count++] = last + 4;
		return last + (uint64_t)offset;
	case BRANCH_IMMEDIATE:
		return last + (uint64_t)offset;
	case BRANCH_CONDITIONAL:
		return offset < 0 ? last + (uint64_t)offset : last + 4;
	case BRANCH_NONE:
		return last + 4;
	case BRANCH_RETURN:
		return returns->count ? returns->at[--returns->count] : 0;
	default:
		return 0;
	}
}

/* Returns the block at `pc`, if its code is known. */
static const struct block *find_known(const struct core *core, uint64_t pc)
{
	const struct block *block =
		pc && core->find_block ? core->find_block(core->find_user, pc) : NULL;
	const struct prepared *prepared = block ? block->model : NULL;

	return prepared && prepared->count ? block : NULL;
}

/* Adds what `more` operations of a block, but not all, are. */
static void add_some(struct wrong_path *path, uint64_t sums[LANE_COUNT], const struct block *block,
		     uint64_t more)
{
	const struct prepared *prepared = block->model;

	for (unsigned i = 0; more && i < prepared->count; i++) {
		const unsigned own = prepared->ops[i].operations;

		add_kinds(sums, &block->insns[i]);
		path->instructions++;
		more -= own < more ? own : more;
	}
}

/*
 * Sums up what the first operations of a wrong path are. Returns false if that depends on more than
 * the code, or is too much for the lanes.
 */
static bool sum_up(const struct core *core, struct wrong_path *path)
{
	uint64_t sums[LANE_COUNT] = {0}, pc = path->pc, left = path->operations, largest = 1;
	struct wrong_returns returns = {0};
	const struct block *block;

	path->instructions = path->taken = 0;
	while (left && (block = find_known(core, pc))) {
		const struct prepared *prepared = block->model;

		if (!prepared->whole || (prepared->predicated && core->activity))
			return false;
		if (prepared->operations > left) {
			add_some(path, sums, block, left);
			left = 0;
			break;
		}
		for (int i = 0; i < LANE_COUNT; i++)
			sums[i] += prepared->kinds[i];
		path->instructions += prepared->count;
		left -= prepared->operations;
		pc = wrong_path_next(block, &returns);
		path->taken += pc != block->pc + 4ull * prepared->count;
	}
	path->unknown = (uint32_t)left;
	for (int i = 0; i < LANE_COUNT; i++) {
		largest = later(largest, sums[i]);
		path->kinds[i] = (uint16_t)sums[i];
	}
	path->largest = (uint16_t)largest;
	return largest <= UINT16_MAX / 4 && left <= UINT32_MAX;
}

static void count_sums(struct core *core, const struct wrong_path *path)
{
	if (core->room < path->largest)
		account_recent(core);
	core->room -= path->largest;
	core->wrong_kinds += path->largest;
	core->recent += path->kinds;
	core->wrong_instructions += path->instructions + path->unknown;
	core->wrong_taken += path->taken;
	core->wrong_unknown += path->unknown;
}

/*
 * The same branches go the same wrong ways again, so the sums are remembered. Returns false if they
 * have to be found in another way.
 */
static bool count_remembered(struct core *core, uint64_t pc, uint64_t operations)
{
	struct wrong_path *path = &core->wrong_paths->paths[(pc >> 2 ^ operations * 61) % PATHS];
	const uint32_t made = atomic_load_explicit(core->blocks_made, memory_order_acquire);

	if (path->pc != pc || path->operations != operations || path->made != made) {
		path->pc = pc;
		path->operations = operations;
		path->made = made;
		path->known = sum_up(core, path);
	}
	if (path->known)
		count_sums(core, path);
	return path->known;
}

/* Counts in any way; the loads may access the caches. */
static void count_slowly(struct core *core, uint64_t pc, uint64_t operations, uint64_t cycle)
{
	const uint64_t all = operations;
	struct wrong_returns returns = {0};
	const struct block *block;
	unsigned i;

	if (core->memo)
		core->memo->disturbed++;
	wrong_path_begins(core);
	while (operations && (block = find_known(core, pc))) {
		const struct prepared *prepared = block->model;

		if (prepared->operations <= operations) {
			account_prepared(core, block, prepared->count);
			if (prepared->predicated)
				account_activity(core, block, 0, prepared->count, true);
			core->wrong_instructions += prepared->count;
			wrong_path_loads(core, block, prepared->count,
					 cycle + 1 + (all - operations) / core->width);
			operations -= prepared->operations;
			pc = wrong_path_next(block, &returns);
			core->wrong_taken += pc != block->pc + 4ull * prepared->count;
			continue;
		}
		cycle += 1 + (all - operations) / core->width;
		for (i = 0; operations && i < prepared->count; i++) {
			unsigned own = prepared->ops[i].operations;

			account_kinds(core, &block->insns[i]);
			account_activity(core, block, i, i + 1, true);
			core->wrong_instructions++;
			operations -= own < operations ? own : operations;
		}
		wrong_path_loads(core, block, i, cycle);
	}
	core->wrong_instructions += operations;
	core->wrong_unknown += operations;
}

void count_wrong_path(struct core *core, uint64_t pc, uint64_t operations, uint64_t cycle)
{
	core->wrong_operations += operations;
	if (!operations)
		return wrong_path_begins(core);
	if (core->wrong_loads || !core->blocks_made || !count_remembered(core, pc, operations))
		count_slowly(core, pc, operations, cycle);
}
