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

		if (late.cycle - core->cycle >= CALENDAR_CYCLES) {
			core->late[kept++] = late;
			continue;
		}
		core->departures[late.cycle % CALENDAR_CYCLES] += late.departed;
		mark_cycle(core, late.cycle);
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

/* Whether all of `ports` are taken in the eight cycles behind `cycle`, aligned in the calendar. */
static bool all_taken(const struct core *core, uint64_t cycle, uint32_t ports)
{
	const uint32_t *taken = &core->taken[(cycle + 1) % CALENDAR_CYCLES];
	uint32_t always = ports;

	for (unsigned i = 0; i < 8; i++)
		always &= taken[i];
	return always == ports;
}

uint64_t skip_taken(const struct core *core, uint64_t cycle, uint32_t ports)
{
	while (cycle + 8 - core->cycle < CALENDAR_CYCLES && all_taken(core, cycle, ports))
		cycle += 8;
	return cycle;
}

uint64_t issue_later(struct core *core, uint64_t cycle, uint32_t ports, uint64_t departed)
{
	for (; cycle - core->cycle < CALENDAR_CYCLES; cycle++) {
		const unsigned at = cycle % CALENDAR_CYCLES;
		const uint32_t open = ports & ~core->taken[at];

		if (open)
			core->taken[at] |= choose_port(core, open, ports);
		if (open || (core->extra_ports && take_extra(core, cycle, ports))) {
			core->departures[at] += departed;
			mark_cycle(core, at);
			return cycle;
		}
		if (at % 8 == 7 && !core->extra_ports)
			cycle = skip_taken(core, cycle, ports);
	}
	late_departure(core, cycle, departed);
	return cycle;
}

/* Numbers that the host adds and clears at once; those of ports are of 4 bytes each. */
typedef uint64_t four __attribute__((vector_size(32), aligned(4), may_alias));

/* Clears a group of cycles, and returns the entries that depart in them. */
static inline uint64_t clear_group(struct core *core, uint64_t first)
{
	four *departures = (four *)&core->departures[first];
	four *taken = (four *)&core->taken[first];
	const four sum = departures[0] + departures[1];

	departures[0] = departures[1] = taken[0] = (four){0};
	return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Clears cycles that are adjacent in the calendar, and returns the entries that depart in them. */
static uint64_t clear_cycles(struct core *core, uint64_t first, uint64_t count)
{
	const uint64_t end = first + count;
	uint64_t departed = 0, rest;

	if (!count)
		return 0;
	rest = core->marked & UINT64_MAX << first / CALENDAR_GROUP &
	       UINT64_MAX >> (63 - (end - 1) / CALENDAR_GROUP);
	for (; rest; rest &= rest - 1) {
		const uint64_t from = (uint64_t)__builtin_ctzll(rest) * CALENDAR_GROUP;
		const uint64_t to = from + CALENDAR_GROUP;

		if (from >= first && to <= end) {
			departed += clear_group(core, from);
			core->marked &= ~(rest & -rest);
			continue;
		}
		for (uint64_t at = later(from, first); at < to && at < end; at++)
			departed += clear_cycle(core, at);
	}
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
