/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the executed instructions: dispatch in order, issue out of order, retire in order.
 * This file has the common path of most instructions; execute_other() has the rest.
 */
#include "bounds.h"
#include "charge.h"
#include "memo.h"
#include "schedule.h"
#include "watch.h"

/*
 * Dispatches in order, `width` operations per cycle, when there is room. Resources of retired
 * operations are released only when room seems to run out; until then there is at least enough.
 */
static inline void dispatch(struct core *core, const struct op *op, const struct op *end)
{
	if (core->used == core->width)
		next_cycle(core);
	if (unlikely(core->group > 1) && !core->used)
		wait_for_group(core, op, end);
	if (unlikely(!find_room(core, op)))
		make_room(core, op, end);
	core->occupied += core->queued;
	core->held += op->holds;
	core->used++;
}

/* Retires in order, `retire_width` operations per cycle, once they are done. */
static inline void retire(struct core *core, const struct op *op, uint64_t done)
{
	uint64_t at = core->sequence & core->reorder_mask;
	uint64_t first = (core->sequence - core->retire_width) & core->reorder_mask;
	uint64_t retired = later(later(core->retired[first] + 1, core->last_retired), done);

	core->sequence++;
	core->last_retired = retired;
	core->retired[at] = retired;
	core->dispatched[at] = core->cycle;
	core->holds[at] = op->holds;
}

static inline uint64_t execute_plain(struct core *core, const struct op *op)
{
	uint64_t start = later(core->ready[op->sources[0]], core->ready[op->sources[1]]);
	uint64_t done;

	start = later(later(start, core->ready[op->sources[2]]), core->cycle + 1);
	done = issue_at(core, start, op->ports, core->queued) + op->latency;
	core->ready[op->targets[0]] = done;
	core->ready[op->targets[1]] = done;
	return done;
}

/* Moves and constants that rename makes by itself take no port; their results wait for nothing. */
static inline uint64_t execute_renamed(struct core *core, const struct op *op)
{
	uint64_t start = later(core->ready[op->sources[0]], core->ready[op->sources[1]]);
	uint64_t done = later(later(start, core->ready[op->sources[2]]), core->cycle + 1);

	done += op->latency;
	core->ready[op->targets[0]] = done;
	core->ready[op->targets[1]] = done;
	return done;
}

static inline uint64_t execute(struct core *core, const struct op *op, struct cursor *cursor)
{
	if (likely(op->path == PATH_PLAIN))
		return execute_plain(core, op);
	if (likely(op->path == PATH_LOAD))
		return execute_load(core, op, cursor);
	if (likely(op->path == PATH_STORE))
		return execute_store(core, op, cursor);
	if (op->path == PATH_RENAMED)
		return execute_renamed(core, op);
	return execute_other(core, op, cursor);
}

/* Returns the operation behind the current chunk of code, or `end`. */
static inline const struct op *behind_chunk(const struct core *core, const struct block *block,
					    const struct op *op, const struct op *end)
{
	uint64_t left = (core->chunk_end - address_of(block, op)) / 4;

	return left < (uint64_t)(end - op) ? op + left : end;
}

/*
 * The loop over a block's instructions. `watched`, `charged` and `bounded` are compile-time
 * constants in most callers, so they cost nothing when they are off.
 */
static inline __attribute__((always_inline)) void
run_block(struct core *core, const struct block *block, unsigned executed,
	  const struct access *accesses, size_t access_count, uint64_t next_pc, const bool watched,
	  const bool charged, const bool bounded)
{
	const struct prepared *prepared = block->model;
	struct cursor cursor = {block, accesses, accesses + access_count};
	const struct op *op = prepared->ops, *end = op + executed, *chunk;
	const struct access *first;
	bool branches = prepared->branch && executed == prepared->count;
	uint64_t done = 0;

	if (block->pc != core->resume) {
		core->chunk_end = block->pc;
		core->predicted = UINT32_MAX;
	}
	chunk = behind_chunk(core, block, op, end);
	for (; op != end; op++) {
		if (charged)
			exact_insn_begins(core, op, index_of(block, op));
		if (op == chunk) {
			fetch_chunk(core, address_of(block, op));
			chunk = behind_chunk(core, block, op, end);
			if (charged)
				exact_fetched(core);
		}
		if (op->flags & OP_FUSED) {
			if (watched)
				watch_fused(core, block, op);
			continue;
		}
		if (op->flags & OP_MORE)
			dispatch_more(core, op->operations - 1u);
		dispatch(core, op, end);
		if (watched)
			watch_dispatched(core, op);
		if (charged)
			exact_dispatched(core);
		first = cursor.next;
		done = execute(core, op, &cursor);
		retire(core, op, done);
		if (bounded)
			bounds_operation(core, op, done);
		if (op->flags & (OP_COMMIT | OP_FLUSH)) {
			if (op->flags & OP_COMMIT) {
				if (charged)
					exact_commits(core, op);
				commit_stores(core, op, address_of(block, op));
				if (bounded)
					bounds_stored(core, op);
			}
			if (op->flags & OP_FLUSH) {
				core->isb_flushes++;
				flush_pipeline(core, core->last_retired);
				chunk = op + 1; /* is fetched again */
			}
		}
		if (charged && op->memory & MEM_ANY) {
			exact_accessed(core, op);
			if (unlikely(core->exact->shared) && op->memory & (MEM_LOAD | MEM_STORE))
				exact_shares(core, block, op, first, cursor.next);
		}
		if (watched && !(branches && op + 1 == end))
			watch_done(core, block, op, done, cursor.next != first);
	}
	if (!watched)
		count_kinds(core, block, executed);
	if (branches && watched)
		resolve_watched_branch(core, block, next_pc, done);
	else if (branches)
		resolve_branch(core, block, next_pc, done);
	else if (!(end[-1].flags & OP_FLUSH))
		core->resume = block->pc + 4ull * executed;
	if (charged)
		exact_block_ends(core, block, executed, next_pc);
	if (bounded)
		bounds_block_ends(core);
}

