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
#define HISTORY_STEP 16 /* bits of history that are moved at once */
#define COUNTER_MAX  3  /* range in a tagged entry: -4 .. 3 */
#define USEFUL_MAX   3
#define TRUST_MAX    7
#define BASE_MAX     COUNTER_MAX
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
	/*
	 * For each table, the bits that its history will drop next, the next one highest; and where
	 * a new bit goes if it is one of them already.
	 */
	per_table dropping, joins;
	unsigned pushed; /* bits since .dropping was set, at most HISTORY_STEP */
	/* The bits before these, the newest first and lowest, with room for what is read behind. */
	uint16_t history[HISTORY_BITS / HISTORY_STEP + 2];
	uint64_t recent;  /* the newest 64 bits, newest lowest */
	int8_t trust_new; /* negative: the alternative to a new entry predicts better */
	uint32_t tick;
	uint32_t random;
	uint64_t changes; /* direction_read() */
};

/* A branch's places in the tables. */
struct lookup {
	per_table tags, places; /* twice the index in each table */
	unsigned provider;      /* the table with the longest history that has the branch */
	bool provides;          /* there is one */
	struct entry *first;    /* its entry */
	int8_t *second;         /* the counter of the next longest, or else of the base */
	int8_t least;           /* where that one's range begins, and */
	int8_t taken;           /* from where on it predicts a taken branch */
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
		if (d->length[i] && d->length[i] <= HISTORY_STEP)
			d->joins[i] = (uint16_t)(1u << (HISTORY_STEP - d->length[i]));
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

/* Moves the newest bits into the history, and finds those that each table drops next. */
static __attribute__((noinline)) void move_history(struct direction *d)
{
	uint16_t *history = d->history;

	memmove(&history[1], history, HISTORY_BITS / HISTORY_STEP * sizeof(*history));
	history[0] = (uint16_t)d->recent;
	for (unsigned i = 0; i < d->count; i++) {
		const unsigned from = d->length[i] - HISTORY_STEP, at = from / HISTORY_STEP;

		if (d->length[i] <= HISTORY_STEP)
			d->dropping[i] = (uint16_t)(history[0] << (HISTORY_STEP - d->length[i]));
		else
			d->dropping[i] = (uint16_t)((history[at] | (uint32_t)history[at + 1]
									   << HISTORY_STEP) >>
						    from % HISTORY_STEP);
	}
	d->pushed = 0;
}

static inline __attribute__((always_inline)) void push_history(struct direction *d, unsigned bit)
{
	typedef int16_t signs __attribute__((vector_size(sizeof(per_table))));
	const per_table out = (per_table)((signs)d->dropping >> 15);

	d->recent = d->recent << 1 | bit;
	d->dropping = d->dropping << 1 | (d->joins & (uint16_t)-bit);
	folds_push(&d->index, bit, out);
	folds_push(&d->tag, bit, out);
	folds_push(&d->tag2, bit, out);
	if (++d->pushed == HISTORY_STEP)
		move_history(d);
}

/* xorshift32: random, so that the tables that get new entries do not resonate with the program. */
static uint32_t next_random(struct direction *d)
{
	d->random ^= d->random << 13;
	d->random ^= d->random >> 17;
	d->random ^= d->random << 5;
	return d->random;
}

/* Moves a counter some steps up or down, within its limits. */
static inline void count_by(int8_t *counter, int steps, int least, int most)
{
	int next = *counter + steps;

	next = next > most ? most : next;
	*counter = (int8_t)(next < least ? least : next);
}

static __attribute__((noinline)) void age(struct direction *d)
{
	d->changes++;
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

/* Returns the table of the highest bit set, or the first one. */
static inline unsigned last_table(unsigned bits)
{
	return (31u - (unsigned)__builtin_clz(bits | 1)) / 2;
}

/* Returns the tags at a branch's places. */
static inline per_table tags_at(const struct direction *d, per_table places)
{
#ifdef __SSE2__
	const __m128i at = (__m128i)places;
	__m128i tags = _mm_setzero_si128();

	/* An instruction for each, where the compiler would make more. */
#define TAG(table)                                                                            \
	tags = _mm_insert_epi16(                                                              \
		tags, d->tags[TABLES_MAX / 2 * (size_t)_mm_extract_epi16(at, table) + table], \
		table)
	TAG(0), TAG(1), TAG(2), TAG(3), TAG(4), TAG(5), TAG(6), TAG(7);
#undef TAG
	return (per_table)tags;
#else
	per_table tags = {0};

	for (unsigned i = 0; i < TABLES_MAX; i++)
		tags[i] = d->tags[TABLES_MAX / 2 * (size_t)places[i] + i];
	return tags;
#endif
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
	unsigned matching, rest;

	found->places = index + index;
	found->tags = (d->tag.value ^ d->tag2.value << 1 ^ (uint16_t)address) & d->tag_masks;
	matching = same(tags_at(d, found->places), found->tags) & d->tables;
	found->provides = matching != 0;
	found->provider = 0;
	found->first = NULL;
	found->second = &d->base[address & d->base_mask];
	found->least = 0;
	found->taken = BASE_TAKEN;
	if (!matching)
		return;
	found->provider = last_table(matching);
	found->first = entry_in(d, found, found->provider);
	rest = matching & ~(3u << 2 * found->provider);
	found->second = rest ? &entry_in(d, found, last_table(rest))->counter : found->second;
	found->least = rest ? -COUNTER_MAX - 1 : 0;
	found->taken = rest ? 0 : BASE_TAKEN;
}

/*
 * Whether all that was looked up predicts what the branch does as firmly as it can: then there is
 * nothing to learn. It has few branches, since the host would predict most of them wrong.
 */
static inline bool is_settled(const struct lookup *found, bool taken)
{
	const bool second = *found->second == (taken ? COUNTER_MAX : found->least);

	if (!found->provides)
		return second;
	return (found->first->counter == (taken ? COUNTER_MAX : -COUNTER_MAX - 1)) &
	       (second | (found->first->useful == USEFUL_MAX));
}

/* After a misprediction, allocates entries with longer histories than the provider's, if free. */
static void allocate(struct direction *d, const struct lookup *found, bool taken)
{
	unsigned i = found->provides ? found->provider + 1 : 0, given = 0;

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

/* Predicts a branch that was looked up, and moves the counters towards what it did. */
static __attribute__((noinline)) bool predict_and_learn(struct direction *d,
							const struct lookup *found, bool taken)
{
	const int step = taken ? 1 : -1;
	const bool second = *found->second >= found->taken;
	const int8_t second_was = *found->second, trust_was = d->trust_new;
	bool predicted = second, useful = false, changed = false;

	if (found->provides) {
		struct entry *entry = found->first;
		const struct entry was = *entry;
		const bool first = entry->counter >= 0, right = first == taken;
		const bool fresh = (entry->counter == 0 || entry->counter == -1) && !entry->useful;

		predicted = fresh && d->trust_new < 0 ? second : first;
		if (first != second) {
			count_by(&d->trust_new, fresh ? right ? 1 : -1 : 0, -TRUST_MAX - 1,
				 TRUST_MAX);
			count_by(&entry->useful, right ? 1 : -1, 0, USEFUL_MAX);
		}
		count_by(&entry->counter, step, -COUNTER_MAX - 1, COUNTER_MAX);
		useful = entry->useful;
		changed = entry->counter != was.counter || entry->useful != was.useful;
	}
	count_by(found->second, useful ? 0 : step, found->least, COUNTER_MAX);
	changed |= *found->second != second_was || d->trust_new != trust_was;
	d->changes += changed || predicted != taken;
	if (predicted != taken)
		allocate(d, found, taken);
	return predicted;
}

bool direction_branch(struct direction *d, uint64_t pc, bool taken)
{
	struct lookup found;
	bool predicted = taken;

	look_up(d, (uint32_t)(pc >> 2), &found);
	if (!is_settled(&found, taken))
		predicted = predict_and_learn(d, &found, taken);
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

uint32_t direction_room(const struct direction *d)
{
	return AGE_PERIOD - 1 - d->tick;
}

void direction_skip(struct direction *d, uint32_t branches)
{
	d->tick += branches;
}

/* The newest bits are in .recent, and the older ones begin where .history was moved last. */
void direction_read(const struct direction *d, struct direction_mark *mark)
{
	const struct folds *folds[] = {&d->index, &d->tag, &d->tag2};
	uint64_t *words = mark->words, newer = d->recent & ((1ull << d->pushed) - 1);
	unsigned at = 0;

	_Static_assert(1 + HISTORY_BITS / 64 + 3 * sizeof(per_table) / 8 <= DIRECTION_WORDS,
		       "histories fit");
	memset(mark, 0, sizeof(*mark));
	mark->changes = d->changes;
	words[at++] = d->recent;
	for (unsigned i = 0; i < HISTORY_BITS / HISTORY_STEP; i += 4, at++) {
		const uint64_t older = d->history[i] | (uint64_t)d->history[i + 1] << 16 |
				       (uint64_t)d->history[i + 2] << 32 |
				       (uint64_t)d->history[i + 3] << 48;

		words[at] = older << d->pushed | newer;
		newer = d->pushed ? older >> (64 - d->pushed) : 0;
	}
	for (unsigned i = 0; i < 3; i++, at += sizeof(per_table) / 8)
		memcpy(&words[at], &folds[i]->value, sizeof(per_table));
}
