/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/settle.h"

#include <math.h>
#include <stdbool.h>

#define UNLIKE_CYCLES 16 /* this part of the cycles more or less ... */
#define UNLIKE_SLOTS  4  /* ... or a slot in so many cycles is lost elsewhere */

static struct settle_counts last;
static uint64_t wanted; /* instructions that are still to be in detail */
static uint64_t saved;  /* that may be */

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void settle_set_up(void)
{
	last = (struct settle_counts){0};
	wanted = 0;
	saved = SETTLE_SAVED;
}

static bool lost_elsewhere(uint64_t a, double a_cycles, uint64_t b, double b_cycles)
{
	return fabs((double)a / a_cycles - (double)b / b_cycles) * UNLIKE_SLOTS > 1;
}

static bool are_unlike(const struct settle_counts *a, const struct settle_counts *b)
{
	const double a_cycles = (double)a->cycles, b_cycles = (double)b->cycles;
	const double a_pace = a_cycles / (double)a->instructions;
	const double b_pace = b_cycles / (double)b->instructions;

	return fabs(a_pace - b_pace) * UNLIKE_CYCLES > fmax(a_pace, b_pace) ||
	       lost_elsewhere(a->frontend, a_cycles, b->frontend, b_cycles) ||
	       lost_elsewhere(a->backend, a_cycles, b->backend, b_cycles);
}

void settle_note(const struct settle_counts *window)
{
	saved = lesser(saved + SETTLE_EARNED, SETTLE_SAVED);
	if (!window->instructions || !window->cycles)
		return;
	if (window->mispredicted)
		wanted = 0;
	else if (last.instructions && are_unlike(window, &last))
		wanted = SETTLE_INSTRUCTIONS;
	last = *window;
}

uint64_t settle_lead(uint64_t before)
{
	const uint64_t lead = lesser(before, lesser(wanted, saved));

	wanted -= lead;
	saved -= lead;
	return lead;
}
