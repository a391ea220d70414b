/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of rows of which most are given up, and the thread that adds their records: see
 * profile_late.h. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile_late.h"

/* Blocks that one thread may be ahead of the other. */
#define BLOCKS 16
/* More rows than these are kept in other ways. */
#define ROWS_LIMIT ((size_t)1 << 20)
/* Values that were looked up before, by what they depend on. */
#define KNOWN_BITS  10
#define OTHER_SLOTS ((size_t)2 * LATE_OTHERS_MAX)

struct known_other {
	uint64_t detail;
	uint32_t origin, number; /* 1 more; 0: none */
};

struct late {
	struct late_rows rows;
	/* The values that are not of code, `words` of each number. */
	uint64_t *others;
	size_t other_count, words;
	uint16_t slots[2 *
		       LATE_OTHERS_MAX]; /* numbers plus 1, by the hash of their values; 0: free */
	struct known_other known[1 << KNOWN_BITS];

	/* The blocks from `first` on are full; the one behind them is being filled. */
	struct late_block *blocks;
	size_t first, full;
	struct late_block *block;
	uint32_t ring; /* of the last record in it */

	pthread_t thread;
	bool started, ended;
	int status; /* of the thread that adds */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* ---- The two threads ------------------------------------------------------------------------- */

static void *add_blocks(void *user)
{
	struct late *late = user;

	pthread_mutex_lock(&late->lock);
	for (;;) {
		int status = late->status;

		while (!late->full && !late->ended)
			pthread_cond_wait(&late->changed, &late->lock);
		if (!late->full)
			break;
		pthread_mutex_unlock(&late->lock);
		if (status == 0)
			status = late_rows_add(&late->rows, &late->blocks[late->first]);
		pthread_mutex_lock(&late->lock);
		late->status = status;
		late->first = (late->first + 1) % BLOCKS;
		late->full--;
		pthread_cond_signal(&late->changed);
	}
	pthread_mutex_unlock(&late->lock);
	return NULL;
}

/* Hands the block over that was filled, and begins another one. Returns 0 or NO_MEMORY. */
static int hand_over(struct late *late)
{
	size_t next;
	int status;

	if (!late->block->count)
		return 0;
	if (!late->started) {
		status = late_rows_add(&late->rows, late->block);
	} else {
		pthread_mutex_lock(&late->lock);
		late->full++;
		pthread_cond_signal(&late->changed);
		while (late->full == BLOCKS)
			pthread_cond_wait(&late->changed, &late->lock);
		next = (late->first + late->full) % BLOCKS;
		status = late->status;
		pthread_mutex_unlock(&late->lock);
		late->block = &late->blocks[next];
	}
	late->block->count = late->block->turn_count = 0;
	return status;
}

/* Waits until all blocks are added. */
static int finish(struct late *late)
{
	int status = hand_over(late);

	if (!late->started)
		return status;
	pthread_mutex_lock(&late->lock);
	late->ended = true;
	pthread_cond_signal(&late->changed);
	pthread_mutex_unlock(&late->lock);
	pthread_join(late->thread, NULL);
	late->started = false;
	return late->status;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Splits a row's values into those of code and all others. */
static void split_values(const struct adding *adding, const uint64_t *values, uint64_t *code,
			 uint64_t *other)
{
	for (size_t k = 0; k < adding->profile->options.key_count; k++) {
		uint64_t **to = adding->parts.code_keys >> k & 1 ? &code : &other;

		*(*to)++ = values[1 + 2 * k];
		*(*to)++ = values[2 + 2 * k];
	}
}

/* Does the opposite. */
static void join_values(const struct adding *adding, const uint64_t *code, const uint64_t *other,
			uint64_t *values)
{
	values[0] = adding->event;
	for (size_t k = 0; k < adding->profile->options.key_count; k++) {
		const uint64_t **from = adding->parts.code_keys >> k & 1 ? &code : &other;

		values[1 + 2 * k] = *(*from)++;
		values[2 + 2 * k] = *(*from)++;
	}
}

/* Finds or makes the number of values that are not of code. Returns false if there are too many. */
static bool number_other(struct late *late, const uint64_t *values, uint32_t *number)
{
	const size_t size = late->words * sizeof(*values), room = OTHER_SLOTS;
	size_t at = hash_words(values, late->words) % room;

	for (; late->slots[at]; at = (at + 1) % room) {
		*number = late->slots[at] - 1u;
		if (memcmp(late->others + *number * late->words, values, size) == 0)
			return true;
	}
	if (late->other_count == LATE_OTHERS_MAX)
		return false;
	*number = (uint32_t)late->other_count++;
	memcpy(late->others + *number * late->words, values, size);
	late->slots[at] = (uint16_t)(*number + 1);
	return true;
}

/* Likewise those of the i-th record. Returns 0, NO_MEMORY or LIMIT. */
static int look_up_other(struct adding *adding, size_t i, uint32_t *number)
{
	uint64_t code[WORDS_MAX] = {0}, other[WORDS_MAX] = {0};

	if (!adding_set_values(adding, i))
		return PLUMB_ERR_NO_MEMORY;
	split_values(adding, adding->values, code, other);
	return number_other(adding->late, other, number) ? 0 : PLUMB_ERR_LIMIT;
}

/* Likewise, if they were not looked up before. */
static inline int find_other(struct adding *adding, size_t i, uint32_t *number)
{
	const struct hot_key *key = &adding->keys[i];
	const uint64_t hash = (key->detail ^ (uint64_t)key->origin << 40 ^ key->detail >> 27) *
			      UINT64_C(0x9e3779b97f4a7c15);
	struct known_other *known = &adding->late->known[hash >> (64 - KNOWN_BITS)];
	int status = 0;

	if (!known->number || known->detail != key->detail || known->origin != key->origin) {
		status = look_up_other(adding, i, number);
		if (status == 0)
			*known = (struct known_other){key->detail, key->origin, *number + 1};
	}
	*number = known->number - 1;
	return status;
}

static inline uint32_t key_of(uint32_t code, uint32_t other)
{
	return other << LATE_CODE_BITS | code;
}

/* Returns the values of a key's code; that of no key is not to be read. */
static inline const uint64_t *code_values(const struct plumb_profile *profile, uint32_t key)
{
	const uint32_t code = key & ((1u << LATE_CODE_BITS) - 1);

	return profile->codes.values + (code ? code - 1 : 0) * profile->codes.words;
}

/* Prefetch distance, in rows. */
#define VALUES_AHEAD 16

/* Sets the keys of the profile's rows. Returns 0, NO_MEMORY or LIMIT. */
static int know_rows(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	struct late *late = adding->late;
	uint64_t code[WORDS_MAX] = {0}, other[WORDS_MAX] = {0};

	for (size_t i = 0; i < profile->row_count; i++) {
		const uint64_t *values = row_values(profile, (uint32_t)i);
		uint32_t code_number, other_number;
		int status;

		if (values[0] != adding->event)
			continue;
		split_values(adding, values, code, other);
		status = codes_find(&profile->codes, code, &code_number);
		if (status < 0)
			return status;
		if (code_number >> LATE_CODE_BITS || !number_other(late, other, &other_number))
			return PLUMB_ERR_LIMIT;
		late_rows_know(&late->rows, i, key_of(code_number, other_number));
	}
	return 0;
}

/* ---- Batches --------------------------------------------------------------------------------- */

bool late_is_possible(const struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	const struct parts *parts = &adding->parts;

	return !adding->never_late && !profile->options.shows && parts->coded &&
	       !parts->addresses && adding->has_event && profile->codes.count &&
	       profile->options.rows_max <= ROWS_LIMIT && profile->lane_count < LANES_MAX / 2 &&
	       !(profile->options.latencies & ~(1u << PLUMB_SPE_TOTAL_LATENCY));
}

static void free_late(struct late *late)
{
	late_rows_free(&late->rows);
	pthread_mutex_destroy(&late->lock);
	pthread_cond_destroy(&late->changed);
	free(late->others);
	free(late->blocks);
	free(late);
}

int late_begin(struct adding *adding)
{
	const struct plumb_profile *profile = adding->profile;
	struct late *late = calloc(1, sizeof(*late));
	int status = PLUMB_ERR_NO_MEMORY;
	bool threads;

	if (!late)
		return status;
	pthread_mutex_init(&late->lock, NULL);
	pthread_cond_init(&late->changed, NULL);
	threads = threads_to_use(profile->options.threads) > 1;
	late->words = profile->words - 1 - profile->codes.words;
	late->others =
		reallocarray(NULL, LATE_OTHERS_MAX, (late->words + 1) * sizeof(*late->others));
	late->blocks = calloc(threads ? BLOCKS : 1, sizeof(*late->blocks));
	late->block = late->blocks;
	adding->late = late;
	if (late->others && late->blocks && late_rows_begin(&late->rows, adding))
		status = know_rows(adding);
	if (status < 0) {
		free_late(late);
		adding->late = NULL;
		adding->never_late = true;
		return status == PLUMB_ERR_LIMIT ? 0 : status;
	}
	/* There will be many, if most rows have one of their own. Without room they grow. */
	if (profile->codes.count > profile->row_count / 2)
		(void)codes_reserve(&adding->profile->codes, CODES_MAX);
	late->started = threads && threads_start(&late->thread, add_blocks, late);
	return 0;
}

/* Adds the batch's records to the block. Returns 0, NO_MEMORY, or LIMIT, if it has to be added as
 * others are. */
static int add_to_block(struct adding *adding)
{
	const struct plumb_samples_batch *batch = adding->batch;
	struct late_block *block = adding->late->block;
	const size_t first = block->count;
	uint32_t *keys = block->keys + first;

	for (size_t i = 0; i < batch->count; i++) {
		const struct hot_key *key = &adding->keys[i];
		const struct plumb_spe_record *spe = &batch->spe[i];
		uint32_t other = 0;
		int status;

		if (!key->code || key->code >> LATE_CODE_BITS)
			return PLUMB_ERR_LIMIT;
		status = find_other(adding, i, &other);
		if (status < 0)
			return status;
		keys[i] = key_of(key->code, other);
		block->latencies[first + i] = spe->counters[PLUMB_SPE_TOTAL_LATENCY];
		block->kinds[first + i] = (uint8_t)record_kind(spe);
	}
	if (!block->turn_count || adding->late->ring != batch->ring)
		block->turns[block->turn_count++] =
			(struct late_turn){batch->ring, (uint32_t)first};
	adding->late->ring = batch->ring;
	block->count += batch->count;
	return 0;
}

int late_add_batch(struct adding *adding)
{
	const struct late_block *block = adding->late->block;
	int status = 0;

	if (block->count + adding->batch->count > LATE_BLOCK || block->turn_count == LATE_TURNS)
		status = hand_over(adding->late);
	if (status == 0)
		status = adding_find_origin(adding);
	/* Rows are not looked for here. */
	adding->code_rows = NULL;
	if (status == 0)
		status = adding_find_codes(adding);
	/* Numbers of codes begin anew then. */
	adding->late_due = status == PLUMB_ERR_LIMIT;
	if (status < 0)
		return status;
	status = adding->batch->ring < LANES_MAX / 2 ? add_to_block(adding) : PLUMB_ERR_LIMIT;
	adding->never_late = status == PLUMB_ERR_LIMIT;
	return status;
}

int late_end(struct adding *adding)
{
	struct plumb_profile *profile = adding->profile;
	struct late *late = adding->late;
	struct batch_sums *sums = &adding->sums;
	int status;

	if (!late)
		return 0;
	status = finish(late);
	if (status == 0)
		status = late_rows_settle(&late->rows);
	for (size_t i = 0; status == 0 && i < late->rows.count; i++) {
		const struct late_row *row = &late->rows.at[i];

		if (i + VALUES_AHEAD < late->rows.count)
			__builtin_prefetch(code_values(profile, row[VALUES_AHEAD].key));
		if (!row->key)
			continue;
		join_values(adding, code_values(profile, row->key),
			    late->others + (row->key >> LATE_CODE_BITS) * late->words,
			    profile->values + row->at * profile->words);
	}
	if (status == 0)
		rows_replace(profile, late->rows.count);
	sums->count += late->rows.sums.count;
	sums->pairs += late->rows.sums.pairs;
	sums->latency += late->rows.sums.latency;
	for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
		sums->kinds[kind] += late->rows.sums.kinds[kind];
	free_late(late);
	adding->late = NULL;
	return status;
}
