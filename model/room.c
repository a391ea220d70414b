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
static uint64_t find_room(const struct core *core, uint64_t holds, unsigned *blocker)
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

/* Stalls until enough entries of an issue queue are free, looking ahead in the calendar. */
static void wait_for_queue(struct core *core, unsigned queue, uint64_t queued)
{
	uint64_t full = 0x80ull << QUEUE_SHIFT(queue);

	while ((core->occupied + queued) & full) {
		uint64_t occupied = core->occupied + queued, cycle = core->cycle;
		uint64_t end = cycle + CALENDAR_CYCLES / 2;

		while (occupied & full && cycle < end)
			occupied -= core->calendar[++cycle % CALENDAR_CYCLES] & QUEUE_BYTES;
		account_stalled(core, cycle, BLOCK_QUEUE + queue);
	}
}

/* Stalls until what operations hold until they retire is free. */
static void wait_for_holds(struct core *core, uint64_t holds)
{
	unsigned blocker = HOLD_REORDER;
	uint64_t cycle;

	give_back(core, core->cycle);
	cycle = find_room(core, holds, &blocker);
	if (cycle > core->cycle) {
		account_stalled(core, cycle, blocker);
		give_back(core, cycle);
	}
}

/* Stalls until there is room for `op`. */
void wait_for_room(struct core *core, const struct op *op)
{
	wait_for_holds(core, op->holds);
	wait_for_queue(core, op->queue, op->queued);
}

/*
 * Stalls until there is room for `op` and those behind it that would dispatch in the same cycle,
 * except for more than an empty core has.
 */
void wait_for_group(struct core *core, const struct op *op, const struct op *end)
{
	uint64_t held = core->held_none, occupied = core->occupied_none;

	for (uint64_t i = 0; i < core->group && op != end; i += op->operations, op++) {
		if (((held + op->holds) & HOLDS_FULL) | ((occupied + op->queued) & QUEUES_FULL))
			break;
		held += op->holds;
		occupied += op->queued;
	}
	held -= core->held_none;
	occupied -= core->occupied_none;
	if ((core->held + held) & HOLDS_FULL)
		wait_for_holds(core, held);
	for (unsigned queue = 0; queue < core->params->queue_count; queue++)
		wait_for_queue(core, queue, occupied);
}

/* Dispatches an instruction's operations before the last one. They wait for nothing. */
void dispatch_more(struct core *core, unsigned operations)
{
	static const struct op empty = {.holds = HOLD_ONE(HOLD_REORDER)};

	while (operations--) {
		uint64_t at = core->sequence & core->reorder_mask;

		if (core->used == core->width)
			next_cycle(core);
		wait_for_room(core, &empty);
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
