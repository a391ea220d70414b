/* SPDX-License-Identifier: Apache-2.0 */
#include "period.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "memo_graph.h"
#include "memory_side.h"

#define BLOCKS_MAX   65536 /* of as many periods as it takes to be in the same state again */
#define BUFFERED_MAX 1024  /* entries in the ring of the store buffer */
#define PAUSE_MAX    4096  /* periods between two attempts */

/* What hits.h counts. */
static const enum model_event hit_events[] = {EVENT_L1I_TLB, EVENT_L1I_CACHE, EVENT_L1D_TLB,
					      EVENT_L1D_CACHE_RD, EVENT_L1D_CACHE_WR};
#define HIT_EVENTS (sizeof(hit_events) / sizeof(hit_events[0]))

/* What wrong paths count, but for kinds of operations. */
#define WRONG_COUNTS 4
static uint64_t *wrong_count(struct core *core, unsigned i)
{
	uint64_t *const counts[WRONG_COUNTS] = {&core->wrong_instructions, &core->wrong_operations,
						&core->wrong_unknown, &core->wrong_taken};

	return counts[i];
}

/* A state between two periods, and what was counted by then. */
struct mark {
	const struct node *node; /* NULL: it is not known */
	uint64_t disturbed, forgotten;
	uint64_t loads_left; /* cycles */
	uint64_t cycle, sequence, replays, stores;
	uint64_t wrong[WRONG_COUNTS];
	uint64_t counters[COUNTERS_MAX], hits[HIT_EVENTS];
};

struct period {
	struct core *core;
	unsigned counters;
	uint64_t first_store; /* number of the last one before all periods */
	uint64_t wrong_kinds; /* core.wrong_kinds after the last block */
	bool known;           /* after .length periods, the state at the mark is there again */
	uint64_t length;
	uint64_t since;     /* periods since the mark; if it is known, modulo the length */
	uint64_t next_mark; /* where the next one is, if it is not */
	uint64_t pause, last_pause;
	struct mark mark, more;     /* what is counted from state to state */
	uint32_t blocks;            /* since the mark */
	uint32_t ends[BLOCKS_MAX];  /* of each, in cycles from there */
	uint64_t kinds[BLOCKS_MAX]; /* what they have taken of core.room, so far */
};

struct period *period_new(struct core *core)
{
	const bool fits = core->memo && core->buffer_mask < BUFFERED_MAX;
	struct period *period = fits ? calloc(1, sizeof(*period)) : NULL;

	if (!period)
		return NULL;
	period->core = core;
	period->counters = core->memo->counter_count + 1 + LANE_COUNT;
	return period;
}

void period_free(struct period *period)
{
	free(period);
}

/* Adds up what is counted, but for memory's events. */
static void settle(struct core *core)
{
	const int32_t room = core->room;

	memo_settle(core);
	account_recent(core);
	core->room = room;
}

static uint64_t loads_left(const struct core *core)
{
	return core->loads_done > core->cycle ? core->loads_done - core->cycle : 0;
}

/* Whether the stores that have not gone were made in periods: others may be elsewhere. */
static bool are_own(const struct period *period)
{
	const struct core *core = period->core;
	uint64_t number = period->first_store;

	for (unsigned i = 0; number && i < RECENT_STORES; i++, number--) {
		const struct recent_store *store = &core->recent_stores[number % RECENT_STORES];

		if (store->number == number && store->gone > core->cycle)
			return false;
	}
	return true;
}

static void set_mark(struct period *period)
{
	struct core *core = period->core;
	const struct memo *memo = core->memo;
	struct mark *mark = &period->mark;

	settle(core);
	mark->node = are_own(period) ? memo->node : NULL;
	mark->disturbed = memo->disturbed;
	mark->forgotten = memo->forgotten;
	mark->loads_left = loads_left(core);
	mark->cycle = core->cycle;
	mark->sequence = core->sequence;
	mark->replays = memo->replays;
	mark->stores = core->buffer_sequence;
	for (unsigned i = 0; i < WRONG_COUNTS; i++)
		mark->wrong[i] = *wrong_count(core, i);
	period->wrong_kinds = core->wrong_kinds;
	for (unsigned i = 0; i < period->counters; i++)
		mark->counters[i] = *memo->counters[i];
	for (unsigned i = 0; i < HIT_EVENTS; i++)
		mark->hits[i] = core->counts[hit_events[i]];
	period->since = 0;
	period->blocks = 0;
}

