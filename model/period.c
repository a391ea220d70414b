/* SPDX-License-Identifier: Apache-2.0 */
#include "period.h"

#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "memo_graph.h"
#include "memory_mark.h"
#include "memory_side.h"
#include "period_charges.h"

#define BLOCKS_MAX   65536 /* of as many periods as it takes to be in the same state again */
#define BUFFERED_MAX 1024  /* entries in the ring of the store buffer */
#define PAUSE_MAX    4096  /* periods between two attempts */
#define DEEP_MAX     256   /* periods after which the memory side has to be as it was */
#define DEEP_PAUSE   64    /* periods between two such attempts, at least */

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
	uint64_t line_filled;
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
	/* Whether the memory side is compared, too: then nothing has to be replayed, or to hit. */
	bool deep;
	struct memory_mark *memory; /* NULL until then */
	struct state state;         /* at the mark; if .deep, and .state.count is not 0 */
	bool plain;                 /* so have been all blocks since period_begin() */
	bool fills;                 /* lines missing in L1I since the mark */
	struct mark mark, more;     /* what is counted from state to state */
	uint32_t blocks;            /* since the mark */
	uint32_t ends[BLOCKS_MAX];  /* of each, in cycles from there */
	uint64_t kinds[BLOCKS_MAX]; /* what they have taken of core.room, so far */
	struct period_charges
		*charges; /* what they are charged in a profile; NULL: there is none */
};

struct period *period_new(struct core *core)
{
	const bool fits = core->memo && core->buffer_mask < BUFFERED_MAX;
	struct period *period = fits ? calloc(1, sizeof(*period)) : NULL;

	if (!period)
		return NULL;
	period->core = core;
	period->counters = core->memo->counter_count + 1 + LANE_COUNT;
	if (core->exact && !(period->charges = period_charges_new(core, BLOCKS_MAX))) {
		free(period);
		return NULL;
	}
	return period;
}

