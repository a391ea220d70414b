/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a function, the path through it that samples describe, and what it costs in a core.
 */
#include "disasm/replay.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/replay_core.h"
#include "exact.h"

/* Executed in all, and at most from one random start. */
#define INSTRUCTIONS 150000
#define STRETCH      2000
_Static_assert(PLUMB_BLOCK_MAX <= UINT16_MAX, "a block fits into the core's");
/* Functions of this many instructions, at most. */
#define FUNCTION_MAX (1u << 18)
/* Mean waits from dispatch to issue, in cycles, that tell how fast the core was. */
#define WAITED_LEAST 16
#define WAITED_MOST  4000 /* counters end soon after */

/* ---- The code -------------------------------------------------------------------------------- */

/* What ends no block, or leaves the function, is executed like any other operation. */
static void decode(struct replay *replay, const uint32_t *words, size_t i, bool last)
{
	struct insn *insn = &replay->insns[i];

	insn_decode(words[i], replay->params->vector_bytes, insn);
	switch (insn->branch) {
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
	case BRANCH_EXCEPTION:
		insn->branch = BRANCH_NONE;
		break;
	case BRANCH_RETURN:
		insn->branch = BRANCH_INDIRECT;
		break;
	default:
		break;
	}
	if (!last)
		insn->branch = BRANCH_NONE;
}

/* Returns how many samples there are for each operation of a block that samples may be of. */
static double rate_of(const struct replay *replay, const struct plumb_block *block,
		      const struct prepared *prepared)
{
	double samples = 0, operations = 0;

	for (uint32_t i = 0; i < block->count; i++) {
		samples += replay->instructions[block->first + i].samples;
		operations += replay->params->spe.instructions ? 1 : prepared->ops[i].operations;
	}
	return operations > 0 ? samples / operations : 0;
}

/*
 * Notes of which operations the core shows at the end of their block when they issued: those that
 * only compute, and whose result is still there.
 */
static void find_shown(struct replay *replay, size_t b, size_t first)
{
	const struct prepared *prepared = replay->blocks[b].model;
	bool overwritten[READY_COUNT] = {[READY_NOWHERE] = true};

	for (unsigned i = prepared->count; i-- > 0;) {
		const struct op *op = &prepared->ops[i];

		replay->shows[first + i] = !overwritten[op->targets[0]] &&
					   !(op->memory & MEM_ANY) && op->path != PATH_RENAMED;
		for (unsigned t = 0; t < OP_TARGETS; t++)
			overwritten[op->targets[t]] = true;
	}
}

static int prepare_code(struct replay *replay, const uint32_t *words)
{
	struct plumb_block block;
	double sum = 0;

	while (plumb_flow_block(replay->flow, replay->block_count, &block))
		replay->block_count++;
	replay->insns = calloc(replay->count + 1, sizeof(*replay->insns));
	replay->blocks = calloc(replay->block_count + 1, sizeof(*replay->blocks));
	replay->rates = calloc(replay->block_count + 1, sizeof(double));
	replay->cumulative = calloc(replay->block_count + 1, sizeof(double));
	replay->reached = calloc(replay->block_count + 1, sizeof(*replay->reached));
	replay->accesses = calloc(replay->count + 1, sizeof(*replay->accesses));
	replay->arrivals = calloc(replay->count + 1, sizeof(*replay->arrivals));
	replay->slots = calloc(replay->count + 1, sizeof(double));
	replay->backend = calloc(replay->count + 1, sizeof(double));
	replay->queued = calloc(replay->count + 1, sizeof(*replay->queued));
	replay->missed = calloc(replay->count + 1, sizeof(double));
	replay->executed = calloc(replay->count + 1, sizeof(double));
	replay->shows = calloc(replay->count + 1, sizeof(*replay->shows));
	replay->waited = calloc(replay->count + 1, sizeof(double));
	replay->waits = calloc(replay->count + 1, sizeof(double));
	if (!replay->insns || !replay->blocks || !replay->rates || !replay->cumulative ||
	    !replay->reached || !replay->accesses || !replay->arrivals || !replay->slots ||
	    !replay->backend || !replay->queued || !replay->missed || !replay->executed ||
	    !replay->shows || !replay->waited || !replay->waits)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t b = 0; plumb_flow_block(replay->flow, b, &block); b++) {
		for (uint32_t i = block.first; i < block.first + block.count; i++) {
			decode(replay, words, i, i + 1 == block.first + block.count);
			sum += replay->instructions[i].samples;
		}
		replay->cumulative[b] = sum;
		replay->blocks[b] = (struct block){
			.pc = replay->address + 4ull * block.first,
			.id = (uint32_t)b,
			.count = (uint16_t)block.count,
			.insns = &replay->insns[block.first],
		};
		if (!core_prepare_block(replay->params, &replay->blocks[b]))
			return PLUMB_ERR_NO_MEMORY;
		replay->rates[b] = rate_of(replay, &block, replay->blocks[b].model);
		find_shown(replay, b, block.first);
	}
	return sum > 0 ? 0 : PLUMB_ERR_LIMIT;
}

