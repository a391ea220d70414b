/* SPDX-License-Identifier: Apache-2.0 */
#include "direction.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TABLES_MAX   8 /* 16-bit numbers in a vector */
#define HISTORY_BITS 256
#define HISTORY_RING 4096
#define COUNTER_MAX  3 /* range in a tagged entry: -4 .. 3 */
#define USEFUL_MAX   3
#define TRUST_MAX    7
#define BASE_MAX     3
#define BASE_TAKEN   2          /* from here on, the base predicts a taken branch */
#define AGE_PERIOD   (1u << 18) /* number of branches after which usefulness is halved */

/* A tagged entry without its tag, which is elsewhere: a look-up needs the tags of all. */
struct entry {
	int8_t counter;
	int8_t useful;
};

/* One number for each table. */
typedef uint16_t per_table __attribute__((vector_size(2 * TABLES_MAX)));

/* Each table's history, folded by xor into `width` bits, and updated bit by bit. */
struct folds {
	per_table value;
	per_table leaving; /* the bit of the fold that has the oldest bit of the history */
	per_table mask;    /* of `width` bits */
	unsigned width;    /* at most 15 */
};

struct direction {
	unsigned count;
	unsigned tables; /* two bits for each of them */
	unsigned log2_entries;
	unsigned history_bits; /* of an index, which depend on the history; the others do not */
	uint32_t index_mask, base_mask;
	per_table history_masks, index_masks, tag_masks; /* the same for all tables */
	int8_t *base;                                    /* 2-bit counters */
	/* By index, then table, also those beyond `count`, which nothing uses. */
	uint16_t *tags;
	struct entry *entries;
	unsigned length[TABLES_MAX]; /* of history */
	struct folds index, tag, tag2;
	/* All ones for each bit of the history that is set, the newest first, from `newest` on. */
	uint16_t history[HISTORY_RING + HISTORY_BITS];
	unsigned newest;
	unsigned oldest[TABLES_MAX]; /* behind it: the last bit of each table's history */
	uint64_t recent;             /* the newest 64 bits, newest lowest */
	int8_t trust_new;            /* negative: the alternative to a new entry predicts better */
	uint32_t tick;
	uint32_t random;
};

/* A branch's places in the tables. */
struct lookup {
	int8_t *base;
	per_table tags;
	uint16_t places[TABLES_MAX]; /* twice the index in each table */
	int provider;       /* the table with the longest history that has the branch, or -1 */
	int alternative;    /* the one with the next longest, or -1 */
	bool first, second; /* what they predict; the base stands in for one that is missing */
	bool fresh;         /* the provider's entry is new */
};

static void folds_set_up(struct folds *folds, unsigned width, const struct direction *d)
{
	folds->width = width ? width : 1;
	folds->mask = (per_table){0} + (uint16_t)((1u << folds->width) - 1);
	for (unsigned i = 0; i < d->count; i++)
		folds->leaving[i] = (uint16_t)(1u << d->length[i] % folds->width);
}

/* Pushes bit `in`. `out` is all ones for each table whose history drops a set bit. */
static inline void folds_push(struct folds *folds, unsigned in, per_table out)
{
	per_table value = folds->value << 1 ^ (uint16_t)in ^ (folds->leaving & out);

	folds->value = (value ^ value >> folds->width) & folds->mask;
}

struct direction *direction_new(const struct predictor_params *params)
{
	struct direction *d = aligned_alloc(alignof(struct direction), sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, sizeof(*d));
	d->count = params->tage_tables < TABLES_MAX ? params->tage_tables : TABLES_MAX;
	d->tables = (1u << 2 * d->count) - 1;
	d->log2_entries = params->tage_log2_entries;
	d->index_mask = (1u << params->tage_log2_entries) - 1;
	d->index_masks += (uint16_t)d->index_mask;
	d->tag_masks += (uint16_t)((1u << params->tag_bits) - 1);
	d->base_mask = (1u << params->base_log2_entries) - 1;
	if (params->tage_log2_entries > 15 || params->tag_bits > 15 || params->tag_bits < 2 ||
	    params->tage_log2_entries < 4 || params->tage_bank_bits >= params->tage_log2_entries)
		goto fail;
	d->history_bits = params->tage_log2_entries - (unsigned)params->tage_bank_bits;
	d->history_masks += (uint16_t)((1u << d->history_bits) - 1);
	d->random = 0x2545f491;
	d->newest = HISTORY_RING;
	d->base = malloc((size_t)d->base_mask + 1);
	if (!d->base)
		goto fail;
	for (uint32_t i = 0; i <= d->base_mask; i++)
		d->base[i] = 1; /* weakly not taken */
	d->tags = calloc(TABLES_MAX * ((size_t)d->index_mask + 1), sizeof(*d->tags));
	d->entries = calloc(TABLES_MAX * ((size_t)d->index_mask + 1), sizeof(*d->entries));
	if (!d->tags || !d->entries)
		goto fail;
	for (unsigned i = 0; i < d->count; i++) {
		d->length[i] =
			params->history[i] < HISTORY_BITS ? params->history[i] : HISTORY_BITS - 1u;
		d->oldest[i] = (d->length[i] - 1) % HISTORY_BITS;
	}
	/* An even width would put every other branch of the history into the same bits. */
	folds_set_up(&d->index, d->history_bits | 1, d);
	folds_set_up(&d->tag, params->tag_bits, d);
	folds_set_up(&d->tag2, params->tag_bits - 1u, d);
	return d;
fail:
	direction_free(d);
	return NULL;
}

