/* SPDX-License-Identifier: Apache-2.0 */
#include "warm.h"

#include <string.h>

#include "charge.h"
#include "memo.h"
#include "pipeline.h"

/*
 * How far data may be ahead. In a stretch that waits for memory longer than the given pace says,
 * time goes faster, or queues would grow without end.
 */
#define AHEAD_MAX 2048
/* How far time may be ahead of the given pace, to be caught up with: a stall, and what it held up.
 */
#define LAG_MAX 1024

#define WALK_STEPS 4 /* of a page that no walk came near, at most */

#define NO_RESUME 1 /* never the address of an instruction */

void warm_begin(struct warmer *warmer, struct core *core)
{
	memo_leave(core);
	memo_settle(core); /* what it has executed, for warm_note_instructions() */
	*warmer = (struct warmer){.core = core, .cycle = core->cycle};
	warmer->paced = warmer->retired = later(core->cycle, core->last_retired);
}

static inline void wait_for(struct warmer *warmer, const struct memory_result *result)
{
	if (unlikely(result->ready > warmer->cycle + AHEAD_MAX))
		warmer->cycle = result->ready - AHEAD_MAX;
}

/* Fetches the lines of a block. That of the block before is the most recent one already. */
static inline void fetch(struct warmer *warmer, uint64_t pc, uint64_t end)
{
	const uint64_t bytes = (uint64_t)warmer->core->fetch_mask + 1;
	struct memory_result result;

	for (uint64_t at = pc & ~(bytes - 1); at < end; at += bytes) {
		if (warmer->line == at + 1)
			continue;
		warmer->line = at + 1;
		memory_fetch(warmer->core->memory, warmer->cycle, at > pc ? at : pc, &result);
		wait_for(warmer, &result);
	}
}

/*
 * A store leaves in order, once older loads have their data and it has an entry of the store
 * buffer, which it holds until L1D has the line. While all entries of the store queue are taken,
 * nothing executes. So no more requests are on their way than in detail, and prefetchers find as
 * many buffers free.
 */
static inline void store(struct warmer *warmer, const struct op *op, uint64_t pc,
			 const struct access *access, unsigned bytes, struct memory_result *result)
{
	struct core *core = warmer->core;
	const uint64_t number = core->buffer_sequence++;
	uint64_t *left = &warmer->left[number % core->params->store_entries];
	uint64_t start = core->buffered[(number - core->buffer_entries) & core->buffer_mask];

	warmer->cycle = later(warmer->cycle, *left);
	start = later(later(start, core->store_left), later(warmer->cycle, warmer->retired));
	memory_store(core->memory, start, pc, access->address, bytes, op->memory & MEM_ZERO,
		     result);
	core->stores_gone = later(core->stores_gone, result->ready);
	core->buffered[number & core->buffer_mask] = core->stores_gone;
	core->store_left = *left = start;
}

static inline void make_access(struct warmer *warmer, const struct op *op, uint64_t pc,
			       const struct access *access)
{
	struct memory *memory = warmer->core->memory;
	const unsigned bytes = access->bytes ? access->bytes : 1;
	struct memory_result result = {0};

	if (op->memory & MEM_LOAD)
		memory_load(memory, warmer->cycle, pc, access->address, bytes,
			    op->memory & (MEM_ATOMIC | MEM_EXCLUSIVE), &result);
	if (op->memory & MEM_STORE) {
		memory_translate(memory, warmer->cycle, access->address, bytes, &result);
		/* Its address is known when it retires. */
		warmer->retired = later(warmer->retired, result.ready);
		store(warmer, op, pc, access, bytes, &result);
		return;
	}
	if (!(op->memory & (MEM_LOAD | MEM_STORE)))
		memory_prefetch(memory, warmer->cycle, access->address, op->flags & OP_FOR_STORE);
	wait_for(warmer, &result);
	if (op->memory & MEM_LOAD)
		warmer->retired = later(warmer->retired, result.ready);
}

/*
 * Instructions retire in order, at the given pace, and behind loads when these have their data.
 * Others are dispatched as far ahead of that as the reorder buffer has room. So loads are ahead of
 * stores as in detail, both come in bursts, and prefetchers find as many buffers free.
 */
static inline void pass_time(struct warmer *warmer, unsigned executed, uint32_t pace)
{
	const struct core_params *params = warmer->core->params;
	const uint64_t paced = warmer->fraction + (uint64_t)executed * pace;
	const uint64_t quick =
		warmer->quick + (uint64_t)executed * (WARM_PACE_ONE / params->rename_width);

	warmer->paced += paced / WARM_PACE_ONE;
	warmer->fraction = paced % WARM_PACE_ONE;
	warmer->retired = later(warmer->retired, warmer->paced);
	if (warmer->retired > warmer->paced + LAG_MAX)
		warmer->paced = warmer->retired - LAG_MAX;
	warmer->cycle += quick / WARM_PACE_ONE;
	warmer->quick = quick % WARM_PACE_ONE;
	for (warmer->room -= (int)executed; warmer->room < 0;) {
		warmer->room += params->reorder_entries / WARM_PARTS + 1;
		warmer->cycle = later(warmer->cycle, warmer->parts[warmer->part]);
		warmer->parts[warmer->part] = warmer->retired;
		warmer->part = (warmer->part + 1) % WARM_PARTS;
	}
}

