/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/loop_times.h"

#include <stdlib.h>

/* The end of a gap that is in another function. */
#define ELSEWHERE UINT64_MAX
/* 5 MiB of them. */
#define GAPS_MAX (1u << 17)
/* A loop or a function with fewer is not timed. */
#define GAPS_LEAST 30
/*
 * Loops and functions that the program leaves more often from one record to the next are not timed:
 * records in them may have been elsewhere in between. A pass through a function is seldom as long.
 */
#define STAYS_LEAST          0.9
#define FUNCTION_STAYS_LEAST 0.85
/* The share of a function's records that are in loops whose times are known, at least. */
#define KNOWN_LEAST 0.9
/* A thread that took this many times as long as usual did not run all the time. */
#define PAUSE 32

/* Keeps every other gap from now on. */
static void thin_out(struct loop_times *times)
{
	for (size_t i = 0; 2 * i < times->count; i++)
		times->gaps[i] = times->gaps[2 * i];
	times->count = (times->count + 1) / 2;
	times->stride *= 2;
}

static int add_gap(struct loop_times *times, const struct time_gap *gap)
{
	if (!times->gaps) {
		times->gaps = malloc(GAPS_MAX * sizeof(*times->gaps));
		if (!times->gaps)
			return PLUMB_ERR_NO_MEMORY;
		times->stride = 1;
	}
	if (times->seen++ % times->stride)
		return 0;
	times->gaps[times->count++] = *gap;
	if (times->count == GAPS_MAX)
		thin_out(times);
	return 0;
}