/* The state at the mark is there again: finds out what was counted. */
static void know(struct period *period)
{
	struct core *core = period->core;
	const struct memo *memo = core->memo;
	const struct mark *mark = &period->mark;
	struct mark *more = &period->more;

	settle(core);
	more->cycle = core->cycle - mark->cycle;
	more->sequence = core->sequence - mark->sequence;
	more->replays = memo->replays - mark->replays;
	more->stores = core->buffer_sequence - mark->stores;
	for (unsigned i = 0; i < WRONG_COUNTS; i++)
		more->wrong[i] = *wrong_count(core, i) - mark->wrong[i];
	for (unsigned i = 0; i < period->counters; i++)
		more->counters[i] = *memo->counters[i] - mark->counters[i];
	for (unsigned i = 0; i < HIT_EVENTS; i++)
		more->hits[i] = core->counts[hit_events[i]] - mark->hits[i];
	period->known = true;
	period->length = period->since;
	period->since = 0;
	period->last_pause = 0;
}

void period_begin(struct period *period)
{
	period->known = false;
	period->pause = period->last_pause = 0;
	period->next_mark = 1;
	period->first_store = period->core->buffer_sequence;
	set_mark(period);
}

void period_executed(struct period *period, const struct block *block)
{
	const struct prepared *prepared = block->model;
	const uint32_t at = period->blocks;

	if (period->known || at == BLOCKS_MAX)
		return;
	period->ends[at] = (uint32_t)(period->core->cycle - period->mark.cycle);
	period->kinds[at] = prepared->largest + (at ? period->kinds[at - 1] : 0) +
			    period->core->wrong_kinds - period->wrong_kinds;
	period->wrong_kinds = period->core->wrong_kinds;
	period->blocks++;
}

/* Something was not as it has to be: tries again in a while. */
static void try_later(struct period *period)
{
	period->last_pause = 2 * period->last_pause + 1;
	if (period->last_pause > PAUSE_MAX)
		period->last_pause = PAUSE_MAX;
	period->pause = period->last_pause;
	period->next_mark = 1;
}

void period_ended(struct period *period)
{
	const struct core *core = period->core;
	const struct memo *memo = core->memo;
	const struct mark *mark = &period->mark;

	period->since++;
	if (period->known) {
		period->since %= period->length;
		return;
	}
	if (period->pause) {
		if (!--period->pause)
			set_mark(period);
		return;
	}
	if (!mark->node || memo->disturbed != mark->disturbed || period->blocks == BLOCKS_MAX ||
	    memo->replays - mark->replays != period->blocks) {
		try_later(period);
		return;
	}
	if (memo->node == mark->node && loads_left(core) == mark->loads_left &&
	    core->sequence != mark->sequence && core->cycle != mark->cycle) {
		know(period);
	} else if (period->since == period->next_mark) {
		period->next_mark *= 2;
		set_mark(period);
	}
}

