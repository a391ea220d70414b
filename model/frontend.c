/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches chunks behind a predictor that runs ahead; handles branches, wrong paths and flushes. */
#include "charge.h"
#include "memo.h"
#include "schedule.h"
#include "watch.h"
#include "wrong_path.h"

/* Nothing follows in the chunk; never the address of an instruction. */
#define NO_RESUME 1

/*
 * Fetches the chunk of code that begins at `pc`, once the predictor provides it (a chunk per
 * cycle, or several in a row, or two of which a branch ends the first one), L1I has it, and the
 * queue to rename has room. It ends after the bytes that are fetched at a time, or with its line.
 * Missing lines follow one another at the pace at which L1I takes them. While a page is looked up
 * beyond the L1 TLB, nothing else is: the predictor goes on after it.
 */
void fetch_chunk(struct core *core, uint64_t pc)
{
	uint64_t line_end = (pc | core->fetch_mask) + 1, end = pc + core->fetch_bytes;
	uint64_t chunk = core->chunk_sequence++, pairs = core->pairs, predict, base;
	const bool follows = core->predicted < core->predict_chunks;
	struct memory_result result;
	bool at_hand;

	predict = core->chunks[(chunk - core->fetch_ahead) & core->chunk_mask];
	predict = later(predict, core->predict - (pairs | follows));
	core->predicted = follows ? core->predicted + 1 : 1;
	core->predict = predict + 1;
	core->paired += pairs;
	core->second = (uint8_t)pairs;
	core->pairs = 0;
	at_hand = likely(!core->told) ? fetch_line(core, predict, pc, &result)
				      : told_fetch(core, predict, pc, &result);
	core->chunk_end = end < line_end ? end : line_end;

	base = core->dispatched[(core->sequence - core->fetch_queue) & core->reorder_mask];
	base = later(base, later(predict + core->fetch_latency, core->fetched + 1 - pairs));
	core->fetched = at_hand ? base : later(base, result.ready);
	core->chunks[chunk & core->chunk_mask] = core->fetched;

	core->unstalled = base + core->frontend_cycles;
	core->available = core->fetched + core->frontend_cycles;
	core->translated = 0;
	core->fetch_starve = STARVE_L1I;
	if (unlikely(!at_hand)) {
		if (result.tlb != TLB_L1_HIT) {
			core->translated =
				result.translated + core->fetch_latency + core->frontend_cycles;
			core->predict = later(core->predict, result.translated + 1);
		}
		if (result.level > LEVEL_L2)
			core->fetch_starve = STARVE_MEM;
	}

	if (core->used == core->width)
		next_cycle(core);
	if (core->available > core->cycle)
		account_starved(core, core->available);
}

static unsigned fetch_cycles(const struct core *core)
{
	return core->fetch_latency + core->frontend_cycles;
}

/* From a flush until operations that are fetched again can be renamed. */
static unsigned flush_cycles(const struct core *core)
{
	const unsigned fetch = fetch_cycles(core);

	return core->mispredict_cycles > fetch ? core->mispredict_cycles : fetch;
}

/* Flushes the pipeline at cycle `at`; everything younger is fetched again. */
void flush_pipeline(struct core *core, uint64_t at)
{
	core->flush_until = at + flush_cycles(core);
	core->predict = later(core->predict, core->flush_until - fetch_cycles(core));
	core->resume = NO_RESUME;
	core->pairs = 0;
	core->flushes++;
	if (unlikely(core->exact != NULL))
		exact_flushed(core->exact);
}

struct cycles recovery_until(const struct core *core, uint64_t until)
{
	const uint64_t flushed = core->flush_until - flush_cycles(core);
	const uint64_t begin = later(first_stalled(core), flushed);
	uint64_t end = flushed + core->recovery_cycles;

	end = end < core->flush_until ? end : core->flush_until;
	end = end < until ? end : until;
	return (struct cycles){begin, later(begin, end)};
}

/*
 * Dispatches as many operations of the wrong path as rename takes, from operation `count` on, in
 * each cycle before `until` for which there is room. Returns the number of the next operation.
 */
static inline uint64_t dispatch_at_full_width(struct core *core, uint64_t until, uint64_t count)
{
	const uint64_t first = core->sequence + count - core->reorder_entries;
	uint64_t end = first + core->width - core->used, cycle = core->cycle;

	/* Operations retire in order: if the last one that leaves has, all have. */
	while (cycle < until && end <= core->sequence &&
	       core->retired[(end - 1) & core->reorder_mask] <= cycle) {
		end += core->width;
		cycle++;
	}
	if (cycle == core->cycle)
		return count;
	core->lost_frontend += (cycle - core->cycle) * (core->slots - core->width);
	advance_to(core, cycle);
	return count + (end - core->width - first);
}

/*
 * Dispatches operations of the wrong path in the cycles before `until`. Only the reorder buffer
 * limits them. Returns their number.
 */