int loop_times_add(struct loop_times *times, const struct plumb_samples_item *item,
		   const struct plumb_location *location)
{
	const struct plumb_spe_record *spe = item->spe;
	const bool known = spe->has & PLUMB_SPE_HAS_TIMESTAMP;
	const bool follows = known && times->symbol && times->task == item->task &&
			     times->ring == item->ring && times->timestamp <= spe->timestamp;
	const struct time_gap gap = {.symbol = times->symbol,
				     .to_symbol = location->symbol,
				     .from = times->address,
				     .to = times->symbol == location->symbol ? location->address
									     : ELSEWHERE,
				     .ticks = spe->timestamp - times->timestamp};

	/* Several samples may be made of a record. */
	if (follows && times->offset == spe->offset)
		return 0;
	times->symbol = known ? location->symbol : NULL;
	times->task = item->task;
	times->ring = item->ring;
	times->address = location->address;
	times->timestamp = spe->timestamp;
	times->offset = spe->offset;
	return follows ? add_gap(times, &gap) : 0;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct time_gap *x = a, *y = b;

	if (x->symbol != y->symbol)
		return (uintptr_t)x->symbol < (uintptr_t)y->symbol ? -1 : 1;
	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

void loop_times_sort(struct loop_times *times)
{
	if (times->count)
		qsort(times->gaps, times->count, sizeof(*times->gaps), compare_gaps);
}

void loop_times_free(struct loop_times *times)
{
	free(times->gaps);
}

/* Returns the first of a function's gaps, of which the shortest comes first. */
static size_t find_gaps(const struct loop_times *times, const struct plumb_symbol *symbol)
{
	size_t low = 0, high = times->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if ((uintptr_t)times->gaps[middle].symbol < (uintptr_t)symbol)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A loop, or the code outside loops. Gaps are those of an outermost one. */
struct timed_loop {
	uint32_t outermost;      /* the loop itself, or the one around it */
	size_t gaps, seen, left; /* left: gaps that begin in the loop, and end elsewhere */
	size_t stayed;           /* those of `left` that end in the same function */
	uint64_t median;
	double counted, ticks; /* those that are not too long, and their sum */
	double slots, samples;
};

/* Sets the outermost loop of each instruction in one. */
static void find_loops(const struct plumb_flow *flow, struct timed_loop *loops, uint32_t *loop_of)
{
	struct plumb_block block;
	struct plumb_loop loop;

	/* Outer loops come first. */
	for (uint32_t l = 0; plumb_flow_loop(flow, l, &loop); l++)
		loops[l].outermost =
			loop.parent == PLUMB_FLOW_NONE ? l : loops[loop.parent].outermost;
	for (size_t b = 0; plumb_flow_block(flow, b, &block); b++)
		for (uint32_t i = block.first; i < block.first + block.count; i++)
			if (block.loop != PLUMB_FLOW_NONE)
				loop_of[i] = loops[block.loop].outermost;
}

/* Returns the outermost loop that an address is in, or NULL if it is not in the function. */
static struct timed_loop *loop_at(uint64_t address, const struct plumb_annotated_code *code,
				  const uint32_t *loop_of, struct timed_loop *loops)
{
	const uint64_t i = (address - code->instructions[0].address) / 4;

	return i >= code->count ? NULL : &loops[loop_of[i]];
}

/* Adds up the gaps of each loop, without those that are much longer than its median. */
static void add_up(const struct loop_times *times, const struct plumb_annotated_code *code,
		   const uint32_t *loop_of, struct timed_loop *loops)
{
	const struct plumb_symbol *symbol = code->function.symbol;
	const size_t first = find_gaps(times, symbol);
	size_t end = first;

	for (; end < times->count && times->gaps[end].symbol == symbol; end++) {
		const struct time_gap *gap = &times->gaps[end];
		struct timed_loop *loop = loop_at(gap->from, code, loop_of, loops);

		if (!loop)
			continue;
		if (loop == loop_at(gap->to, code, loop_of, loops)) {
			loop->gaps++;
		} else {
			loop->left++;
			loop->stayed += gap->to != ELSEWHERE;
		}
	}
	for (size_t g = first; g < end; g++) {
		const struct time_gap *gap = &times->gaps[g];
		struct timed_loop *loop = loop_at(gap->from, code, loop_of, loops);

		if (!loop || loop != loop_at(gap->to, code, loop_of, loops))
			continue;
		if (loop->seen++ <= loop->gaps / 2)
			loop->median = gap->ticks;
		if (gap->ticks / PAUSE > loop->median)
			continue;
		loop->counted++;
		loop->ticks += (double)gap->ticks;
	}
}

static bool is_timed(const struct timed_loop *loop)
{
	const double begun = (double)loop->gaps + (double)loop->left;

	return loop->gaps >= GAPS_LEAST && (double)loop->gaps >= STAYS_LEAST * begun &&
	       loop->ticks > 0 && loop->slots > 0;
}

/* Returns the time that a loop took, by its samples. */
static double time_of(const struct timed_loop *loop)
{
	return loop->samples * loop->ticks / loop->counted;
}

/* Returns the time that the whole function took; 0: nobody knows. */
static double time_of_all(const struct timed_loop *loops, size_t loop_count)
{
	double stayed = 0, left = 0, samples = 0, known = 0, ticks = 0;

	for (size_t l = 0; l < loop_count; l++) {
		const struct timed_loop *loop = &loops[l];

		stayed += (double)loop->gaps + (double)loop->stayed;
		left += (double)loop->left - (double)loop->stayed;
		samples += loop->samples;
		if (!(loop->counted > 0))
			continue;
		known += loop->samples;
		ticks += time_of(loop);
	}
	if (stayed < GAPS_LEAST || stayed < FUNCTION_STAYS_LEAST * (stayed + left) ||
	    known < KNOWN_LEAST * samples)
		return 0;
	return ticks * samples / known;
}

static void scale(const struct plumb_annotated_code *code, const uint32_t *loop_of,
		  struct timed_loop *loops, size_t loop_count, double *slots, double *timed)
{
	double time = 0, sum = 0;

	for (size_t i = 0; i < code->count; i++) {
		timed[i] = 0;
		loops[loop_of[i]].slots += slots[i];
		loops[loop_of[i]].samples += (double)code->instructions[i].samples;
	}
	for (size_t l = 0; l < loop_count; l++) {
		if (!is_timed(&loops[l]))
			continue;
		time += time_of(&loops[l]);
		sum += loops[l].slots;
	}
	for (size_t i = 0; i < code->count && time > 0; i++) {
		const struct timed_loop *loop = &loops[loop_of[i]];

		if (!is_timed(loop))
			continue;
		timed[i] = time_of(loop) * sum / time;
		slots[i] *= timed[i] / loop->slots;
	}
}

int loop_times_apply(const struct loop_times *times, const struct plumb_annotated_code *code,
		     const struct plumb_flow *flow, double *slots, double *timed, double *ticks)
{
	uint32_t *loop_of = calloc(code->count + 1, sizeof(*loop_of));
	struct timed_loop *loops;
	struct plumb_loop loop;
	size_t loop_count = 1;

	while (plumb_flow_loop(flow, loop_count - 1, &loop))
		loop_count++;
	loops = calloc(loop_count, sizeof(*loops));
	*ticks = 0;
	/* The last one is the code outside loops. */
	for (size_t i = 0; loop_of && i < code->count; i++)
		loop_of[i] = (uint32_t)loop_count - 1;
	if (loop_of && loops && code->count) {
		find_loops(flow, loops, loop_of);
		add_up(times, code, loop_of, loops);
		scale(code, loop_of, loops, loop_count, slots, timed);
		*ticks = time_of_all(loops, loop_count);
	}
	free(loop_of);
	free(loops);
	return loop_of && loops ? 0 : PLUMB_ERR_NO_MEMORY;
}