/* Returns the first block that ends at a cycle after the mark, or later; or the last one. */
static uint32_t first_ending(const struct period *period, uint64_t cycle)
{
	uint32_t low = 0, high = period->blocks - 1;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (period->ends[middle] >= cycle)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * Sets `*settled`, and core.room, as if the blocks that lead from a state to itself had executed so
 * many times.
 */
static void read_meanwhile(const struct period *period, uint64_t times, uint64_t *settled,
			   uint64_t every)
{
	struct core *core = period->core;
	const uint64_t begin = core->cycle, cycles = period->more.cycle;
	const uint64_t end = begin + times * cycles, all = period->kinds[period->blocks - 1];
	uint64_t taken = times * all, room = (uint64_t)core->room;

	for (uint64_t due = *settled + every; due <= end; due = *settled + every) {
		const uint64_t after = due > begin ? due - begin : 0;
		const uint64_t whole = after ? (after - 1) / cycles : 0;
		const uint32_t block = first_ending(period, after - whole * cycles);

		*settled = begin + whole * cycles + period->ends[block];
		room = UINT16_MAX;
		taken = (times - whole) * all - period->kinds[block];
	}
	core->room = (int32_t)(room - taken);
}

/* Returns whether counts are read every `every` cycles before a lane of kinds can be full. */
static bool has_room(const struct period *period, uint64_t every)
{
	return (every / period->more.cycle + 2) * period->kinds[period->blocks - 1] < UINT16_MAX;
}

/* Whether the core is in the state of the mark, which it has come back to. */
static bool is_back(struct period *period)
{
	struct core *core = period->core;
	struct memo *memo = core->memo;

	if (core->observed || core->told)
		return false;
	if (memo->forgotten != period->mark.forgotten) {
		period_begin(period);
		return false;
	}
	/* Blocks that were not replayed lead there as well. */
	if (!memo->node && !core->exact) {
		memo->node = memo_find_node(core);
		memo->last = NULL;
		memo->stale = false;
	}
	return memo->node == period->mark.node;
}

/* Moves on the stores that loads may ask for, and when the store buffer has room. */
static void move_stores(struct core *core, uint64_t stores, uint64_t cycles)
{
	const uint64_t entries = (uint64_t)core->buffer_mask + 1;
	struct recent_store recent[RECENT_STORES];
	uint64_t buffered[BUFFERED_MAX];

	memcpy(recent, core->recent_stores, sizeof(recent));
	memcpy(buffered, core->buffered, entries * sizeof(*buffered));
	for (uint64_t i = 0; i < RECENT_STORES; i++) {
		struct recent_store *to = &core->recent_stores[(i + stores) % RECENT_STORES];

		*to = recent[i];
		to->number += stores;
		to->gone += cycles;
		to->ready += cycles;
	}
	for (uint64_t i = 0; i < entries; i++)
		core->buffered[(i + stores) & core->buffer_mask] = buffered[i] + cycles;
	for (unsigned i = 0; i < FORWARD_ENTRIES; i++)
		for (unsigned k = 0; k < FORWARD_STORES; k++)
			if (core->forwards[i].stores[k])
				core->forwards[i].stores[k] += stores;
	core->buffer_sequence += stores;
	core->memory->stored += cycles;
}

uint64_t period_skip(struct period *period, uint64_t most, uint64_t *settled, uint64_t every)
{
	struct core *core = period->core;
	struct memo *memo = core->memo;
	const struct mark *more = &period->more;
	uint64_t times, room, cycles;

	if (!period->known || period->since || most < period->length)
		return 0;
	room = bounds_room(core, more->cycle, more->sequence);
	times = most / period->length;
	times = times < room ? times : room;
	if (!times || !has_room(period, every) || !is_back(period))
		return 0;
	settle(core);
	read_meanwhile(period, times, settled, every);
	for (unsigned i = 0; i < period->counters; i++)
		*memo->counters[i] += times * more->counters[i];
	for (unsigned i = 0; i < HIT_EVENTS; i++)
		core->counts[hit_events[i]] += times * more->hits[i];
	for (unsigned i = 0; i < WRONG_COUNTS; i++)
		*wrong_count(core, i) += times * more->wrong[i];
	cycles = times * more->cycle;
	if (more->stores)
		move_stores(core, times * more->stores, cycles);
	core->cycle += cycles;
	core->last_retired += cycles;
	core->loads_done += cycles;
	core->memory_floor += cycles;
	core->release_gone += cycles;
	core->sequence += times * more->sequence;
	memo->replays += times * more->replays;
	memo->stale = true;
	return times * period->length;
}