void period_free(struct period *period)
{
	if (period)
		memory_mark_free(period->memory);
	if (period)
		free(period->charges);
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

/* Returns the core's state, or NULL if it cannot be described. */
static const uint32_t *words_of(struct core *core, uint32_t *count)
{
	struct memo *memo = core->memo;

	if (memo->node) {
		*count = memo->node->count;
		return memo->node->words;
	}
	if (!state_read(core, &memo->state))
		return NULL;
	*count = memo->state.count;
	return memo->state.words;
}

/* The mark is one of the memory side, too. */
static void set_deep_mark(struct period *period)
{
	struct core *core = period->core;
	struct state *state = &period->state;
	uint32_t count;
	const uint32_t *words = are_own(period) ? words_of(core, &count) : NULL;

	state->count = 0;
	if (!words || !memory_mark_set(period->memory, core->cycle, core->cycle - state_lag(words)))
		return;
	memcpy(state->words, words, count * sizeof(*words));
	state->count = count;
	period->mark.line_filled = core->line_filled;
}

static void set_mark(struct period *period)
{
	struct core *core = period->core;
	const struct memo *memo = core->memo;
	struct mark *mark = &period->mark;

	settle(core);
	if (period->deep)
		set_deep_mark(period);
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
	if (period->charges)
		period_charges_mark(period->charges);
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
	if (period->deep) {
		period->fills = core->line_filled != mark->line_filled;
		memory_mark_know(period->memory);
	}
	period->known = true;
	period->length = period->since;
	period->since = 0;
	period->last_pause = 0;
}

void period_begin(struct period *period)
{
	period->known = period->deep = false;
	period->pause = period->last_pause = 0;
	period->plain = true;
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
	period->plain &= prepared->replayable && prepared->whole && !prepared->predicated;
	period->ends[at] = (uint32_t)(period->core->cycle - period->mark.cycle);
	period->kinds[at] = prepared->largest + (at ? period->kinds[at - 1] : 0) +
			    period->core->wrong_kinds - period->wrong_kinds;
	period->wrong_kinds = period->core->wrong_kinds;
	if (period->charges)
		period_charges_executed(period->charges, at);
	period->blocks++;
}

/* Something was not as it has to be: tries again in a while. */
static void try_later(struct period *period)
{
	period->last_pause = 2 * period->last_pause + 1;
	if (period->deep && period->last_pause < DEEP_PAUSE)
		period->last_pause = DEEP_PAUSE;
	if (period->last_pause > PAUSE_MAX)
		period->last_pause = PAUSE_MAX;
	period->pause = period->last_pause;
	period->next_mark = 1;
}

/* Not all was replayed, or hit: from now on, the memory side is compared as well. */
static void go_deep(struct period *period)
{
	struct core *core = period->core;

	/* What a profile charges is only known of replays. */
	if (!period->memory && !period->charges)
		period->memory = memory_mark_new(core->memory);
	if (!period->memory || !period->plain) {
		try_later(period);
		return;
	}
	period->deep = true;
	period->next_mark = 1;
	period->state.count = 0;
	memory_mark_begin(period->memory);
	period->since = 0;
	period->blocks = 0;
}

/* Whether the core is in the state of the mark, and moves on. */
static bool has_moved(const struct period *period)
{
	const struct core *core = period->core;
	const struct mark *mark = &period->mark;

	return loads_left(core) == mark->loads_left && core->sequence != mark->sequence &&
	       core->cycle != mark->cycle;
}

/* Whether the next line that misses L1I arrives as it would have, had it missed at the mark. */
static bool fills_alike(const struct period *period, uint64_t lag)
{
	const struct core *core = period->core;
	const struct mark *mark = &period->mark;

	return core->line_filled - core->cycle == mark->line_filled - mark->cycle ||
	       (core->line_filled + core->line_cycles + lag <= core->cycle &&
		mark->line_filled + core->line_cycles + lag <= mark->cycle);
}

/* Whether the core is in the state of the mark, by what can be compared. */
static bool is_in_state(struct period *period)
{
	const struct state *state = &period->state;
	uint32_t count;
	const uint32_t *words = state->count ? words_of(period->core, &count) : NULL;

	return words && count == state->count &&
	       !memcmp(words, state->words, count * sizeof(*words));
}

/* Whether all is as it was at the mark. The core's state is read only if little else differs. */
static bool is_as_marked(struct period *period)
{
	const struct core *core = period->core;
	uint64_t lag;

	if (!period->state.count || !has_moved(period))
		return false;
	lag = state_lag(period->state.words);
	return fills_alike(period, lag) && memory_mark_may_be_back(period->memory, core->cycle) &&
	       is_in_state(period) &&
	       memory_mark_is_back(period->memory, core->cycle, core->cycle - lag);
}

/* A period has ended of which the memory side is compared. */
static void compare_deep(struct period *period)
{
	if (is_as_marked(period)) {
		know(period);
	} else if (period->blocks == BLOCKS_MAX || period->next_mark > DEEP_MAX || !period->plain) {
		try_later(period);
	} else if (period->since >= period->next_mark) {
		period->next_mark *= 2;
		set_mark(period);
	}
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
	if (period->deep) {
		compare_deep(period);
		return;
	}
	if (!mark->node || memo->disturbed != mark->disturbed || period->blocks == BLOCKS_MAX ||
	    memo->replays - mark->replays != period->blocks) {
		go_deep(period);
		return;
	}
	if (memo->node == mark->node && has_moved(period) &&
	    (!period->charges || period_charges_are_back(period->charges))) {
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

	if (!memo_may_replay(core) || core->told || !period->charges != !core->exact)
		return false;
	if (period->deep)
		return is_in_state(period);
	if (memo->forgotten != period->mark.forgotten) {
		period_begin(period);
		return false;
	}
	/* Blocks that were not replayed lead there as well. */
	if (!memo->node && (!core->exact || charges_complete(core))) {
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

/* What memory counts, and when all there is ready. */
static void skip_in_memory(struct period *period, uint64_t times, uint64_t cycles)
{
	struct core *core = period->core;

	memory_mark_skip(period->memory, times, cycles,
			 core->cycle - state_lag(period->state.words));
	if (period->fills)
		core->line_filled += cycles;
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
	if (period->charges)
		times = period_charges_room(period->charges, times, more->cycle);
	if (!times || !has_room(period, every) || !is_back(period))
		return 0;
	settle(core);
	read_meanwhile(period, times, settled, every);
	for (unsigned i = 0; i < period->counters; i++)
		*memo->counters[i] += times * more->counters[i];
	for (unsigned i = 0; i < HIT_EVENTS && !period->deep; i++)
		core->counts[hit_events[i]] += times * more->hits[i];
	for (unsigned i = 0; i < WRONG_COUNTS; i++)
		*wrong_count(core, i) += times * more->wrong[i];
	cycles = times * more->cycle;
	if (period->deep)
		skip_in_memory(period, times, cycles);
	if (more->stores)
		move_stores(core, times * more->stores, cycles);
	core->cycle += cycles;
	core->last_retired += cycles;
	core->loads_done += cycles;
	core->memory_floor += cycles;
	core->release_gone += cycles;
	if (period->charges)
		period_charges_skip(period->charges, period->blocks, (uint32_t)times,
				    more->sequence);
	core->sequence += times * more->sequence;
	memo->replays += times * more->replays;
	if (memo->node)
		memo->stale = true;
	else /* all times in struct core move on */
		state_write(core, period->state.words);
	return times * period->length;
}
