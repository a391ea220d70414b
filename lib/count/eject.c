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

/* Words that are counted together. */
#define TOGETHER ((size_t)3)

/* More items, codes or bins than any CPU has; then nothing is tried. */
#define ITEMS_MAX 1024
#define WORDS     (3 * TOGETHER)
#define CODES_MAX (WORDS * 64)
#define BINS_MAX  256

/* Sets of codes that are counted in all: a few milliseconds. More would find a little more. */
#define STEPS          900000
#define STEPS_PER_ITEM ((size_t)10000) /* few items need few */
#define MOVES          3               /* at random, after each item that throws others out */

struct set {
	uint64_t words[WORDS];
};

/* The codes of a bin that this many members have, or more. */
struct tiers {
	struct set one, two, three;
};

struct ejecting {
	uint16_t count, bins, words; /* a multiple of TOGETHER */
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

/* Counts the bits of three words, faster than processors without an instruction for one do. */
static unsigned count_bits(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t pairs = UINT64_C(0x5555555555555555);
	const uint64_t fours = UINT64_C(0x3333333333333333);
	const uint64_t bytes = UINT64_C(0x0f0f0f0f0f0f0f0f);
	uint64_t sums;

	a -= a >> 1 & pairs;
	b -= b >> 1 & pairs;
	c -= c >> 1 & pairs;
	/* Of each four bits, at most twelve in all three. */
	sums = (a & fours) + (a >> 2 & fours) + (b & fours) + (b >> 2 & fours) + (c & fours) +
	       (c >> 2 & fours);
	sums = (sums & bytes) + (sums >> 4 & bytes);
	return (unsigned)(sums * UINT64_C(0x0101010101010101) >> 56);
}

/* Returns how many codes a bin has with the item. */
static unsigned size_with(struct ejecting *e, uint16_t item, uint16_t bin)
{
	const uint64_t *one = e->tiers[bin].one.words, *codes = e->codes[item].words;
	unsigned size = 0;

	for (size_t w = 0; w < e->words; w += TOGETHER)
		size += count_bits(one[w] | codes[w], one[w + 1] | codes[w + 1],
				   one[w + 2] | codes[w + 2]);
	e->steps++;
	return size;
}

/* Puts the item into the fullest bin with room for it. Returns false if there is none. */
static bool place(struct ejecting *e, uint16_t item)
{
	uint16_t best = NO_BIN, members = 0;

	for (uint16_t bin = 0; bin < e->bins; bin++) {
		if (size_with(e, item, bin) > e->capacity ||
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

static bool is_lighter(const struct ejection *best, uint32_t weight)
{
	return best->bin == NO_BIN || weight <= best->weight;
}

/* Accepts what is no heavier than the best so far. Of equal ones, each is as likely. */
static void accept(struct ejecting *e, struct ejection *best, struct ejection choice)
{
	choice.ties = best->bin != NO_BIN && choice.weight == best->weight ? best->ties + 1 : 1;
	if (next_random(e) % choice.ties == 0)
		*best = choice;
	best->ties = choice.ties;
}

/* The codes of a bin that an item does not have: those of one member alone, and of two. */
struct freed {
	struct set of_one, of_two;
	unsigned wanted; /* codes that must go to make room */
};

static void find_freed(struct ejecting *e, uint16_t item, uint16_t bin, struct freed *freed)
{
	const struct tiers *tiers = &e->tiers[bin];
	const uint64_t *codes = e->codes[item].words;

	for (size_t w = 0; w < e->words; w++) {
		freed->of_one.words[w] = tiers->one.words[w] & ~tiers->two.words[w] & ~codes[w];
		freed->of_two.words[w] = tiers->two.words[w] & ~tiers->three.words[w] & ~codes[w];
	}
	freed->wanted = size_with(e, item, bin) - e->capacity;
}

/* Returns how many codes go with an item. */
static unsigned goes_with(struct ejecting *e, uint16_t item, const struct freed *freed)
{
	const uint64_t *codes = e->codes[item].words, *one = freed->of_one.words;
	unsigned count = 0;

	for (size_t w = 0; w < e->words; w += TOGETHER)
		count += count_bits(codes[w] & one[w], codes[w + 1] & one[w + 1],
				    codes[w + 2] & one[w + 2]);
	e->steps++;
	return count;
}

/* Returns how many codes go with two items that stay if only one of these goes. */
static unsigned goes_with_both(struct ejecting *e, uint16_t a, uint16_t b,
			       const struct freed *freed)
{
	const uint64_t *first = e->codes[a].words, *second = e->codes[b].words;
	const uint64_t *two = freed->of_two.words;
	unsigned count = 0;

	for (size_t w = 0; w < e->words; w += TOGETHER)
		count += count_bits(first[w] & second[w] & two[w],
				    first[w + 1] & second[w + 1] & two[w + 1],
				    first[w + 2] & second[w + 2] & two[w + 2]);
	e->steps++;
	return count;
}

/* Considers throwing items out of a bin, which has no room for this one. */
static void offer(struct ejecting *e, struct ejection *best, uint16_t item, uint16_t bin)
{
	const uint16_t count = e->member_count[bin], *members = e->members[bin];
	struct ejection all = {.bin = bin, .a = EVERYBODY};
	unsigned goes[ITEMS_MAX];
	struct freed freed = {0};

	find_freed(e, item, bin, &freed);
	for (uint16_t a = 0; a < count; a++) {
		struct ejection choice = {
			.bin = bin, .a = a, .b = NO_BIN, .weight = e->weight[members[a]]};
		const uint32_t weight = choice.weight;

		goes[a] = goes_with(e, members[a], &freed);
		all.weight += weight;
		if (is_lighter(best, weight) && goes[a] >= freed.wanted) {
			accept(e, best, choice);
			continue;
		}
		for (choice.b = 0; choice.b < a; choice.b++) {
			const uint16_t b = choice.b;

			choice.weight = weight + e->weight[members[b]];
			if (is_lighter(best, choice.weight) &&
			    (goes[a] + goes[b] >= freed.wanted ||
			     goes[a] + goes[b] +
					     goes_with_both(e, members[a], members[b], &freed) >=
				     freed.wanted))
				accept(e, best, choice);
		}
	}
	if (count > 2 && is_lighter(best, all.weight))
		accept(e, best, all);
}

/* Throws the lightest items out that make room for this one. */
static void eject(struct ejecting *e, uint16_t item)
{
	struct ejection best = {.bin = NO_BIN};
	uint16_t out[ITEMS_MAX], outs = 0;

	for (uint16_t bin = 0; bin < e->bins; bin++)
		offer(e, &best, item, bin);
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
		    size_with(e, item, bin) > e->capacity)
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
	e->words = (uint16_t)((codes + 64 * TOGETHER - 1) / (64 * TOGETHER) * TOGETHER);
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