/* Returns whether the branch at the end of a block was mispredicted. */
static inline bool follow_branch(struct core *core, const struct block *block, uint64_t next_pc)
{
	const struct prepared *prepared = block->model;
	const uint64_t end = block->pc + 4ull * prepared->count;
	const unsigned kind = prepared->branch;
	struct predict_outcome outcome;

	if (kind == BRANCH_EXCEPTION)
		return false;
	predictor_branch(core->predictor, end - 4, kind,
			 kind != BRANCH_CONDITIONAL || next_pc != end, next_pc, &outcome);
	return outcome.result == PREDICT_WRONG;
}

void warm_execute(struct warmer *warmer, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc,
		  uint32_t pace)
{
	const struct prepared *prepared = block->model;
	struct core *core = warmer->core;

	if (executed > prepared->count)
		executed = prepared->count;
	if (!executed)
		return;
	expect_accesses(core, accesses, access_count);
	fetch(warmer, block->pc, block->pc + 4ull * executed);
	for (size_t i = 0; i < access_count && accesses[i].insn < executed; i++)
		make_access(warmer, &prepared->ops[accesses[i].insn],
			    block->pc + 4ull * accesses[i].insn, &accesses[i]);
	warmer->mispredicted = prepared->branch && executed == prepared->count &&
			       follow_branch(core, block, next_pc);
	core->instructions += executed;
	pass_time(warmer, executed, pace);
}

/* ---- the pipeline ------------------------------------------------------------------------- */

static void move_all(uint64_t *times, uint64_t count, uint64_t by)
{
	for (uint64_t i = 0; i < count; i++)
		times[i] += by;
}

/*
 * Moves what is in flight by so many cycles, but for the calendar, and for what warming goes on
 * with: the store buffer, and stores that have left for it.
 */
static void move_in_flight(struct core *core, uint64_t by)
{
	const uint64_t ring = core->reorder_mask + 1;
	uint64_t *const times[] = {
		&core->last_retired, &core->available,  &core->memory_floor, &core->loads_done,
		&core->predict,      &core->fetched,    &core->line_filled,  &core->flush_until,
		&core->unstalled,    &core->translated,
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		*times[i] += by;
	move_all(core->ready, READY_COUNT, by);
	move_all(core->retired, ring, by);
	move_all(core->dispatched, ring, by);
	move_all(core->left, STORE_RING, by);
	move_all(core->chunks, (uint64_t)core->chunk_mask + 1, by);
	for (uint64_t i = 0; i < ring; i++)
		core->waits[i].until += by;
	for (unsigned i = 0; i < READY_COUNT; i++) {
		core->early[i].ready += by;
		core->early[i].early += by;
	}
	for (unsigned port = 0; port < PORTS_MAX; port++) {
		move_all(core->busy[port].from, BUSY_INTERVALS, by);
		move_all(core->busy[port].until, BUSY_INTERVALS, by);
	}
}

/*
 * Goes on at a later cycle with a pipeline as full as it was, and the same in it. A loop may run at
 * more than one pace, depending on how far what waits is behind what dispatches: after an empty
 * pipeline, at another one.
 */
static void go_on(struct core *core, uint64_t until)
{
	const uint64_t by = until - core->cycle, used = core->used, occupied = core->occupied;
	const uint64_t sweep = core->late_sweep;
	const unsigned late = core->late_count;
	uint64_t departures[CALENDAR_CYCLES];
	uint32_t taken[CALENDAR_CYCLES];

	memcpy(departures, core->departures, sizeof(departures));
	memcpy(taken, core->taken, sizeof(taken));
	core->late_count = 0;
	core->late_sweep = UINT64_MAX;
	account_starved(core, until);
	for (unsigned i = 0; i < CALENDAR_CYCLES; i++) {
		core->departures[(i + by) % CALENDAR_CYCLES] = departures[i];
		core->taken[(i + by) % CALENDAR_CYCLES] = taken[i];
	}
	core->marked = UINT64_MAX;
	for (unsigned i = 0; i < late; i++)
		core->late[i].cycle += by;
	core->late_count = late;
	core->late_sweep = late ? sweep + by : UINT64_MAX;
	core->occupied = occupied;
	core->used = used;
	core->lost_frontend += used;
	move_in_flight(core, by);
}

void warm_end(struct warmer *warmer)
{
	struct core *core = warmer->core;

	if (warmer->cycle > core->cycle)
		go_on(core, warmer->cycle);
	core->resume = NO_RESUME;
	if (warmer->mispredicted)
		flush_pipeline(core, core->last_retired);
	/* That is no fault of the last instruction in detail. */
	if (core->exact)
		core->exact->flusher = 0;
	core->faults_taken = memory_page_faults(core->memory);
}

struct memory *warm_memory(const struct core *core)
{
	return core->memory;
}

uint64_t warm_miss_cycles(const struct core *core)
{
	const struct core_params *params = core->params;
	/* A walk reads each level's table from L2. */
	const uint64_t walk = (uint64_t)(params->walk_latency + params->l2.latency) * WALK_STEPS;

	return core->counts[EVENT_LL_CACHE_RD] * params->llc.latency +
	       core->counts[EVENT_LL_CACHE_MISS_RD] * params->dram_latency +
	       core->counts[EVENT_L2D_TLB_REFILL] * walk;
}

void warm_skip(struct core *core, uint64_t instructions)
{
	core->instructions += instructions;
}

void warm_note_instructions(const struct warmer *warmer)
{
	warmer->core->counts[EVENT_INST_RETIRED] = warmer->core->instructions;
}
