/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nagata and Bräysy's guided ejection search, made for vehicles and their routes. One bin is
 * dissolved. Each of its items goes into another bin: into one with room, or else into one where it
 * throws one, two or all others out, which then need a place in turn. An item that was hard to
 * place becomes heavier, and the lightest are thrown out. Between attempts, items move at random to
 * other bins with room. If everything has a place in the end, there is one bin less.
 */
#include "count/eject.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

/* More items, codes or bins than any CPU has; then nothing is tried. */
#define ITEMS_MAX 1024
#define CODES_MAX 512
#define BINS_MAX  256

/* Sets of codes that are counted in all: a few milliseconds. More would find a little more. */
#define STEPS          340000
#define STEPS_PER_ITEM ((size_t)4000) /* few items need few */
#define MOVES          3              /* at random, after each item that throws others out */

#define WORDS (CODES_MAX / 64)

struct set {
	uint64_t words[WORDS];
};

/* The codes of a bin that this many members have, or more. */
struct tiers {
	struct set one, two, three;
};

struct ejecting {
	uint16_t count, bins, words;
	unsigned capacity;
	struct set codes[ITEMS_MAX];
	struct tiers tiers[BINS_MAX];
	uint32_t weight[ITEMS_MAX]; /* how often it was hard to place */
	uint16_t bin[ITEMS_MAX], best[ITEMS_MAX];
	uint16_t members[BINS_MAX][ITEMS_MAX], member_count[BINS_MAX];
	uint16_t homeless[ITEMS_MAX], homeless_count;
	size_t steps;
	uint32_t random;
};

#define NO_BIN    UINT16_MAX
#define EVERYBODY (UINT16_MAX - 1)

static uint32_t next_random(struct ejecting *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 17;
	e->random ^= e->random << 5;
	return e->random;
}

static void put(struct ejecting *e, uint16_t item, uint16_t bin)
{
	struct tiers *tiers = &e->tiers[bin];
	const struct set *codes = &e->codes[item];

	e->bin[item] = bin;
	e->members[bin][e->member_count[bin]++] = item;
	for (size_t w = 0; w < e->words; w++) {
		tiers->three.words[w] |= tiers->two.words[w] & codes->words[w];
		tiers->two.words[w] |= tiers->one.words[w] & codes->words[w];
		tiers->one.words[w] |= codes->words[w];
	}
}

static void take_out(struct ejecting *e, uint16_t item)
{
	const uint16_t bin = e->bin[item], count = e->member_count[bin];
	uint16_t *members = e->members[bin];
	uint16_t i = 0;

	while (members[i] != item)
		i++;
	members[i] = members[count - 1];
	e->bin[item] = NO_BIN;
	e->tiers[bin] = (struct tiers){0};
	e->member_count[bin] = 0;
	for (i = 0; i + 1 < count; i++)
		put(e, members[i], bin);
	e->steps += count;
}

/*
 * Returns how many codes a bin has with the item, without its members `a` and `b`: without those
 * that only one of them has, or only both.
 */
static unsigned size_with(struct ejecting *e, uint16_t item, uint16_t bin, uint16_t a, uint16_t b)
{
	static const struct set nothing;
	const struct tiers *tiers = &e->tiers[bin];
	const struct set *first = a == NO_BIN ? &nothing : &e->codes[e->members[bin][a]];
	const struct set *second = b == NO_BIN ? &nothing : &e->codes[e->members[bin][b]];
	unsigned size = 0;

	for (size_t w = 0; w < e->words; w++) {
		const uint64_t alone = (first->words[w] | second->words[w]) & ~tiers->two.words[w];
		const uint64_t both = first->words[w] & second->words[w] & ~tiers->three.words[w];
		const uint64_t left = tiers->one.words[w] & ~alone & ~both;

		size += (unsigned)__builtin_popcountll(left | e->codes[item].words[w]);
	}
	e->steps++;
	return size;
}

/* Puts the item into the fullest bin with room for it. Returns false if there is none. */
static bool place(struct ejecting *e, uint16_t item)
{
	uint16_t best = NO_BIN, members = 0;

	for (uint16_t bin = 0; bin < e->bins; bin++) {
		if (size_with(e, item, bin, NO_BIN, NO_BIN) > e->capacity ||
		    (best != NO_BIN && e->member_count[bin] <= members))
			continue;
		best = bin;
		members = e->member_count[bin];
	}
	if (best != NO_BIN)
		put(e, item, best);
	return best != NO_BIN;
}

/* Whom an item throws out of a bin. */
struct ejection {
	uint16_t bin, a, b; /* places among its members; NO_BIN: nobody; `a` is EVERYBODY */
	uint32_t weight;
	uint32_t ties;
};

/* Considers throwing out members `a` and `b`, if that makes room and there is no lighter choice. */
static bool offer(struct ejecting *e, struct ejection *best, uint16_t item, struct ejection choice)
{
	const uint16_t *members = e->members[choice.bin];

	if (choice.a != EVERYBODY)
		choice.weight = e->weight[members[choice.a]] +
				(choice.b == NO_BIN ? 0 : e->weight[members[choice.b]]);
	if (best->bin != NO_BIN && choice.weight > best->weight)
		return false;
	if (choice.a != EVERYBODY &&
	    size_with(e, item, choice.bin, choice.a, choice.b) > e->capacity)
		return false;
	choice.ties = best->bin != NO_BIN && choice.weight == best->weight ? best->ties + 1 : 1;
	/* Each of equal ones is as likely. */
	if (next_random(e) % choice.ties == 0)
		*best = choice;
	best->ties = choice.ties;
	return true;
}

