/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of the calendar: passing many cycles at once, and cycles beyond its end. */
#include <string.h>

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

/* Clears cycles that are adjacent in the calendar, and returns the entries that depart in them. */
static uint64_t clear_cycles(struct core *core, uint64_t first, uint64_t count)
{
	uint64_t *cycles = &core->departures[first], departed = 0;

	for (uint64_t i = 0; i < count; i++) {
		departed += cycles[i];
		cycles[i] = 0;
	}
	memset(&core->taken[first], 0, count * sizeof(*core->taken));
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