/* ---- The path -------------------------------------------------------------------------------- */

static size_t draw_block(struct replay *replay)
{
	double at = replay_draw(replay) * replay->cumulative[replay->block_count - 1];
	size_t low = 0, high = replay->block_count - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (replay->cumulative[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Draws whether a conditional branch to another block is taken. */
static bool draw_taken(struct replay *replay, const struct plumb_block *block,
		       const struct replay_instruction *branch)
{
	double next =
		block->successors[0] == PLUMB_FLOW_NONE ? 0 : replay->rates[block->successors[0]];
	double target =
		block->successors[1] == PLUMB_FLOW_NONE ? 0 : replay->rates[block->successors[1]];
	/* Few samples of the branch count together with those of where it leads. */
	double prior = next + target > 0 ? target / (next + target) : 0.5;

	return replay_draw(replay) * (branch->taken + branch->not_taken + 1) <
	       branch->taken + prior;
}

static bool draw_mispredicted(struct replay *replay, const struct replay_instruction *branch,
			      bool taken)
{
	double all = taken ? branch->taken : branch->not_taken;

	return replay_draw(replay) * all <
	       (taken ? branch->mispredicted_taken : branch->mispredicted_not_taken);
}

/*
 * Chooses the block that comes after one, and whether its branch is mispredicted. Returns the
 * number of blocks if the path leaves the function, or nobody knows where it goes.
 */
static size_t choose_next(struct replay *replay, const struct plumb_block *block)
{
	uint32_t last = block->first + block->count - 1;
	const struct replay_instruction *branch = &replay->instructions[last];
	const struct insn *insn = &replay->insns[last];
	uint64_t address = replay->address + 4ull * last;
	uint32_t to = block->successors[0];
	bool taken = insn->branch != BRANCH_CONDITIONAL;

	replay->mispredicts = false;
	if (insn->branch == BRANCH_NONE)
		return to == PLUMB_FLOW_NONE ? replay->block_count : to;
	if (insn->branch == BRANCH_CONDITIONAL)
		taken = block->successors[1] != PLUMB_FLOW_NONE &&
			draw_taken(replay, block, branch);
	replay->mispredicts = draw_mispredicted(replay, branch, taken);
	replay->wrong_path = 0;
	if (insn->branch == BRANCH_CONDITIONAL)
		replay->wrong_path = taken ? address + 4 : address + (uint64_t)insn->target;
	if (taken)
		to = block->successors[1];
	return to == PLUMB_FLOW_NONE ? replay->block_count : to;
}

/* Chooses lines that no other execution accesses. `first` is the index of the block's first one. */
static size_t make_accesses(struct replay *replay, const struct block *block, size_t first)
{
	size_t count = 0;

	for (unsigned i = 0; i < block->count; i++) {
		const struct insn *insn = &block->insns[i];
		struct arrival *arrival = replay_arrival(replay, first + i);

		if (!(insn->memory & (MEM_LOAD | MEM_STORE)))
			continue;
		if (arrival == &replay->arrivals[first + i]) {
			*arrival = (struct arrival){.address = replay->next};
			replay->next += ACCESS_STEP;
		}
		replay->accesses[count++] = (struct access){
			.address = arrival->address,
			.insn = (uint16_t)i,
			.bytes = insn->access_bytes <= ACCESS_STEP ? insn->access_bytes
								   : ACCESS_STEP,
		};
	}
	return count;
}

/*
 * Notes how long the operations of a block waited for others, of which the first has the number
 * `sequence`.
 */
static void note_waits(struct replay *replay, const struct core *core, size_t b, size_t first,
		       uint64_t sequence)
{
	const struct prepared *prepared = replay->blocks[b].model;

	/* The core forgets when older ones were dispatched. */
	if (core->sequence - sequence > core->reorder_mask)
		return;
	for (unsigned i = 0; i < prepared->count; i++) {
		const struct op *op = &prepared->ops[i];
		uint64_t begun, ready;

		sequence += op->operations;
		if (!replay->shows[first + i])
			continue;
		begun = core->dispatched[(sequence - 1) & core->reorder_mask] + op->latency;
		ready = core->ready[op->targets[0]];
		replay->waited[first + i] += ready > begun ? (double)(ready - begun) : 0;
		replay->waits[first + i]++;
	}
}

/*
 * Returns the block where the path begins anew: any, as often as its samples say, and in the end
 * each that has samples and was not executed yet, for what it costs is not known otherwise. The
 * number of blocks: there is none.
 */
static size_t start_anew(struct replay *replay, unsigned executed)
{
	if (executed < INSTRUCTIONS)
		return draw_block(replay);
	for (; replay->behind < replay->block_count; replay->behind++)
		if (!replay->reached[replay->behind] && replay->rates[replay->behind] > 0)
			break;
	return replay->behind;
}

static void follow_path(struct replay *replay, struct core *core)
{
	size_t b = draw_block(replay), next, accesses;
	uint64_t sequence, pc;
	unsigned executed = 0, limit = INSTRUCTIONS, stretch = 0;
	bool seldom = false;
	struct plumb_block block;

	while (b < replay->block_count && executed < limit) {
		plumb_flow_block(replay->flow, b, &block);
		next = choose_next(replay, &block);
		replay->reached[b] = true;
		executed += block.count;
		stretch += block.count;
		if (next == replay->block_count || stretch >= STRETCH ||
		    (executed >= INSTRUCTIONS && limit == INSTRUCTIONS)) {
			limit = executed >= INSTRUCTIONS ? 2 * INSTRUCTIONS : limit;
			next = start_anew(replay, executed);
			stretch = 0;
		}
		pc = next < replay->block_count ? replay->blocks[next].pc : replay->address;
		accesses = make_accesses(replay, &replay->blocks[b], block.first);
		sequence = core->sequence;
		core_execute(core, &replay->blocks[b], replay->blocks[b].count, replay->accesses,
			     accesses, pc);
		/* What is seldom executed tells nothing of the pace. */
		if (!seldom)
			note_waits(replay, core, b, block.first, sequence);
		seldom = limit > INSTRUCTIONS;
		b = next;
	}
}

/* ---- The result ------------------------------------------------------------------------------ */

static void take_counts(void *user, uint32_t context, uint64_t pc,
			const struct profile_counts *counted)
{
	const uint64_t *counts = counted->of;
	struct replay *replay = user;
	size_t i = (pc - replay->address) / 4;

	(void)context;
	replay->executed[i] += (double)counts[EXACT_INST_RETIRED];
	replay->slots[i] += (double)counts[EXACT_OP_RETIRED];
	for (unsigned e = EXACT_SLOTS_BAD_SPECULATION; e <= EXACT_SLOTS_BACKEND_RECOVERY; e++) {
		replay->slots[i] += (double)counts[e];
		if (e >= EXACT_SLOTS_BACKEND_L1D && e <= EXACT_SLOTS_BACKEND_QUEUE_OTHER)
			replay->backend[i] += (double)counts[e];
	}
	replay->queued[i][REPLAY_QUEUE_LOADS] += (double)counts[EXACT_SLOTS_BACKEND_LOAD_QUEUE];
	replay->queued[i][REPLAY_QUEUE_STORES] += (double)counts[EXACT_SLOTS_BACKEND_STORE_QUEUE];
	replay->queued[i][REPLAY_QUEUE_BOTH] += (double)counts[EXACT_SLOTS_BACKEND_QUEUE_LS];
	replay->missed[i] += (double)counts[EXACT_SLOTS_BACKEND_L1D];
}

static int run(struct replay *replay, struct memory_system *system)
{
	uint64_t counts[EVENT_COUNT] = {0};
	struct exact *exact = exact_new();
	struct core *core = core_new(replay->params, system, counts);
	int error = PLUMB_ERR_NO_MEMORY;

	if (exact && core) {
		core->predictor->replay = replay;
		core_set_exact(core, exact);
		follow_path(replay, core);
		exact_tell(core, take_counts, replay);
		error = exact_failed(exact) ? PLUMB_ERR_NO_MEMORY : 0;
	}
	core_free(core);
	exact_free(exact);
	return error;
}

/*
 * Returns by how much operations waited longer, by their samples, than in the replay; 1 if hardly
 * any of them waited. About as many are in the core at a time, so they wait as long as this many
 * take to pass (Little's law): that is by how much the replay was too fast. If the counters ended
 * in most of the waits, nobody knows.
 */
static double find_pace(const struct replay *replay)
{
	double sampled = 0, replayed = 0, unknown = 0;

	for (size_t i = 0; i < replay->count; i++) {
		const struct replay_instruction *instruction = &replay->instructions[i];
		double waited;

		if (instruction->waited >= WAITED_MOST)
			unknown += instruction->samples * instruction->waited;
		if (!(replay->waits[i] > 0) || instruction->waited >= WAITED_MOST)
			continue;
		waited = replay->waited[i] / replay->waits[i];
		if (waited < WAITED_LEAST && instruction->waited < WAITED_LEAST)
			continue;
		sampled += instruction->samples * instruction->waited;
		replayed += instruction->samples * waited;
	}
	return sampled > unknown && replayed > 0 ? sampled / replayed : 1;
}

/* Returns what to multiply the backend's lost slots by, so that the replay has the right pace. */
static double backend_factor(const struct replay *replay)
{
	double all = 0, backend = 0, rest;

	for (size_t i = 0; i < replay->count; i++) {
		all += replay->slots[i];
		backend += replay->backend[i];
	}
	rest = find_pace(replay) * all - (all - backend);
	return backend > 0 && rest > 0 ? rest / backend : 0;
}

/*
 * An instruction costs as much each time as in the replay, as often as its block was sampled. But
 * if latencies overlapped less in the replay than they do, the backend lost less.
 */
static void find_slots(const struct replay *replay, double *slots, struct replay_shares *shares)
{
	const double factor = backend_factor(replay);
	struct plumb_block block;

	for (size_t b = 0; plumb_flow_block(replay->flow, b, &block); b++)
		for (uint32_t i = block.first; i < block.first + block.count; i++) {
			const double all = replay->slots[i] + (factor - 1) * replay->backend[i];

			slots[i] = replay->executed[i] > 0
					   ? replay->rates[b] * all / replay->executed[i]
					   : replay->instructions[i].samples;
			if (!(slots[i] > 0 && all > 0))
				continue;
			for (unsigned q = 0; q < REPLAY_QUEUES; q++)
				shares[i].queued[q] = factor * replay->queued[i][q] / all;
			shares[i].missed = factor * replay->missed[i] / all;
		}
}

const struct core_params *replay_params(const struct plumb_cost_core *core)
{
	return core ? (const struct core_params *)(const void *)core : model_cores[0];
}

int replay_function(const struct plumb_cost_core *core, const struct plumb_flow *flow,
		    uint64_t address, const uint32_t *words, size_t count,
		    const struct replay_instruction *instructions, double *slots,
		    struct replay_shares *shares)
{
	struct memory_system system = {
		.replay = {.params = replay_params(core),
			   .flow = flow,
			   .instructions = instructions,
			   .address = address,
			   .count = count,
			   .next = ACCESS_STEP},
	};
	struct replay *replay = &system.replay;
	int error = PLUMB_ERR_LIMIT;

	if (count && count <= FUNCTION_MAX)
		error = prepare_code(replay, words);
	if (error == 0)
		error = run(replay, &system);
	if (error == 0)
		find_slots(replay, slots, shares);
	for (size_t b = 0; replay->blocks && b < replay->block_count; b++)
		core_release_block(&replay->blocks[b]);
	free(replay->insns);
	free(replay->blocks);
	free(replay->rates);
	free(replay->cumulative);
	free(replay->reached);
	free(replay->accesses);
	free(replay->arrivals);
	free(replay->slots);
	free(replay->backend);
	free(replay->queued);
	free(replay->missed);
	free(replay->executed);
	free(replay->shows);
	free(replay->waited);
	free(replay->waits);
	return error;
}
