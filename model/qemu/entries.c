/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/entries.h"

#include <string.h>

#define PLACES 4096

static uint64_t last_at[PLACES]; /* position behind which the blocks of a place executed last */
static uint64_t known_from;      /* position from which it is known what had executed */
static uint64_t window_at;
static uint64_t reach;        /* instructions before a window in which entries count */
static uint64_t saved, spent; /* instructions in detail: that may be, and before this window */

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void entries_set_up(void)
{
	memset(last_at, 0, sizeof(last_at));
	known_from = 0;
	window_at = 0;
	reach = ENTRIES_REACH;
	saved = ENTRIES_SAVED;
	spent = 0;
}

void entries_choose(uint64_t at)
{
	if (spent > ENTRIES_EARNED)
		reach = greater(reach / 2, ENTRIES_NEAR);
	else if (spent < ENTRIES_EARNED / 4)
		reach = lesser(reach * 2, ENTRIES_REACH);
	saved = lesser(saved + ENTRIES_EARNED, ENTRIES_SAVED);
	spent = 0;
	window_at = at;
}

void entries_begin(uint64_t position)
{
	known_from = position + ENTRIES_WHILE;
}

bool entries_note(uint64_t pc, uint64_t position)
{
	/* Blocks are a few instructions long: neighbours do not share a place. */
	uint64_t *last = &last_at[(pc >> 2 ^ pc >> 14) % PLACES];
	const bool is_new = position - *last > ENTRIES_WHILE;

	*last = position;
	return is_new;
}

bool entries_wanted(uint64_t position)
{
	return saved && position >= known_from && position + reach >= window_at;
}

void entries_spend(uint64_t instructions)
{
	saved -= lesser(saved, instructions);
	spent += instructions;
}