void direction_free(struct direction *d)
{
	if (!d)
		return;
	free(d->tags);
	free(d->entries);
	free(d->base);
	free(d);
}

static inline __attribute__((always_inline)) void push_history(struct direction *d, unsigned bit)
{
	const uint16_t *history = &d->history[d->newest];
	const unsigned *oldest = d->oldest;
	const per_table out = {history[oldest[0]], history[oldest[1]], history[oldest[2]],
			       history[oldest[3]], history[oldest[4]], history[oldest[5]],
			       history[oldest[6]], history[oldest[7]]};

	if (!d->newest) {
		memcpy(&d->history[HISTORY_RING], d->history, HISTORY_BITS * sizeof(*history));
		d->newest = HISTORY_RING;
	}
	d->history[--d->newest] = bit ? UINT16_MAX : 0;
	d->recent = d->recent << 1 | bit;
	folds_push(&d->index, bit, out);
	folds_push(&d->tag, bit, out);
	folds_push(&d->tag2, bit, out);
}

/* xorshift32: random, so that the tables that get new entries do not resonate with the program. */
static uint32_t next_random(struct direction *d)
{
	d->random ^= d->random << 13;
	d->random ^= d->random >> 17;
	d->random ^= d->random << 5;
	return d->random;
}

/* Moves a counter one step up or down, within its limits. */
static inline void count_towards(int8_t *counter, bool up, int least, int most)
{
	if (up && *counter < most)
		++*counter;
	else if (!up && *counter > least)
		--*counter;
}

static void age(struct direction *d)
{
	for (size_t i = 0; i < TABLES_MAX * ((size_t)d->index_mask + 1); i++)
		d->entries[i].useful >>= 1;
}

/* Returns where the branch is among all tables' tags and entries. */
static inline size_t place_in(const struct lookup *found, unsigned table)
{
	return TABLES_MAX / 2 * (size_t)found->places[table] + table;
}

static inline struct entry *entry_in(const struct direction *d, const struct lookup *found,
				     unsigned table)
{
	return &d->entries[place_in(found, table)];
}

static inline uint16_t tag_in(const struct direction *d, const struct lookup *found, unsigned table)
{
	return d->tags[place_in(found, table)];
}

/* Returns two bits for each table, both set if two numbers are the same. */
static inline unsigned same(per_table a, per_table b)
{
	const per_table equal = (per_table)(a == b);
#ifdef __SSE2__
	return (unsigned)_mm_movemask_epi8((__m128i)equal);
#else
	static const per_table lane = {3,      3 << 2,  3 << 4,  3 << 6,
				       3 << 8, 3 << 10, 3 << 12, 3 << 14};
	typedef uint64_t halves __attribute__((vector_size(sizeof(per_table))));
	const halves lanes = (halves)(equal & lane);
	uint64_t bits = lanes[0] | lanes[1];

	bits |= bits >> 32;
	return (unsigned)(bits | bits >> 16) & ((1u << 2 * TABLES_MAX) - 1);
#endif
}

/* Returns the table of the highest bit set, or -1. */
static inline int last_table(unsigned bits)
{
	return bits ? (31 - __builtin_clz(bits)) / 2 : -1;
}

