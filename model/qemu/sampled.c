/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/sampled.h"

#include <string.h>

#include "warm.h"

#define NOTE_INSTRUCTIONS 65536 /* how far the shared count may lag */
#define PACE_MAX          (64 * WARM_PACE_ONE)

enum phase {
	PHASE_FIRST,  /* the first stretch, modelled in full */
	PHASE_WARMS,  /* between windows */
	PHASE_BEFORE, /* in detail, so that a window begins with a full pipeline */
	PHASE_WINDOW,
	PHASE_LEFT, /* everything is modelled for good */
};

static bool active;
static struct model_sampled *sampled;
static void (*sum_counts)(uint64_t counts[MODEL_COUNTS]);
static double wanted; /* relative error of the cycles */
static uint64_t random_state;

/* Only the thread that runs alone uses these. */
static enum phase phase;
static uint64_t position; /* instructions executed so far */
static uint64_t next;     /* position at which the phase ends */
static uint64_t noted;    /* position at which the shared count was updated */
static uint64_t base;     /* position at which the first unit began */
static uint64_t window_at;
static uint64_t counts_before[MODEL_COUNTS];
static uint32_t pace = WARM_PACE_ONE;
static struct warmer warmer;

/* Returns the next random number: SplitMix64. */
static uint64_t random_number(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void sampled_set_up(struct model_shared *shared, uint32_t error, uint64_t seed,
		    void (*sum)(uint64_t counts[MODEL_COUNTS]))
{
	active = error != 0;
	if (!active)
		return;
	sampled = &shared->sampled;
	sum_counts = sum;
	wanted = (double)error / SAMPLED_ERROR_PARTS;
	random_state = seed + atomic_load(&sampled->count);
	sum_counts(counts_before);
	position = noted = counts_before[EVENT_INST_RETIRED];
	base = sampled->first[EVENT_INST_RETIRED];
	if (atomic_load(&sampled->left)) {
		phase = PHASE_LEFT;
		return;
	}
	phase = PHASE_FIRST;
	next = SAMPLED_FIRST;
}

bool sampled_asked(void)
{
	return active;
}

/* ---- windows ------------------------------------------------------------------------------ */

static void read_counts(struct core *core, uint64_t counts[MODEL_COUNTS])
{
	core_counts(core);
	sum_counts(counts);
}

/* Keeps one of every two windows, and makes units twice as long. */
static void join_units(void)
{
	const uint32_t half = atomic_load(&sampled->count) / 2;

	for (uint32_t i = 0; i < half; i++) {
		const uint32_t kept = 2 * i + (random_number() >> 63);

		if (kept != i)
			memcpy(sampled->windows[i], sampled->windows[kept],
			       sizeof(sampled->windows[i]));
	}
	sampled->unit *= 2;
	atomic_store(&sampled->count, half);
}

/*
 * Whether half of the windows would do: the square of the relative error, by the differences of
 * neighbours (doc/statistics.md), is small enough.
 */
static bool half_is_enough(void)
{
	const uint32_t count = atomic_load(&sampled->count);
	double cycles = 0, instructions = 0, squares = 0, before = 0;

	for (uint32_t i = 0; i < count; i++) {
		cycles += sampled->windows[i][EVENT_CPU_CYCLES];
		instructions += sampled->windows[i][EVENT_INST_RETIRED];
	}
	for (uint32_t i = 0; i < count; i++) {
		const double rest = sampled->windows[i][EVENT_CPU_CYCLES] -
				    cycles / instructions * sampled->windows[i][EVENT_INST_RETIRED];

		squares += i ? (rest - before) * (rest - before) : 0;
		before = rest;
	}
	/* The variance of a window is squares / (2 count), that of the mean of half of them four
	 * times that by 2 count; with something to spare, because units get longer. */
	return 4 * squares <= 0.75 * wanted * wanted * cycles * cycles;
}

static void end_window(struct core *core)
{
	const uint32_t count = atomic_load(&sampled->count);
	uint64_t counts[MODEL_COUNTS], own;

	read_counts(core, counts);
	for (unsigned e = 0; e < MODEL_COUNTS; e++) {
		const uint64_t more = counts[e] - counts_before[e];

		sampled->windows[count][e] = more < UINT32_MAX ? (uint32_t)more : UINT32_MAX;
	}
	own = (uint64_t)sampled->windows[count][EVENT_CPU_CYCLES] * WARM_PACE_ONE /
	      sampled->windows[count][EVENT_INST_RETIRED];
	/* The time that passes between windows is that of the last few. */
	pace = (uint32_t)((7ull * pace + (own < PACE_MAX ? own : PACE_MAX)) / 8);
	atomic_store(&sampled->count, count + 1);
	if (count + 1 == SAMPLED_MAX ||
	    (count + 1 >= SAMPLED_FEW && (count + 1) % 64 == 0 && half_is_enough()))
		join_units();
}

/* Chooses where the next unit's window is, and how to get there. */
static void seek_window(struct core *core)
{
	window_at = base + atomic_load(&sampled->count) * sampled->unit +
		    random_number() % sampled->unit;
	next = window_at;
	if (window_at <= position) {
		phase = PHASE_WINDOW;
	} else if (window_at <= position + SAMPLED_BEFORE) {
		phase = PHASE_BEFORE;
	} else {
		phase = PHASE_WARMS;
		next = window_at - SAMPLED_BEFORE;
		warm_begin(&warmer, core);
	}
}

static void begin_window(struct core *core)
{
	phase = PHASE_WINDOW;
	next = position + SAMPLED_WINDOW;
	read_counts(core, counts_before);
}

static void end_first_stretch(struct core *core)
{
	if (atomic_load(&sampled->state) == SAMPLED_ALL) {
		read_counts(core, sampled->first);
		sampled->unit = SAMPLED_UNIT;
		base = sampled->first[EVENT_INST_RETIRED];
		atomic_store(&sampled->state, SAMPLED_WINDOWS);
	}
	seek_window(core);
	if (phase == PHASE_WINDOW)
		begin_window(core);
}

static void end_phase(struct core *core)
{
	switch (phase) {
	case PHASE_FIRST:
		end_first_stretch(core);
		break;
	case PHASE_WARMS:
		warm_end(&warmer);
		phase = PHASE_BEFORE;
		next = window_at;
		break;
	case PHASE_BEFORE:
		begin_window(core);
		break;
	case PHASE_WINDOW:
		end_window(core);
		seek_window(core);
		if (phase == PHASE_WINDOW)
			begin_window(core);
		break;
	default:
		break;
	}
}

/* ---- blocks ------------------------------------------------------------------------------- */

void sampled_execute(struct core *core, const struct block *block, unsigned executed,
		     const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	if (phase != PHASE_WARMS) {
		core_execute(core, block, executed, accesses, access_count, next_pc);
		/* Other threads come by here. */
		if (phase == PHASE_LEFT)
			return;
		if (phase != PHASE_FIRST)
			sampled->modelled += executed;
	} else {
		warm_execute(&warmer, block, executed, accesses, access_count, next_pc, pace);
		if (position - noted >= NOTE_INSTRUCTIONS) {
			noted = position;
			warm_note_instructions(&warmer);
		}
	}
	position += executed;
	if (position >= next)
		end_phase(core);
}

void sampled_leave(struct core *core)
{
	if (!active || phase == PHASE_LEFT)
		return;
	if (phase == PHASE_WARMS)
		warm_end(&warmer);
	if (atomic_load(&sampled->state) == SAMPLED_WINDOWS)
		read_counts(core, sampled->before);
	phase = PHASE_LEFT;
	atomic_store(&sampled->left, 1);
}
