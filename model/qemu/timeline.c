/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/timeline.h"

#include <string.h>

/* Cycles per instruction of a program that waits for memory, as any may do later. */
#define SLOW 16

static struct model_timeline *timeline; /* NULL: there is none */
static const struct model_sampled *sampled;
static uint64_t interval;
static uint64_t base, unit; /* instructions; without a unit, this is the first stretch */
static uint32_t *code;      /* of the unit that executes */
static uint64_t code_ends;  /* where that unit does */

void timeline_set_up(struct model_shared *shared, uint64_t cycles)
{
	interval = cycles;
	timeline = cycles ? &shared->timeline : NULL;
	sampled = &shared->sampled;
	code = shared->timeline.first_code;
	code_ends = UINT64_MAX;
}

/* Returns the number of the unit at a position. */
static uint64_t unit_at(uint64_t position)
{
	const uint64_t number = position > base ? (position - base) / unit : 0;

	return number < SAMPLED_MAX ? number : SAMPLED_MAX - 1;
}

static void choose_code(uint64_t position)
{
	const uint64_t number = unit_at(position);

	code = timeline->code[number];
	code_ends = number < SAMPLED_MAX - 1 ? base + (number + 1) * unit : UINT64_MAX;
}

void timeline_begin_units(uint64_t first, uint64_t instructions)
{
	base = first;
	unit = instructions;
	code_ends = 0;
}

void timeline_join_units(void)
{
	const size_t half = SAMPLED_MAX / 2;

	if (!timeline)
		return;
	for (size_t i = 0; i < half; i++) {
		for (unsigned e = 0; e < EVENT_COUNT; e++)
			timeline->counts[i][e] =
				timeline->counts[2 * i][e] + timeline->counts[2 * i + 1][e];
		for (unsigned k = 0; k < SAMPLED_CODE; k++)
			timeline->code[i][k] =
				timeline->code[2 * i][k] + timeline->code[2 * i + 1][k];
	}
	memset(timeline->counts[half], 0, half * sizeof(timeline->counts[0]));
	memset(timeline->code[half], 0, half * sizeof(timeline->code[0]));
	unit *= 2;
	code_ends = 0;
}

bool timeline_may_join(void)
{
	const uint32_t count = atomic_load(&sampled->count);
	double slowest = SLOW;

	if (!timeline)
		return true;
	for (uint32_t i = 0; i + SAMPLED_EACH <= count; i += SAMPLED_EACH) {
		double cycles = 0, instructions = 0;

		for (uint32_t k = i; k < i + SAMPLED_EACH; k++) {
			cycles += sampled->windows[k][EVENT_CPU_CYCLES];
			instructions += sampled->windows[k][EVENT_INST_RETIRED];
		}
		if (instructions > 0 && cycles / instructions > slowest)
			slowest = cycles / instructions;
	}
	return slowest * 2 * (double)unit * SAMPLED_EACH <= (double)interval;
}

void timeline_note(const struct block *block, unsigned executed, uint64_t position)
{
	if (!timeline)
		return;
	if (position >= code_ends)
		choose_code(position);
	/* Fibonacci hashing: any two blocks share a value with a chance of 1 in SAMPLED_CODE. */
	code[(block->pc >> 2) * 0x9e3779b97f4a7c15ull >> 32 & (SAMPLED_CODE - 1)] += executed;
}

/* Each unit in between has as much of it as it has instructions. */
void timeline_counted(const uint64_t counts[MODEL_COUNTS], uint64_t from, uint64_t to)
{
	uint64_t at = from;

	if (!timeline || to <= from)
		return;
	while (at < to) {
		const uint64_t number = unit_at(at), next = base + (number + 1) * unit;
		const uint64_t until = number < SAMPLED_MAX - 1 && next < to ? next : to;
		uint64_t *all = timeline->counts[number];

		for (unsigned e = 0; e < EVENT_COUNT; e++)
			all[e] += (uint64_t)((double)counts[e] * (double)(until - from) /
					     (double)(to - from)) -
				  (uint64_t)((double)counts[e] * (double)(at - from) /
					     (double)(to - from));
		at = until;
	}
}

void timeline_take_code(uint32_t taken[SAMPLED_CODE])
{
	if (!timeline)
		return;
	memcpy(taken, timeline->first_code, sizeof(timeline->first_code));
	memset(timeline->first_code, 0, sizeof(timeline->first_code));
}