/* Finds the branch at `address` in each table. */
static inline void look_up(const struct direction *d, uint32_t address, struct lookup *found)
{
	uint32_t high = address >> (d->log2_entries - 3);
	per_table spread = {(uint16_t)(high >> 3), (uint16_t)(high >> 2), (uint16_t)(high >> 1),
			    (uint16_t)high,        (uint16_t)(high >> 3), (uint16_t)(high >> 2),
			    (uint16_t)(high >> 1), (uint16_t)high};
	per_table folded = (d->index.value ^ d->index.value >> d->history_bits) & d->history_masks;
	const per_table index = (spread ^ (uint16_t)address ^ folded) & d->index_masks;
	const per_table places = index + index;
	unsigned matching;
	per_table tags;

	memcpy(found->places, &places, sizeof(places));
	found->base = &d->base[address & d->base_mask];
	found->tags = (d->tag.value ^ d->tag2.value << 1 ^ (uint16_t)address) & d->tag_masks;
	tags = (per_table){tag_in(d, found, 0), tag_in(d, found, 1), tag_in(d, found, 2),
			   tag_in(d, found, 3), tag_in(d, found, 4), tag_in(d, found, 5),
			   tag_in(d, found, 6), tag_in(d, found, 7)};
	matching = same(tags, found->tags) & d->tables;
	found->provider = last_table(matching);
	found->alternative = matching ? last_table(matching & ~(3u << 2 * found->provider)) : -1;
}

/* Sets what the provider and its alternative predict, and returns which of them to believe. */
static inline bool predict(const struct direction *d, struct lookup *found)
{
	const struct entry *entry;

	found->second = found->alternative >= 0
				? entry_in(d, found, (unsigned)found->alternative)->counter >= 0
				: *found->base >= BASE_TAKEN;
	found->first = found->second;
	found->fresh = false;
	if (found->provider < 0)
		return found->first;
	entry = entry_in(d, found, (unsigned)found->provider);
	found->first = entry->counter >= 0;
	found->fresh = (entry->counter == 0 || entry->counter == -1) && !entry->useful;
	return found->fresh && d->trust_new < 0 ? found->second : found->first;
}

/* Moves the counters of what was looked up towards what the branch did. */
static inline void learn(struct direction *d, const struct lookup *found, bool taken)
{
	bool teach_base = found->alternative < 0;

	if (found->provider >= 0) {
		struct entry *entry = entry_in(d, found, (unsigned)found->provider);
		bool right = found->first == taken;

		if (found->first != found->second) {
			if (found->fresh)
				count_towards(&d->trust_new, right, -TRUST_MAX - 1, TRUST_MAX);
			count_towards(&entry->useful, right, 0, USEFUL_MAX);
		}
		count_towards(&entry->counter, taken, -COUNTER_MAX - 1, COUNTER_MAX);
		teach_base = teach_base && !entry->useful;
		if (!entry->useful && found->alternative >= 0)
			count_towards(&entry_in(d, found, (unsigned)found->alternative)->counter,
				      taken, -COUNTER_MAX - 1, COUNTER_MAX);
	}
	if (teach_base)
		count_towards(found->base, taken, 0, BASE_MAX);
}

/* After a misprediction, allocates entries with longer histories than the provider's, if free. */
static void allocate(struct direction *d, const struct lookup *found, bool taken)
{
	unsigned i = (unsigned)(found->provider + 1), given = 0;

	if (i >= d->count)
		return;
	if (i + 1 < d->count && (next_random(d) & 1))
		i++;
	for (; i < d->count && given < 2; i++) {
		struct entry *entry = entry_in(d, found, i);

		if (entry->useful) {
			entry->useful--;
			continue;
		}
		*entry = (struct entry){.counter = taken ? 0 : -1};
		d->tags[place_in(found, i)] = found->tags[i];
		given++;
		i++;
	}
}

bool direction_branch(struct direction *d, uint64_t pc, bool taken)
{
	struct lookup found;
	bool predicted;

	look_up(d, (uint32_t)(pc >> 2), &found);
	predicted = predict(d, &found);
	learn(d, &found, taken);
	if (predicted != taken)
		allocate(d, &found, taken);
	if (++d->tick == AGE_PERIOD) {
		d->tick = 0;
		age(d);
	}
	push_history(d, taken);
	return predicted;
}

void direction_note_taken(struct direction *d, uint64_t pc, uint64_t target)
{
	push_history(d, (unsigned)((pc >> 2) ^ (target >> 3)) & 1);
}

uint64_t direction_history(const struct direction *d)
{
	return d->recent;
}