static __attribute__((noinline)) void run_watched(struct core *core, const struct block *block,
						  unsigned executed, const struct access *accesses,
						  size_t access_count, uint64_t next_pc)
{
	run_block(core, block, executed, accesses, access_count, next_pc, true, false, false);
}

__attribute__((noinline)) void run_charged(struct core *core, const struct block *block,
					   unsigned executed, const struct access *accesses,
					   size_t access_count, uint64_t next_pc)
{
	run_block(core, block, executed, accesses, access_count, next_pc, false, true, false);
}

/* Charges a block, and samples it or looks at its limits as well: rarely. */
static __attribute__((noinline)) void run_charged_also(struct core *core, const struct block *block,
						       unsigned executed,
						       const struct access *accesses,
						       size_t access_count, uint64_t next_pc,
						       bool watched, bool bounded)
{
	run_block(core, block, executed, accesses, access_count, next_pc, watched, true, bounded);
}

static __attribute__((noinline)) void run_bounded(struct core *core, const struct block *block,
						  unsigned executed, const struct access *accesses,
						  size_t access_count, uint64_t next_pc)
{
	run_block(core, block, executed, accesses, access_count, next_pc, false, false, true);
}

static __attribute__((noinline)) void run_shadow(struct core *shadow, const struct block *block,
						 unsigned executed, const struct access *accesses,
						 size_t access_count, uint64_t next_pc)
{
	run_block(shadow, block, executed, accesses, access_count, next_pc, false, false, false);
}

static void execute_shadows(struct core *core, const struct block *block, unsigned executed,
			    const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	for (struct core *shadow = core->shadows; shadow; shadow = shadow->shadows) {
		run_shadow(shadow, block, executed, accesses, access_count, next_pc);
		if (shadow->conditioned)
			conditions_of_block(shadow, block, accesses, access_count);
	}
}

static inline void execute_block(struct core *core, const struct block *block, unsigned executed,
				 const struct access *accesses, size_t access_count,
				 uint64_t next_pc)
{
	if (unlikely(core->observed)) {
		if (core->exact && exact_block_begins(core, block, executed)) {
			const bool watched = core->watch && watch_block(core, block, executed);
			const bool bounded = core->bounds && core->bounds->stage != BOUNDS_IDLE;

			if (unlikely(watched || bounded))
				run_charged_also(core, block, executed, accesses, access_count,
						 next_pc, watched, bounded);
			else
				run_charged(core, block, executed, accesses, access_count, next_pc);
			return;
		}
		if (core->watch && watch_block(core, block, executed)) {
			run_watched(core, block, executed, accesses, access_count, next_pc);
			return;
		}
		if (core->bounds && !core->exact && !core->watch) {
			run_bounded(core, block, executed, accesses, access_count, next_pc);
			return;
		}
	}
	run_block(core, block, executed, accesses, access_count, next_pc, false, false, false);
}

void run_plain(struct core *core, const struct block *block, unsigned executed,
	       const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	run_block(core, block, executed, accesses, access_count, next_pc, false, false, false);
}

__attribute__((noinline)) void execute_anew(struct core *core, const struct block *block,
					    unsigned executed, const struct access *accesses,
					    size_t access_count, uint64_t next_pc)
{
	expect_accesses(core, accesses, access_count);
	expect_fetch(core, next_pc);
	if (unlikely(core->shadows != NULL))
		execute_shadows(core, block, executed, accesses, access_count, next_pc);
	execute_block(core, block, executed, accesses, access_count, next_pc);
	if (unlikely(core->conditioned))
		conditions_of_block(core, block, accesses, access_count);
}

void core_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	const struct prepared *prepared = block->model;

	if (executed > prepared->count)
		executed = prepared->count;
	if (!executed)
		return;
	if (core->memo)
		memo_execute(core, block, executed, accesses, access_count, next_pc);
	else
		execute_anew(core, block, executed, accesses, access_count, next_pc);
}

void core_exception(struct core *core)
{
	for (struct core *shadow = core->shadows; shadow; shadow = shadow->shadows) {
		shadow->exceptions++;
		flush_pipeline(shadow, shadow->last_retired);
	}
	memo_leave(core);
	core->exceptions++;
	flush_pipeline(core, core->last_retired);
	if (core->exact)
		core->exact->interrupted = true;
}

void core_finish(struct core *core)
{
	for (struct core *shadow = core->shadows; shadow; shadow = shadow->shadows)
		account_unknown(shadow, shadow->last_retired);
	memo_leave(core);
	account_unknown(core, core->last_retired);
	if (core->watch)
		watch_finish(core);
}
