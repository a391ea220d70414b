/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch by chunks, behind a predictor that runs ahead; branches, the wrong path, flushes. */
#include "schedule.h"
#include "watch.h"

/* No instruction follows in the chunk: not an instruction's address. */
#define NO_RESUME 1

/*
 * Fetches the chunk of code that holds `pc`: as the predictor gives it, a chunk a cycle, when L1I
 * has it and the queue to rename has room.
 */
void fetch_chunk(struct core *core, uint64_t pc)
{
	uint64_t chunk = core->chunk_sequence++, predict, base;
	struct memory_result result;

	predict = core->chunks[(chunk - core->fetch_ahead) & core->chunk_mask];
	predict = later(predict, core->predict);
	core->predict = predict + 1;
	memory_fetch(core->memory, predict, pc, &result);

	base = core->dispatched[(core->sequence - core->fetch_queue) & core->reorder_mask];
	base = later(base, later(predict + core->fetch_latency, core->fetched + 1));
	core->fetched = later(base, result.ready);
	core->chunks[chunk & core->chunk_mask] = core->fetched;

	core->unstalled = base + core->frontend_cycles;
	core->available = core->fetched + core->frontend_cycles;
	core->translated = 0;
	if (result.tlb != TLB_L1_HIT)
		core->translated = result.translated + core->fetch_latency + core->frontend_cycles;
	core->fetch_starve = result.level > LEVEL_L2 ? STARVE_MEM : STARVE_L1I;

	if (core->used == core->slots)
		next_cycle(core);
	if (core->available > core->cycle)
		account_starved(core, core->available);
}

/* What follows `at` must be fetched anew. */
void flush_pipeline(struct core *core, uint64_t at)
{
	unsigned fetch = core->fetch_latency + core->frontend_cycles;
	unsigned redirect = core->mispredict_cycles > fetch ? core->mispredict_cycles - fetch : 0;

	core->predict = later(core->predict, at + redirect);
	core->flush_until = at + redirect + fetch;
	core->resume = NO_RESUME;
	core->flushes++;
}

/*
 * Dispatches operations of the wrong path in the cycles before `until`: only the reorder buffer
 * holds them up. Returns how many.
 */
static uint64_t dispatch_wrong_path(struct core *core, uint64_t until)
{
	uint64_t count = 0;

	while (core->cycle < until) {
		uint64_t at = core->sequence + count - core->reorder_entries, free;
		unsigned slots = core->slots - core->used, taken = 0;

		/* The branch itself does not retire before: no more than the buffer has. */
		while (taken < slots &&
		       core->retired[(at + taken) & core->reorder_mask] <= core->cycle)
			taken++;
		core->used += taken;
		count += taken;
		if (core->watch && taken)
			watch_wrong_path(core, taken);
		if (taken == slots) {
			next_cycle(core);
			continue;
		}
		free = core->retired[(at + taken) & core->reorder_mask];
		account_stalled(core, free < until ? free : until, HOLD_REORDER);
	}
	return count;
}

/* Where a wrong path most likely goes on behind `block`; 0 if that is not known. */
static uint64_t wrong_path_next(const struct block *block, const struct prepared *prepared)
{
	uint64_t last = block->pc + 4ull * (prepared->count - 1u);

	switch (prepared->branch) {
	case BRANCH_IMMEDIATE:
	case BRANCH_CALL:
		return last + (uint64_t)block->insns[prepared->count - 1].target;
	case BRANCH_NONE:
	case BRANCH_CONDITIONAL:
		return last + 4;
	default:
		return 0;
	}
}

/*
 * The `number`-th operation, from 0, of the wrong path that begins at `pc`; `*insn` is NULL if its
 * code is not known. Where the path is not known to go on, it goes on in sequence.
 */
static uint64_t find_wrong(struct core *core, uint64_t pc, uint64_t number,
			   const struct insn **insn)
{
	*insn = NULL;
	for (;;) {
		const struct block *block =
			core->find_block ? core->find_block(core->find_user, pc) : NULL;
		const struct prepared *prepared = block ? block->model : NULL;

		if (!prepared || !prepared->count)
			return pc + 4 * number;
		if (prepared->operations <= number) {
			number -= prepared->operations;
			pc = wrong_path_next(block, prepared);
			if (!pc)
				pc = block->pc + 4ull * prepared->count;
			continue;
		}
		for (unsigned i = 0;; i++) {
			if (number < prepared->ops[i].operations) {
				*insn = &block->insns[i];
				return block->pc + 4ull * i;
			}
			number -= prepared->ops[i].operations;
		}
	}
}

