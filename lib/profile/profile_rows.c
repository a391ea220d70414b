/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a profile: found by their values, limited in number. */
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "profile/profile.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

bool index_table_reserve_for(struct index_table *table,
			     uint64_t (*hash)(const void *owner, uint32_t i), const void *owner,
			     size_t count)
{
	size_t size = table->slots ? table->mask + 1 : 64;
	uint32_t *slots;

	while (2 * count > size - 1)
		size *= 2;
	if (table->slots && size == table->mask + 1)
		return true;
	slots = large_resize(NULL, 0, size, sizeof(*slots));
	if (!slots)
		return false;
	memset(slots, 0xff, size * sizeof(*slots));
	for (size_t i = 0; table->slots && i <= table->mask; i++) {
		size_t at;

		if (table->slots[i] == UINT32_MAX)
			continue;
		at = hash(owner, table->slots[i]) & (size - 1);
		while (slots[at] != UINT32_MAX)
			at = (at + 1) & (size - 1);
		slots[at] = table->slots[i];
	}
	free(table->slots);
	table->slots = slots;
	table->mask = size - 1;
	return true;
}

bool index_table_reserve(struct index_table *table, uint64_t (*hash)(const void *owner, uint32_t i),
			 const void *owner)
{
	return (table->slots && 2 * (table->count + 1) <= table->mask) ||
	       index_table_reserve_for(table, hash, owner, table->count + 1);
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static uint64_t hash_kept(const void *owner, uint32_t i)
{
	return hash_text(((const struct text_table *)owner)->at[i]);
}

const char *text_table_keep(struct text_table *table, const char *text)
{
	size_t at;

	if (table->count == UINT32_MAX - 1 || !index_table_reserve(&table->index, hash_kept, table))
		return NULL;
	at = hash_text(text) & table->index.mask;
	for (; table->index.slots[at] != UINT32_MAX; at = (at + 1) & table->index.mask)
		if (strcmp(table->at[table->index.slots[at]], text) == 0)
			return table->at[table->index.slots[at]];
	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		const char **grown = realloc(table->at, room * sizeof(*grown));

		if (!grown)
			return NULL;
		table->at = grown;
		table->room = room;
	}
	table->at[table->count] = arena_strdup(&table->arena, text);
	if (!table->at[table->count])
		return NULL;
	table->index.slots[at] = (uint32_t)table->count;
	table->index.count++;
	return table->at[table->count++];
}

