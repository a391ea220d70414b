/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slow path of dispatch: finds room for an operation. Reorder buffer, registers, and load and
 * store queues are released in order; issue queues are not.
 */
#include "charge.h"
#include "schedule.h"

/* Releases the resources of operations retired, or gone from the store queue, by `cycle`. */
void give_back(struct core *core, uint64_t cycle)
{
	uint64_t head = core->head, back = 0;

	while (head != core->sequence && core->retired[head & core->reorder_mask] <= cycle)
		back += core->holds[head++ & core->reorder_mask] & HOLDS_RETIRED;
	core->head = head;
	while (core->left_head != core->left_sequence &&
	       core->left[core->left_head % STORE_RING] <= cycle) {
		back += HOLD_ONE(HOLD_STORE);
		core->left_head++;
	}
	core->held -= back;
}

/* Returns when an operation that holds `holds` has room except in the issue queue; `*blocker` is
 * the last resource. */
static uint64_t find_holds(const struct core *core, uint64_t holds, unsigned *blocker)
{
	uint64_t held = core->held + holds, cycle = core->cycle, full;
	uint64_t head = core->head, store = core->left_head, fulls = HOLDS_FULL & HOLDS_RETIRED;

	if (core->reorder_unlimited) {
		/* Its count of entries has no meaning, since it wraps around. */
		fulls &= ~HOLD_FULL(HOLD_REORDER);
		while (core->sequence - head >= core->reorder_entries) {
			*blocker = HOLD_REORDER;
			cycle = core->retired[head & core->reorder_mask];
			held -= core->holds[head++ & core->reorder_mask] & HOLDS_RETIRED;
		}
	}
	while ((full = held & fulls)) {
		*blocker = ((unsigned)__builtin_ctzll(full) - 8) / HOLD_SHIFT(1);
		cycle = core->retired[head & core->reorder_mask];
		held -= core->holds[head++ & core->reorder_mask] & HOLDS_RETIRED;
	}
	while (held & HOLD_FULL(HOLD_STORE)) {
		uint64_t left = core->left[store++ % STORE_RING];

		held -= HOLD_ONE(HOLD_STORE);
		if (left > cycle) {
			*blocker = HOLD_STORE;
			cycle = left;
		}
	}
	return cycle;
}

/* Returns the first queue that is too full for the operations [op, end) beside those `occupied`, or
 * -1. */
static int too_full(const struct core *core, const struct op *op, const struct op *end,
		    uint64_t occupied)
{
	uint32_t ports = 0;

	for (; op != end && !(occupied & QUEUES_FULL); op++) {
		if (core->binds)
			queues_take(core->params, op, &occupied, &ports);
		else
			occupied += op->queued;
	}
	occupied &= QUEUES_FULL;
	return occupied ? __builtin_ctzll(occupied) / QUEUE_SHIFT(1) : -1;
}

/* Whether nothing departs in the group of cycles behind `cycle`. */
static inline bool none_departs(const struct core *core, uint64_t cycle)
{
	const uint64_t *departures = &core->departures[(cycle + 1) % CALENDAR_CYCLES];
	uint64_t any = 0;

	for (unsigned i = 0; i < CALENDAR_GROUP; i++)
		any |= departures[i];
	return !any;
}

/*
 * Nothing departs in the groups of cycles behind `cycle`, of which the next one begins there, as
 * far as they are not marked. Returns the last cycle of them that is before `last`.
 */
static inline uint64_t skip_unmarked(const struct core *core, uint64_t cycle, uint64_t last)
{
	const uint64_t marked = marked_from(core, cycle + 1);
	const uint64_t groups = marked ? (unsigned)__builtin_ctzll(marked) : 64;
	const uint64_t most = (last - cycle - 1) / CALENDAR_GROUP;

	return cycle + CALENDAR_GROUP * (groups < most ? groups : most);
}

/* Stalls until there are enough entries of the issue queues, looking ahead in the calendar. */
static void wait_for_queues(struct core *core, const struct op *op, const struct op *end)
{
	int queue;

	while ((queue = too_full(core, op, end, core->occupied)) >= 0) {
		uint64_t occupied = core->occupied, cycle = core->cycle;
		uint64_t last = cycle + CALENDAR_CYCLES / 2;

		for (;;) {
			uint64_t departed;

			if ((cycle + 1) % CALENDAR_GROUP == 0)
				cycle = skip_unmarked(core, cycle, last);
			while ((cycle + 1) % CALENDAR_GROUP == 0 && cycle + CALENDAR_GROUP < last &&
			       none_departs(core, cycle))
				cycle += CALENDAR_GROUP;
			departed = core->departures[++cycle % CALENDAR_CYCLES];
			occupied -= departed;
			if (cycle >= last ||
			    (departed && too_full(core, op, end, occupied) != queue))
				break;
		}
		account_stalled(core, cycle, BLOCK_QUEUE + (unsigned)queue);
	}
}

/* Stalls until what operations hold until they retire is free. */
static void wait_for_holds(struct core *core, uint64_t holds)
{
	unsigned blocker = HOLD_REORDER;
	uint64_t cycle;

	give_back(core, core->cycle);
	cycle = find_holds(core, holds, &blocker);
	if (cycle > core->cycle) {
		account_stalled(core, cycle, blocker);
		give_back(core, cycle);
	}
}

/*
 * Stalls until there is room for `op` and those behind it that would dispatch in the same cycle,
 * except for more than an empty core has.
 */
void wait_for_group(struct core *core, const struct op *op, const struct op *end)
{
	uint64_t held = core->held_none;
	const struct op *last = op;

	for (uint64_t i = 0; i < core->group && last != end; i += last->operations, last++) {
		if ((held + last->holds) & HOLDS_FULL ||
		    too_full(core, op, last + 1, core->occupied_none) >= 0)
			break;
		held += last->holds;
	}
	held -= core->held_none;
	if ((core->held + held) & HOLDS_FULL)
		wait_for_holds(core, held);
	wait_for_queues(core, op, last);
}

/* Stalls until there is room for `op`, and finds it. */
void make_room(struct core *core, const struct op *op, const struct op *end)
{
	wait_for_holds(core, op->holds);
	wait_for_queues(core, op, op + 1);
	if (core->group > 1 && !core->used)
		wait_for_group(core, op, end);
	/* Not find_room(), for which an unlimited reorder buffer looks full at times. */
	find_queues(core, op);
}

/* Dispatches an instruction's operations before the last one. They wait for nothing. */
void dispatch_more(struct core *core, unsigned operations)
{
	static const struct op empty = {.holds = HOLD_ONE(HOLD_REORDER)};

	while (operations--) {
		uint64_t at = core->sequence & core->reorder_mask;

		if (core->used == core->width)
			next_cycle(core);
		wait_for_holds(core, empty.holds);
		core->used++;
		if (unlikely(core->exact != NULL))
			exact_dispatched(core);
		core->held += empty.holds;
		core->retired[at] = core->last_retired;
		core->dispatched[at] = core->cycle;
		core->holds[at] = empty.holds;
		core->sequence++;
	}
}