/* Counts what the wrong path's operations were, as far as its code has been seen. */
static void count_wrong_path(struct core *core, uint64_t pc, uint64_t operations)
{
	core->wrong_operations += operations;
	while (operations) {
		const struct block *block =
			pc && core->find_block ? core->find_block(core->find_user, pc) : NULL;
		const struct prepared *prepared = block ? block->model : NULL;

		if (!prepared || !prepared->count)
			break;
		if (prepared->operations <= operations) {
			account_prepared(core, block, prepared->count);
			core->wrong_instructions += prepared->count;
			operations -= prepared->operations;
			pc = wrong_path_next(block, prepared);
			core->wrong_taken += pc != block->pc + 4ull * prepared->count;
			continue;
		}
		for (unsigned i = 0; operations && i < prepared->count; i++) {
			unsigned own = prepared->ops[i].operations;

			account_kinds(core, &block->insns[i]);
			core->wrong_instructions++;
			operations -= own < operations ? own : operations;
		}
	}
	core->wrong_instructions += operations;
	core->wrong_unknown += operations;
}

/* Fetch went wrong behind the branch at hand, which resolves at `resolved`. */
static void follow_wrong_path(struct core *core, uint64_t pc, uint64_t wrong_path,
			      uint64_t resolved)
{
	uint64_t arrive = resolved;

	if (wrong_path)
		arrive = core->available + (wrong_path != pc + 4);
	account_unknown(core, arrive < resolved ? arrive : resolved);
	if (core->watch)
		core->watch->wrong.passed = 0;
	count_wrong_path(core, wrong_path, dispatch_wrong_path(core, resolved));
	if (core->watch && core->watch->wrong.tracked) {
		const struct insn *insn;
		uint64_t at = find_wrong(core, wrong_path, core->watch->wrong.number, &insn);

		watch_wrong_path_end(core, at, insn, resolved);
	}
	flush_pipeline(core, resolved);
}

/* svc, brk and their kin: what follows is elsewhere. */
static void take_exception(struct core *core, const struct insn *insn, uint64_t done)
{
	if ((insn->opcode & 0xffe0001f) == 0xd4000001) { /* svc */
		core->supervisor_calls++;
		core->exceptions++;
	}
	flush_pipeline(core, done);
}

/* The prediction of the branch at `pc`, which is done at `done`, was not simply right. */
static void correct_prediction(struct core *core, uint64_t pc,
			       const struct predict_outcome *outcome, uint64_t done)
{
	switch (outcome->result) {
	case PREDICT_TAKEN_BUBBLE:
		core->predict += core->params->predictor.taken_bubble;
		break;
	case PREDICT_DECODE:
		core->predict = later(core->predict,
				      core->fetched + core->params->predictor.decode_redirect);
		break;
	default:
		follow_wrong_path(core, pc, outcome->wrong_path, done);
	}
}

/* The last instruction of `block` is a branch, done at `done`: what fetch does about it. */
static inline __attribute__((always_inline)) void resolve(struct core *core,
							  const struct block *block,
							  uint64_t next_pc, uint64_t done,
							  const bool watched)
{
	const struct prepared *prepared = block->model;
	uint64_t end = block->pc + 4ull * prepared->count;
	unsigned kind = prepared->branch;
	bool taken = kind != BRANCH_CONDITIONAL || next_pc != end;
	struct predict_outcome outcome;

	if (unlikely(kind == BRANCH_EXCEPTION)) {
		if (watched)
			watch_branch(core, block, next_pc, done, false, false);
		take_exception(core, &block->insns[prepared->count - 1], done);
		return;
	}
	predictor_branch(core->predictor, end - 4, kind, taken, next_pc, &outcome);
	core->branches[kind][taken][outcome.result == PREDICT_WRONG]++;
	core->resume = taken ? NO_RESUME : end;
	if (watched)
		watch_branch(core, block, next_pc, done, taken, outcome.result == PREDICT_WRONG);
	if (unlikely(outcome.result != PREDICT_RIGHT))
		correct_prediction(core, end - 4, &outcome, done);
}

void resolve_branch(struct core *core, const struct block *block, uint64_t next_pc, uint64_t done)
{
	resolve(core, block, next_pc, done, false);
}

void resolve_watched_branch(struct core *core, const struct block *block, uint64_t next_pc,
			    uint64_t done)
{
	resolve(core, block, next_pc, done, true);
	watch_counts(core, block, prepared_last(block));
}
