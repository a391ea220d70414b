/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar's slow side: many cycles at once, and what lies beyond its end. */
#include "schedule.h"

/*
 * Chains of long misses issue operations thousands of cycles after their dispatch. Their queue
 * entries wait here until the calendar reaches them: at most as many as there are entries.
 */
void late_departure(struct core *core, uint64_t cycle, uint64_t departed)
{
	if (!departed)
		return;
	if (!core->late_count)
		core->late_sweep = core->cycle + CALENDAR_CYCLES / 2;
	core->late[core->late_count++] = (struct late_departure){cycle, departed};
}

/* Moves into the calendar what it now reaches. Done often enough that nothing is passed by. */
void sweep_late(struct core *core)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < core->late_count; i++) {
		struct late_departure late = core->late[i];

		if (late.cycle - core->cycle < CALENDAR_CYCLES)
			core->calendar[late.cycle % CALENDAR_CYCLES] += late.departed;
		else
			core->late[kept++] = late;
	}
	core->late_count = kept;
	core->late_sweep = kept ? core->cycle + CALENDAR_CYCLES / 2 : UINT64_MAX;
}

static void pass(struct core *core, uint64_t cycles)
{
	uint64_t departed = 0, count = cycles < CALENDAR_CYCLES ? cycles : CALENDAR_CYCLES;

	for (uint64_t cycle = core->cycle + 1; cycle <= core->cycle + count; cycle++) {
		departed += core->calendar[cycle % CALENDAR_CYCLES] & QUEUE_BYTES;
		core->calendar[cycle % CALENDAR_CYCLES] = 0;
	}
	core->occupied -= departed;
	core->cycle += cycles;
}

/* Passes on to `cycle`; what the cycles between do with their slots is accounted elsewhere. */
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
