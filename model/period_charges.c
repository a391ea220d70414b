/* SPDX-License-Identifier: Apache-2.0 */
#include "period_charges.h"

#include <stdlib.h>
#include <string.h>

#include "charge.h"
#include "memo_graph.h"

struct period_charges {
	struct core *core;
	struct contexts_mark contexts;
	uint32_t line, flusher;
	/* Whose the last operations and stores were, the oldest first; and how many there were. */
	uint32_t lines[REORDER_RING], stores[STORE_RING];
	uint64_t stored;
	struct {
		struct transition *replayed;
		uint32_t visit;
	} blocks[];
};

struct period_charges *period_charges_new(struct core *core, uint32_t blocks)
{
	struct period_charges *charges = NULL;

	charges = calloc(1, sizeof(*charges) + blocks * sizeof(charges->blocks[0]));
	if (charges)
		charges->core = core;
	return charges;
}

/* Copies a ring so that the entry after number `next` - 1 comes first. */
static void unroll(uint32_t *to, const uint32_t *ring, size_t size, uint64_t next)
{
	const size_t first = next % size;

	memcpy(to, ring + first, (size - first) * sizeof(*to));
	memcpy(to + size - first, ring, first * sizeof(*to));
}

_Static_assert(STORE_RING <= REORDER_RING, "move_ring() has room for both");

/* Moves a ring's entries on by so many numbers. */
static void move_ring(uint32_t *ring, size_t size, uint64_t by)
{
	uint32_t before[REORDER_RING];

	unroll(before, ring, size, size - by % size);
	memcpy(ring, before, size * sizeof(*ring));
}

void period_charges_mark(struct period_charges *charges)
{
	struct exact *exact = charges->core->exact;

	contexts_set_mark(&exact->contexts, &charges->contexts);
	charges->line = exact->line;
	charges->flusher = exact->flusher;
	charges->stored = exact->stored;
	unroll(charges->lines, exact->lines, REORDER_RING, charges->core->sequence);
	unroll(charges->stores, exact->stores, STORE_RING, exact->stored);
}

void period_charges_executed(struct period_charges *charges, uint32_t number)
{
	charges->blocks[number].replayed = charges->core->memo->last;
	charges->blocks[number].visit = charges->core->exact->visit;
}

bool period_charges_are_back(const struct period_charges *charges)
{
	const struct exact *exact = charges->core->exact;
	uint32_t lines[REORDER_RING], stores[STORE_RING];

	if (exact->line != charges->line || exact->flusher != charges->flusher ||
	    !contexts_are_back(&exact->contexts, &charges->contexts))
		return false;
	unroll(lines, exact->lines, REORDER_RING, charges->core->sequence);
	unroll(stores, exact->stores, STORE_RING, exact->stored);
	return !memcmp(lines, charges->lines, sizeof(lines)) &&
	       !memcmp(stores, charges->stores, sizeof(stores));
}

uint64_t period_charges_room(const struct period_charges *charges, uint64_t times, uint64_t cycles)
{
	const uint64_t now = charges->core->cycle, told = charges->core->exact->told_at;
	const uint64_t room = told > now ? (told - 1 - now) / cycles : 0;

	times = times < UINT32_MAX ? times : UINT32_MAX;
	return times < room ? times : room;
}

void period_charges_skip(struct period_charges *charges, uint32_t blocks, uint32_t times,
			 uint64_t operations)
{
	struct core *core = charges->core;
	struct exact *exact = core->exact;
	const uint64_t begun = core->sequence, before = (times - 1) * operations;
	uint64_t stores = 0;

	for (uint32_t i = 0; i < blocks; i++)
		stores += charges->blocks[i].replayed->charged->stores;
	stores *= times - 1;
	/* All but the last time are over. */
	move_ring(exact->lines, REORDER_RING, before);
	move_ring(exact->stores, STORE_RING, stores);
	core->sequence += before;
	exact->stored += stores;
	for (uint32_t i = 0; i < blocks; i++) {
		struct transition *t = charges->blocks[i].replayed;

		charges_replay_often(core, t->charged, charges->blocks[i].visit, times);
		core->sequence += t->operations;
	}
	core->sequence = begun;
}
