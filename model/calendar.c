/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of the calendar: passing many cycles at once, and cycles beyond its end. */
#include "schedule.h"

/*
 * After chains of long misses, operations issue thousands of cycles after their dispatch. Their
 * queue entries wait here until the calendar reaches them. There can be as many as queue entries.
 */
void late_departure(struct core *core, uint64_t cycle, uint64_t departed)
{
	if (!departed)
		return;
	if (!core->late_count)
		core->late_sweep = core->cycle + CALENDAR_CYCLES / 2;
	core->late[core->late_count++] = (struct late_departure){cycle, departed};
}

/* Moves entries that the calendar now reaches into it. Called often enough to miss none. */
void sweep_late(struct core *core)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < core->late_count; i++) {
		struct late_departure late = core->late[i];

		if (late.cycle - core->cycle < CALENDAR_CYCLES)
			core->departures[late.cycle % CALENDAR_CYCLES] += late.departed;
		else
			core->late[kept++] = late;
	}
	core->late_count = kept;
	core->late_sweep = kept ? core->cycle + CALENDAR_CYCLES / 2 : UINT64_MAX;
}

/* Clears a cycle of the calendar, and returns the entries that depart in it. */
static inline uint64_t clear_cycle(struct core *core, uint64_t at)
{
	const uint64_t departed = core->departures[at];

	core->departures[at] = 0;
	core->taken[at] = 0;
	return departed;
}

/*
 * Clears cycles that are adjacent in the calendar, and returns the entries that depart in them. The
 * host clears several at a time if their number is known to the compiler.
 */
static uint64_t clear_cycles(struct core *core, uint64_t first, uint64_t count)
{
	uint64_t departed = 0;

	for (; count >= 8; first += 8, count -= 8)
		for (uint64_t i = 0; i < 8; i++)
			departed += clear_cycle(core, first + i);
	for (; count; first++, count--)
		departed += clear_cycle(core, first);
	return departed;
}

static void pass(struct core *core, uint64_t cycles)
{
	const uint64_t count = cycles < CALENDAR_CYCLES ? cycles : CALENDAR_CYCLES;
	const uint64_t first = (core->cycle + 1) % CALENDAR_CYCLES, left = CALENDAR_CYCLES - first;
	uint64_t departed;

	departed = clear_cycles(core, first, count < left ? count : left);
	if (count > left)
		departed += clear_cycles(core, 0, count - left);
	core->occupied -= departed;
	core->cycle += cycles;
}

/* Advances to `cycle`. The caller accounts for the slots of the cycles in between. */
void advance_to(struct core *core, uint64_t cycle)
{
	core->used = 0;
	while (cycle >= core->late_sweep) {
		if (core->late_sweep > core->cycle)
			pass(core, core->late_sweep - core->cycle);
		sweep_late(core);
	}
	if (cycle > core->cycle)
		pass(core, cycle - core->cycle);
}