void text_table_free(struct text_table *table)
{
	free(table->at);
	free(table->index.slots);
	arena_free(&table->arena);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint64_t hash_row(const void *owner, uint32_t i)
{
	return ((const struct plumb_profile *)owner)->hashes[i];
}

/* Makes room for so many rows. Returns false if out of memory. */
static bool grow_to(struct plumb_profile *profile, size_t room)
{
	const size_t used = profile->row_count;
	struct row_branches *branches;
	struct row_callees *callees;
	struct record_sums *records;
	uint64_t *values;
	uint32_t *hashes;
	struct row *rows;

	rows = large_resize(profile->rows, used, room, sizeof(*rows));
	if (!rows)
		return false;
	profile->rows = rows;
	records = large_resize(profile->records, used, room, sizeof(*records));
	if (!records)
		return false;
	profile->records = records;
	if (profile->options.children) {
		callees = large_resize(profile->callees, used, room, sizeof(*callees));
		if (!callees)
			return false;
		profile->callees = callees;
	}
	if (profile->options.branches) {
		branches = large_resize(profile->branches, used, room, sizeof(*branches));
		if (!branches)
			return false;
		profile->branches = branches;
	}
	values = large_resize(profile->values, used, room, profile->words * sizeof(*values));
	if (!values)
		return false;
	profile->values = values;
	hashes = large_resize(profile->hashes, used, room, sizeof(*hashes));
	if (!hashes)
		return false;
	profile->hashes = hashes;
	profile->row_room = room;
	return true;
}

static bool grow(struct plumb_profile *profile)
{
	size_t room = profile->row_room ? rows_room(profile->row_room) : 256;

	if (room > profile->options.rows_max)
		room = profile->options.rows_max;
	while (!grow_to(profile, room)) {
		room = rows_less_room(room, profile->row_count);
		if (!room)
			return false;
	}
	return true;
}

/* Rows that are cleared at once, which takes less than one by one: gcc would use "rep stos". */
#define ROWS_CLEARED 64

static void clear_rows(struct plumb_profile *profile)
{
	const size_t first = profile->row_count, left = profile->row_room - first;
	const size_t count = left < ROWS_CLEARED ? left : ROWS_CLEARED;

	memset(&profile->records[first], 0, count * sizeof(*profile->records));
	profile->rows_cleared = first + count;
}

static void begin_row(struct plumb_profile *profile)
{
	if (profile->row_count >= profile->rows_cleared)
		clear_rows(profile);
	if (profile->callees)
		profile->callees[profile->row_count] = (struct row_callees){0};
	if (profile->branches)
		profile->branches[profile->row_count] = (struct row_branches){0};
	profile->rows[profile->row_count++] = (struct row){.nodes = NO_ROW};
}

bool rows_append(struct plumb_profile *profile, uint32_t *row)
{
	if (profile->row_count == profile->row_room && !grow(profile))
		return false;
	*row = (uint32_t)profile->row_count;
	begin_row(profile);
	return true;
}

static void index_rows(struct plumb_profile *profile)
{
	struct index_table *table = &profile->by_values;

	if (profile->unindexed)
		return;
	memset(table->slots, 0xff, (table->mask + 1) * sizeof(*table->slots));
	for (size_t i = 0; i < profile->row_count; i++) {
		size_t at = hash_row(profile, (uint32_t)i) & table->mask;

		while (table->slots[at] != UINT32_MAX)
			at = (at + 1) & table->mask;
		table->slots[at] = (uint32_t)i;
	}
	table->count = profile->row_count;
}

/* Indexes all rows, after rows_replace(). Returns false if out of memory. */
static bool index_replaced(struct plumb_profile *profile)
{
	for (size_t i = 0; i < profile->row_count; i++)
		profile->hashes[i] = rows_hash(profile, row_values(profile, (uint32_t)i));
	if (!index_table_reserve_for(&profile->by_values, hash_row, profile,
				     profile->row_count + 1))
		return false;
	profile->unindexed = false;
	index_rows(profile);
	return true;
}

int rows_find(struct plumb_profile *profile, const uint64_t *values, uint32_t *row)
{
	return rows_find_hashed(profile, values, rows_hash(profile, values), row);
}

int rows_find_hashed(struct plumb_profile *profile, const uint64_t *values, uint32_t hash,
		     uint32_t *row)
{
	const size_t size = profile->words * sizeof(*values);
	struct index_table *table = &profile->by_values;
	size_t at;

	if ((profile->unindexed && !index_replaced(profile)) ||
	    !index_table_reserve(table, hash_row, profile))
		return PLUMB_ERR_NO_MEMORY;
	at = hash & table->mask;
	for (; table->slots[at] != UINT32_MAX; at = (at + 1) & table->mask) {
		*row = table->slots[at];
		if (profile->hashes[*row] == hash &&
		    memcmp(row_values(profile, *row), values, size) == 0)
			return 0;
	}
	if (profile->row_count >= profile->options.rows_max)
		return PLUMB_ERR_LIMIT;
	if (!rows_append(profile, row))
		return PLUMB_ERR_NO_MEMORY;
	memcpy(profile->values + *row * profile->words, values, size);
	profile->hashes[*row] = hash;
	table->slots[at] = *row;
	table->count++;
	return 0;
}

int rows_find_hidden(struct plumb_profile *profile, size_t event, uint32_t *row)
{
	uint64_t values[WORDS_MAX];
	int status;

	/* No row of a sample has such values. */
	memset(values, 0xff, sizeof(values));
	values[0] = event;
	status = rows_find(profile, values, row);
	if (status == 0)
		profile->rows[*row].hidden = true;
	return status;
}

/* ---- The limit --------------------------------------------------------------------------------
 */

/* Returns the row's own period, in which records of batches may be missing yet. */
static uint64_t own_of(const struct plumb_profile *profile, size_t i)
{
	const uint64_t records =
		profile->records[i].samples + tallies_samples(&profile->tallies, i);

	return records ? records : profile->rows[i].own.period;
}

uint64_t rows_size(const struct plumb_profile *profile, size_t i)
{
	return profile->callees ? profile->callees[i].sums.period : own_of(profile, i);
}

/* Finds it byte by byte, from the highest that is not 0 in all of them. */
uint64_t number_at_rank(const uint64_t *numbers, size_t count, size_t rank)
{
	uint64_t all = 0, found = 0;
	unsigned shift;

	for (size_t i = 0; i < count; i++)
		all |= numbers[i];
	shift = all ? (63 - (unsigned)__builtin_clzll(all)) / 8 * 8 : 0;
	for (;; shift -= 8) {
		size_t with[256] = {0}; /* numbers that begin as the one does, by their next byte */
		uint64_t byte = 0;

		for (size_t i = 0; i < count; i++)
			if ((numbers[i] ^ found) >> shift <= UINT8_MAX)
				with[numbers[i] >> shift & UINT8_MAX]++;
		for (; rank >= with[byte]; byte++)
			rank -= with[byte];
		found |= byte << shift;
		if (shift == 0)
			return found;
	}
}

void rows_count_given_up(struct plumb_profile *profile, size_t event, uint64_t own, uint64_t size,
			 uint64_t *largest)
{
	struct plumb_profile_event *public = &profile->events[event].public;

	public->given_up = add_saturating(public->given_up, own);
	if (size > largest[event])
		largest[event] = size;
}

static void free_sums(struct plumb_profile *profile, size_t i)
{
	free(profile->rows[i].batches);
	free(profile->rows[i].groups);
	if (profile->callees)
		free(profile->callees[i].groups);
}

void rows_empty(struct plumb_profile *profile, size_t i)
{
	free_sums(profile, i);
	tallies_forget(&profile->tallies, i);
	latencies_forget(&profile->latencies, i);
	profile->rows[i] = (struct row){.nodes = NO_ROW};
	profile->records[i] = (struct record_sums){0};
}

/* Adds what a row that is given up has to its event; `size` is that of the row. */
static void give_up(struct plumb_profile *profile, size_t i, uint64_t size, uint64_t *largest)
{
	/* Without callees, that is its own period. */
	rows_count_given_up(profile, (size_t)row_values(profile, (uint32_t)i)[0],
			    profile->callees ? own_of(profile, i) : size, size, largest);
	free_sums(profile, i);
	tallies_forget(&profile->tallies, i);
}

/* Gives up the rows that are not larger than `middle`, or too many. `renumbered` gets the indexes
 * of the others. */
static void choose_rows(struct plumb_profile *profile, const uint64_t *sizes, uint64_t middle,
			uint32_t *renumbered, uint64_t *largest)
{
	size_t kept = 0, limit = profile->row_count / 2;

	for (size_t i = 0; i < profile->row_count; i++) {
		const bool keep = sizes[i] > middle && kept < limit;

		renumbered[i] = keep ? (uint32_t)kept++ : NO_ROW;
		if (!keep)
			give_up(profile, i, sizes[i], largest);
	}
}

void rows_move(struct plumb_profile *profile, size_t to, size_t from)
{
	profile->rows[to] = profile->rows[from];
	profile->records[to] = profile->records[from];
	if (profile->callees)
		profile->callees[to] = profile->callees[from];
	if (profile->branches)
		profile->branches[to] = profile->branches[from];
	memmove(profile->values + to * profile->words, row_values(profile, (uint32_t)from),
		profile->words * sizeof(uint64_t));
	profile->hashes[to] = profile->hashes[from];
}

/* Moves the rows that are kept to the front. */
static void move_rows(struct plumb_profile *profile, const uint32_t *renumbered)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->row_count; i++) {
		if (renumbered[i] == NO_ROW)
			continue;
		count++;
		rows_move(profile, renumbered[i], i);
	}
	profile->row_count = profile->rows_cleared = count;
}