static uint64_t dispatch_wrong_path(struct core *core, uint64_t until)
{
	const bool noted = core->watch || core->exact;
	uint64_t count = 0;

	while (core->cycle < until) {
		uint64_t at, free;
		unsigned room, taken = 0;

		if (!noted)
			count = dispatch_at_full_width(core, until, count);
		if (core->cycle >= until)
			break;
		at = core->sequence + count - core->reorder_entries;
		room = (unsigned)(core->width - core->used);
		/* Operations retire in order: if the last one that leaves has, all have. */
		if (at + room < core->sequence + 1 &&
		    core->retired[(at + room - 1) & core->reorder_mask] <= core->cycle)
			taken = room;
		/* The branch itself cannot retire before, so the buffer limits them. */
		while (taken < room &&
		       core->retired[(at + taken) & core->reorder_mask] <= core->cycle)
			taken++;
		core->used += taken;
		count += taken;
		if (core->watch && taken)
			watch_wrong_path(core, taken);
		if (core->exact && taken)
			exact_wrong_path(core, taken);
		if (taken == room) {
			next_cycle(core);
			continue;
		}
		free = core->retired[(at + taken) & core->reorder_mask];
		account_stalled(core, free < until ? free : until, HOLD_REORDER);
	}
	return count;
}

/*
 * Returns the address of operation `number`, from 0, of the wrong path that begins at `pc`. Sets
 * `*insn` to NULL if its code is unknown. If the continuation is unknown, assumes sequential code.
 */
static uint64_t find_wrong(struct core *core, uint64_t pc, uint64_t number,
			   const struct insn **insn)
{
	struct wrong_returns returns = {0};

	*insn = NULL;
	for (;;) {
		const struct block *block =
			core->find_block ? core->find_block(core->find_user, pc) : NULL;
		const struct prepared *prepared = block ? block->model : NULL;

		if (!prepared || !prepared->count)
			return pc + 4 * number;
		if (prepared->operations <= number) {
			number -= prepared->operations;
			pc = wrong_path_next(block, &returns);
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

/* Follows the wrong path after the current branch, which resolves at `resolved`. */
static void follow_wrong_path(struct core *core, uint64_t pc, uint64_t wrong_path,
			      uint64_t resolved)
{
	uint64_t arrive = resolved, begin, operations;

	if (core->exact)
		exact_mispredicted(core);
	if (wrong_path)
		arrive = core->available + (wrong_path != pc + 4);
	account_unknown(core, arrive < resolved ? arrive : resolved);
	if (core->watch)
		core->watch->wrong.passed = 0;
	begin = core->cycle;
	operations = dispatch_wrong_path(core, resolved);
	if (core->told)
		told_wrong_path(core, operations, begin);
	count_wrong_path(core, wrong_path, operations, begin);
	if (core->exact && core->wrong_loads)
		exact_wrong_loads(core);
	if (core->watch && core->watch->wrong.tracked) {
		const struct insn *insn;
		uint64_t at = find_wrong(core, wrong_path, core->watch->wrong.number, &insn);

		watch_wrong_path_end(core, at, insn, resolved);
	}
	flush_pipeline(core, resolved);
}

/*
 * svc, brk and similar: execution continues elsewhere, once all that is older has retired. Until
 * then, the backend takes nothing else; only what comes after that recovers from a flush.
 */
static __attribute__((noinline)) void take_exception(struct core *core, const struct insn *insn)
{
	const bool call = (insn->opcode & 0xffe0001f) == 0xd4000001; /* svc */
	uint64_t taken = core->last_retired;

	if (taken > core->cycle)
		account_stalled(core, taken, BLOCK_SERIALIZED);
	if (call) {
		core->supervisor_calls++;
		core->exceptions++;
		taken = kernel_called(core, taken);
	}
	flush_pipeline(core, taken);
}

/* Handles a branch at `pc`, done at `done`, that was mispredicted or predicted late. */
static __attribute__((noinline)) void correct_prediction(struct core *core, uint64_t pc,
							 const struct predict_outcome *outcome,
							 uint64_t done)
{
	switch (outcome->result) {
	case PREDICT_TAKEN_BUBBLE:
		core->bubbles += core->params->predictor.taken_bubble;
		core->predict += core->params->predictor.taken_bubble;
		break;
	case PREDICT_DECODE:
		core->bubbles += core->fetch_latency + core->params->predictor.decode_redirect;
		core->predict = later(core->predict,
				      core->fetched + core->params->predictor.decode_redirect);
		break;
	default:
		follow_wrong_path(core, pc, outcome->wrong_path, done);
	}
}

/* Resolves the branch at the end of `block`, done at `done`, and redirects fetch. */
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
		take_exception(core, &block->insns[prepared->count - 1]);
		return;
	}
	if (likely(!core->told))
		predictor_branch(core->predictor, end - 4, kind, taken, next_pc, &outcome);
	else
		told_branch(core, end - 4, kind, taken, next_pc, &outcome);
	core->branches[kind][taken][outcome.result == PREDICT_WRONG]++;
	core->resume = taken ? NO_RESUME : end;
	core->pairs = outcome.pairs & !core->second;
	if (watched)
		watch_branch(core, block, next_pc, done, taken, outcome.result == PREDICT_WRONG);
	if (unlikely(outcome.result != PREDICT_RIGHT) && !(core->params->ideal & IDEAL_BRANCH))
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
