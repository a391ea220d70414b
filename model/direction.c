/* SPDX-License-Identifier: Apache-2.0 */
#include "direction.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_MAX   8 /* 16-bit numbers in a vector */
#define HISTORY_BITS 256
#define COUNTER_MAX  3 /* range in a tagged entry: -4 .. 3 */
#define USEFUL_MAX   3
#define AGE_PERIOD   (1u << 18) /* number of branches after which usefulness is halved */

struct entry {
	uint16_t tag;
	int8_t counter;
	uint8_t useful;
};

/* One number for each table. */
typedef uint16_t per_table __attribute__((vector_size(2 * TABLES_MAX)));

/* Each table's history, folded by xor into `width` bits, and updated bit by bit. */
struct folds {
	per_table value;
	per_table leaving; /* the bit of the fold that has the oldest bit of the history */
	unsigned width;    /* at most 15 */
};

struct direction {
	unsigned count;
	unsigned log2_entries;
	uint32_t index_mask, tag_mask, base_mask;
	uint8_t *base; /* 2-bit counters */
	struct entry *entries[TABLES_MAX];
	unsigned length[TABLES_MAX]; /* of history */
	struct folds index, tag, tag2;
	uint64_t history[HISTORY_BITS / 64]; /* newest bit lowest */
	int8_t trust_new; /* negative: the alternative to a new entry predicts better */
	uint32_t tick;
	uint32_t random;
};

static void folds_set_up(struct folds *folds, unsigned width, const struct direction *d)
{
	folds->width = width ? width : 1;
	for (unsigned i = 0; i < d->count; i++)
		folds->leaving[i] = (uint16_t)(1u << d->length[i] % folds->width);
}

/* Pushes bit `in`. `out` is all ones for each table whose history drops a set bit. */
static inline void folds_push(struct folds *folds, unsigned in, per_table out)
{
	uint16_t mask = (uint16_t)((1u << folds->width) - 1);
	per_table value = folds->value << 1 ^ (uint16_t)in ^ (folds->leaving & out);

	folds->value = (value ^ value >> folds->width) & mask;
}

struct direction *direction_new(const struct predictor_params *params)
{
	struct direction *d = aligned_alloc(alignof(struct direction), sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, sizeof(*d));
	d->count = params->tage_tables < TABLES_MAX ? params->tage_tables : TABLES_MAX;
	d->log2_entries = params->tage_log2_entries;
	d->index_mask = (1u << params->tage_log2_entries) - 1;
	d->tag_mask = (1u << params->tag_bits) - 1;
	d->base_mask = (1u << params->base_log2_entries) - 1;
	if (params->tage_log2_entries > 15 || params->tag_bits > 15 || params->tag_bits < 2 ||
	    params->tage_log2_entries < 4)
		goto fail;
	d->random = 0x2545f491;
	d->base = malloc((size_t)d->base_mask + 1);
	if (!d->base)
		goto fail;
	for (uint32_t i = 0; i <= d->base_mask; i++)
		d->base[i] = 1; /* weakly not taken */
	for (unsigned i = 0; i < d->count; i++) {
		d->length[i] =
			params->history[i] < HISTORY_BITS ? params->history[i] : HISTORY_BITS - 1u;
		d->entries[i] = calloc((size_t)d->index_mask + 1, sizeof(*d->entries[i]));
		if (!d->entries[i])
			goto fail;
	}
	folds_set_up(&d->index, params->tage_log2_entries, d);
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
	for (unsigned i = 0; i < d->count; i++)
		free(d->entries[i]);
	free(d->base);
	free(d);
}