/* Throws the lightest items out that make room for this one. */
static void eject(struct ejecting *e, uint16_t item)
{
	struct ejection best = {.bin = NO_BIN};
	uint16_t out[ITEMS_MAX], outs = 0;

	for (uint16_t bin = 0; bin < e->bins; bin++) {
		const uint16_t count = e->member_count[bin];
		struct ejection all = {.bin = bin, .a = EVERYBODY};

		for (uint16_t a = 0; a < count; a++) {
			all.weight += e->weight[e->members[bin][a]];
			if (offer(e, &best, item,
				  (struct ejection){.bin = bin, .a = a, .b = NO_BIN}))
				continue;
			for (uint16_t b = 0; b < a; b++)
				offer(e, &best, item,
				      (struct ejection){.bin = bin, .a = a, .b = b});
		}
		if (count > 2)
			offer(e, &best, item, all);
	}
	for (uint16_t i = 0; i < e->member_count[best.bin]; i++)
		if (best.a == EVERYBODY || i == best.a || i == best.b)
			out[outs++] = e->members[best.bin][i];
	for (uint16_t i = 0; i < outs; i++) {
		take_out(e, out[i]);
		e->homeless[e->homeless_count++] = out[i];
	}
	put(e, item, best.bin);
}

/* Moves items at random to other bins with room for them. */
static void shake(struct ejecting *e)
{
	for (unsigned i = 0; i < MOVES; i++) {
		const uint16_t item = (uint16_t)(next_random(e) % e->count);
		const uint16_t bin = (uint16_t)(next_random(e) % e->bins);

		if (e->bin[item] == NO_BIN || e->bin[item] == bin ||
		    size_with(e, item, bin, NO_BIN, NO_BIN) > e->capacity)
			continue;
		take_out(e, item);
		put(e, item, bin);
	}
}

/* Makes the last bin's number that of `bin`, whose items lose their place. */
static void dissolve(struct ejecting *e, uint16_t bin)
{
	const uint16_t last = (uint16_t)(e->bins - 1);

	e->homeless_count = 0;
	while (e->member_count[bin]) {
		const uint16_t item = e->members[bin][0];

		take_out(e, item);
		e->homeless[e->homeless_count++] = item;
	}
	while (bin != last && e->member_count[last]) {
		const uint16_t item = e->members[last][0];

		take_out(e, item);
		put(e, item, bin);
	}
	e->bins--;
}

/* Tries to do without a bin. Returns false if it took too many steps. */
static bool lose_bin(struct ejecting *e, uint16_t bin)
{
	dissolve(e, bin);
	while (e->homeless_count && e->steps < STEPS && e->steps < STEPS_PER_ITEM * e->count) {
		const uint16_t item = e->homeless[--e->homeless_count];

		if (place(e, item))
			continue;
		e->weight[item]++;
		eject(e, item);
		shake(e);
	}
	return !e->homeless_count;
}

/* Returns the bin with the fewest members. */
static uint16_t smallest(const struct ejecting *e)
{
	uint16_t best = 0;

	for (uint16_t bin = 1; bin < e->bins; bin++)
		if (e->member_count[bin] < e->member_count[best])
			best = bin;
	return best;
}

/* Numbers the codes. Returns false if there are too many. */
static bool read_items(struct ejecting *e, const struct pack_item *items)
{
	uint16_t known[CODES_MAX];
	size_t codes = 0;

	for (size_t i = 0; i < e->count; i++) {
		for (unsigned k = 0; k < items[i].count; k++) {
			size_t c = 0;

			while (c < codes && known[c] != items[i].codes[k])
				c++;
			if (c == CODES_MAX)
				return false;
			if (c == codes)
				known[codes++] = items[i].codes[k];
			e->codes[i].words[c / 64] |= UINT64_C(1) << c % 64;
		}
		e->weight[i] = 1;
	}
	e->words = (uint16_t)((codes + 63) / 64);
	for (size_t i = 0; i < e->count; i++)
		put(e, (uint16_t)i, items[i].bin);
	return true;
}

int eject_bins(struct pack_item *items, size_t count, unsigned capacity, size_t bins, size_t fewest)
{
	struct ejecting *e;
	size_t found = bins;

	if (count > ITEMS_MAX || bins > BINS_MAX || bins < 2)
		return (int)bins;
	e = calloc(1, sizeof(*e));
	if (!e)
		return PLUMB_ERR_NO_MEMORY;
	e->count = (uint16_t)count;
	e->bins = (uint16_t)bins;
	e->capacity = capacity;
	e->random = 1;
	if (read_items(e, items)) {
		while (found > fewest && found > 1 && lose_bin(e, smallest(e))) {
			found = e->bins;
			memcpy(e->best, e->bin, sizeof(e->best));
		}
	}
	for (size_t i = 0; i < count && found < bins; i++)
		items[i].bin = e->best[i];
	free(e);
	return (int)found;
}