void rows_replace(struct plumb_profile *profile, size_t count)
{
	struct index_table *table = &profile->by_values;

	/* As a rule no row is looked up any more. */
	free(table->slots);
	*table = (struct index_table){0};
	profile->unindexed = true;
	rows_truncate(profile, count);
}

void rows_truncate(struct plumb_profile *profile, size_t count)
{
	profile->row_count = profile->rows_cleared = count;
	profile->numbers_generation++;
	hot_forget_origins(&profile->hot);
	index_rows(profile);
}

void rows_note_given_up(struct plumb_profile *profile, const uint64_t *largest)
{
	/* A row that was given up several times lacks the sum. */
	for (size_t i = 0; i < profile->event_count; i++)
		profile->events[i].public.given_up_most =
			add_saturating(profile->events[i].public.given_up_most, largest[i]);
	/* The neighbours of the next samples may be gone. */
	for (size_t i = 0; i < profile->lane_count; i++) {
		profile->lanes[i].begun = false;
		if (profile->lanes[i].window)
			profile->lanes[i].window->count = 0;
	}
	profile->left = NO_ROW;
	profile->torn = true;
	profile->within = false;
}

/* How many rows before its own one's size is fetched. */
#define SIZES_AHEAD 16

static void expect_size(const struct plumb_profile *profile, size_t i)
{
	if (i < profile->row_count)
		__builtin_prefetch(&profile->records[i].samples);
	if (i < profile->tallies.room)
		__builtin_prefetch(&profile->tallies.rows[i].samples);
}

int rows_give_up(struct plumb_profile *profile)
{
	const size_t count = profile->row_count;
	uint64_t *sizes = reallocarray(NULL, count, sizeof(*sizes));
	uint64_t *largest = calloc(profile->event_count, sizeof(*largest));
	uint32_t *renumbered = reallocarray(NULL, count, sizeof(*renumbered));
	int status = PLUMB_ERR_NO_MEMORY;

	if (sizes && largest && renumbered) {
		for (size_t i = 0; i < count; i++) {
			expect_size(profile, i + SIZES_AHEAD);
			sizes[i] = rows_size(profile, i);
		}
		choose_rows(profile, sizes, number_at_rank(sizes, count, count / 2), renumbered,
			    largest);
		/* Only the rows that are kept need all their sums. */
		batches_flush(profile);
		move_rows(profile, renumbered);
		rows_note_given_up(profile, largest);
		index_rows(profile);
		hot_renumber_rows(&profile->hot, renumbered, count);
		latencies_renumber(&profile->latencies, renumbered, count);
		status = paths_renumber(profile, renumbered);
	}
	free(sizes);
	free(largest);
	free(renumbered);
	return status;
}