static void push_history(struct direction *d, unsigned bit)
{
	static const per_table lane = {1, 2, 4, 8, 16, 32, 64, 128};
	unsigned leaving = 0;
	per_table out;

	for (unsigned i = 0; i < TABLES_MAX; i++) {
		unsigned oldest = d->length[i] - 1;

		leaving |= (unsigned)(d->history[oldest / 64 % 4] >> oldest % 64 & 1) << i;
	}
	out = (per_table)((((per_table){0} + (uint16_t)leaving) & lane) != 0);
	for (unsigned i = HISTORY_BITS / 64 - 1; i > 0; i--)
		d->history[i] = d->history[i] << 1 | d->history[i - 1] >> 63;
	d->history[0] = d->history[0] << 1 | bit;
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

static inline void count_towards(int8_t *counter, bool up)
{
	if (up && *counter < COUNTER_MAX)
		++*counter;
	else if (!up && *counter > -COUNTER_MAX - 1)
		--*counter;
}

static void age(struct direction *d)
{
	for (unsigned i = 0; i < d->count; i++)
		for (uint32_t e = 0; e <= d->index_mask; e++)
			d->entries[i][e].useful >>= 1;
}

/* After a misprediction, allocates an entry with a longer history than the provider's, if free. */
static void allocate(struct direction *d, struct entry *const *hit, per_table tags, unsigned first,
		     bool taken)
{
	unsigned given = 0;

	if (first + 1 < d->count && (next_random(d) & 1))
		first++;
	for (unsigned i = first; i < d->count && given < 2; i++) {
		if (hit[i]->useful) {
			hit[i]->useful--;
			continue;
		}
		*hit[i] = (struct entry){.tag = tags[i], .counter = taken ? 0 : -1};
		given++;
		i++;
	}
}

/* Finds the place of the branch at `address` in each table, and a bit for each that has it. */
static inline unsigned look_up(const struct direction *d, uint32_t address, struct entry **hit,
			       per_table *tags)
{
	uint32_t high = address >> (d->log2_entries - 3);
	per_table spread = {(uint16_t)(high >> 3), (uint16_t)(high >> 2), (uint16_t)(high >> 1),
			    (uint16_t)high,        (uint16_t)(high >> 3), (uint16_t)(high >> 2),
			    (uint16_t)(high >> 1), (uint16_t)high};
	per_table index = (spread ^ (uint16_t)address ^ d->index.value) & (uint16_t)d->index_mask;
	unsigned found = 0;

	*tags = (d->tag.value ^ d->tag2.value << 1 ^ (uint16_t)address) & (uint16_t)d->tag_mask;
	for (unsigned i = 0; i < d->count; i++) {
		hit[i] = &d->entries[i][index[i]];
		found |= (unsigned)(hit[i]->tag == (*tags)[i]) << i;
	}
	return found;
}

bool direction_branch(struct direction *d, uint64_t pc, bool taken, uint64_t target)
{
	struct entry *hit[TABLES_MAX] = {0};
	per_table tags;
	uint32_t address = (uint32_t)(pc >> 2);
	uint8_t *base = &d->base[address & d->base_mask];
	unsigned found = look_up(d, address, hit, &tags);
	int provider = -1, alternative = -1;
	bool predicted, provided, other;

	(void)target;
	if (found) {
		provider = 31 - __builtin_clz(found);
		found &= ~(1u << provider);
		if (found)
			alternative = 31 - __builtin_clz(found);
	}
	other = alternative >= 0 ? hit[alternative]->counter >= 0 : *base >= 2;
	provided = provider >= 0 ? hit[provider]->counter >= 0 : other;
	predicted = provided;
	if (provider >= 0) {
		struct entry *entry = hit[provider];
		bool fresh = (entry->counter == 0 || entry->counter == -1) && !entry->useful;

		if (fresh && d->trust_new < 0)
			predicted = other;
		if (fresh && provided != other) {
			if (provided == taken && d->trust_new < 7)
				d->trust_new++;
			else if (provided != taken && d->trust_new > -8)
				d->trust_new--;
		}
		if (provided != other) {
			if (provided == taken && entry->useful < USEFUL_MAX)
				entry->useful++;
			else if (provided != taken && entry->useful)
				entry->useful--;
		}
		count_towards(&entry->counter, taken);
		if (!entry->useful && alternative >= 0)
			count_towards(&hit[alternative]->counter, taken);
	}
	if (provider < 0 || (alternative < 0 && !hit[provider]->useful)) {
		if (taken && *base < 3)
			++*base;
		else if (!taken && *base > 0)
			--*base;
	}
	if (predicted != taken && provider + 1 < (int)d->count)
		allocate(d, hit, tags, (unsigned)(provider + 1), taken);
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
	return d->history[0];
}
