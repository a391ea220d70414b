/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/exact_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/large.h"

#define ROOM_FIRST 1024
#define WORD_BITS  64

/* ---- hash tables of indices ----------------------------------------------------------------- */

/*
 * Instructions that follow one another have slots that do so, in groups as large as a line of the
 * host's cache; groups hardly ever collide, as the highest bits are Fibonacci's. The lowest ones
 * are the number in the group.
 */
#define GROUP 8u

static uint32_t hash_of(const struct exact_key *key)
{
	uint64_t hash = key->ip / (4ull * GROUP) ^ (uint64_t)key->context << 32 ^
			(uint64_t)key->profile << 16;

	hash ^= key->code;
	hash = (hash + ((uint64_t)key->group << 40) + (key->address << 8)) * 0x9e3779b97f4a7c15ull;
	return ((uint32_t)(hash >> 32) & ~(GROUP - 1)) | (key->ip / 4 & (GROUP - 1));
}

static size_t slot_of(uint32_t hash, size_t room)
{
	return (size_t)((uint64_t)hash * (room / GROUP) >> 32) * GROUP + hash % GROUP;
}

static void put_slot(struct exact_slot *table, size_t room, struct exact_slot slot)
{
	size_t at = slot_of(slot.hash, room);

	while (table[at].index)
		at = (at + 1) & (room - 1);
	table[at] = slot;
}

static size_t place_of_chain(const struct exact_chain *chain, size_t room)
{
	uint64_t hash = (uint64_t)chain->profile << 32 | chain->context;

	hash = (hash ^ chain->code) * 0x9e3779b97f4a7c15ull;
	return (size_t)(hash ^ hash >> 32) & (room - 1);
}

static void put(uint32_t *table, size_t room, size_t place, size_t index)
{
	while (table[place])
		place = (place + 1) & (room - 1);
	table[place] = (uint32_t)index + 1;
}

/* Returns a larger, empty table, or NULL if out of memory. */
static void *larger(size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 2 * (size_t)ROOM_FIRST;
	void *grown = large_alloc(wanted, size);

	if (!grown)
		return NULL;
	memset(grown, 0, wanted * size);
	*room = wanted;
	return grown;
}

/* Groups keep their order, so that both tables are passed from end to end. */
static bool grow_table(struct exact_sums *sums)
{
	const size_t before = sums->table_room;
	struct exact_slot *grown = larger(&sums->table_room, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < before; i++)
		if (sums->table[i].index)
			put_slot(grown, sums->table_room, sums->table[i]);
	free(sums->table);
	sums->table = grown;
	return true;
}

static bool grow_chain_table(struct exact_sums *sums)
{
	uint32_t *grown = larger(&sums->chain_table_room, sizeof(*grown));

	if (!grown)
		return false;
	free(sums->chain_table);
	sums->chain_table = grown;
	for (size_t i = 0; i < sums->chain_count; i++)
		if (!sums->chains[i].passing)
			put(grown, sums->chain_table_room,
			    place_of_chain(&sums->chains[i], sums->chain_table_room), i);
	return true;
}

/* Makes `*array`, `used` of which is kept, as large; false if out of memory. */
static bool resize(void **array, size_t used, size_t room, size_t size)
{
	void *grown = large_resize(*array, used, room, size);

	if (grown)
		*array = grown;
	return grown;
}

#define RESIZE(array, used, room) resize((void **)&(array), used, room, sizeof(*(array)))

/* ---- calling contexts ----------------------------------------------------------------------- */

static struct exact_chain *find_chain(const struct exact_sums *sums,
				      const struct exact_chain *chain)
{
	const size_t room = sums->chain_table_room;
	size_t place;

	if (!room)
		return NULL;
	for (place = place_of_chain(chain, room); sums->chain_table[place];
	     place = (place + 1) & (room - 1)) {
		struct exact_chain *found = &sums->chains[sums->chain_table[place] - 1];

		if (found->profile == chain->profile && found->context == chain->context &&
		    found->code == chain->code)
			return found;
	}
	return NULL;
}

static bool reserve_chain(struct exact_sums *sums, size_t depth)
{
	if (sums->chain_count == sums->chain_room) {
		size_t room = sums->chain_room ? 2 * sums->chain_room : ROOM_FIRST;

		if (!RESIZE(sums->chains, sums->chain_count, room))
			return false;
		sums->chain_room = room;
	}
	if (sums->address_room - sums->address_count < depth) {
		size_t room = 2 * (sums->address_room + depth) + ROOM_FIRST;

		if (!RESIZE(sums->addresses, sums->address_count, room))
			return false;
		sums->address_room = room;
	}
	return sums->chain_count < UINT32_MAX - 1 &&
	       (2 * (sums->chain_count + 1) <= sums->chain_table_room || grow_chain_table(sums));
}

static uint32_t meet_again(const struct exact_sums *sums, struct exact_chain *known,
			   const struct exact_chain *chain)
{
	known->frame = chain->frame;
	known->slot = chain->slot;
	known->last = chain->last;
	return (uint32_t)(known - sums->chains);
}

/* Makes a chain with room for `room` addresses. Returns its index, or UINT32_MAX. */
static uint32_t new_chain(struct exact_sums *sums, const struct exact_chain *chain,
			  const uint64_t *addresses, size_t room)
{
	const size_t index = sums->chain_count;

	if (!reserve_chain(sums, room))
		return UINT32_MAX;
	sums->chains[index] = *chain;
	sums->chains[index].addresses = sums->address_count;
	if (chain->depth)
		memcpy(sums->addresses + sums->address_count, addresses,
		       chain->depth * sizeof(*addresses));
	sums->address_count += room;
	sums->chain_count++;
	return (uint32_t)index;
}

/* There is room for it in the table. */
static void keep_chain(struct exact_sums *sums, uint32_t index)
{
	struct exact_chain *chain = &sums->chains[index];

	/* One that passed may have more room than it needs. */
	if (chain->passing && chain->addresses + MODEL_CHAIN_MAX == sums->address_count)
		sums->address_count = chain->addresses + chain->depth;
	chain->passing = false;
	put(sums->chain_table, sums->chain_table_room,
	    place_of_chain(&sums->chains[index], sums->chain_table_room), index);
}

uint32_t exact_sums_chain(struct exact_sums *sums, const struct exact_chain *chain,
			  const uint64_t *addresses)
{
	struct exact_chain *known = find_chain(sums, chain);
	uint32_t index;

	if (known)
		return meet_again(sums, known, chain);
	index = new_chain(sums, chain, addresses, chain->depth);
	if (index != UINT32_MAX)
		keep_chain(sums, index);
	return index;
}

uint32_t exact_sums_pass(struct exact_sums *sums, const struct exact_chain *chain,
			 const uint64_t *addresses, uint32_t before)
{
	struct exact_chain *known = find_chain(sums, chain);
	size_t place;

	if (known)
		return meet_again(sums, known, chain);
	if (before >= sums->chain_count || !sums->chains[before].passing ||
	    sums->chains[before].slot != chain->slot) {
		before = new_chain(sums, chain, addresses, MODEL_CHAIN_MAX);
		if (before != UINT32_MAX)
			sums->chains[before].passing = true;
		return before;
	}
	place = sums->chains[before].addresses;
	sums->chains[before] = *chain;
	sums->chains[before].addresses = place;
	sums->chains[before].passing = true;
	if (chain->depth)
		memcpy(sums->addresses + place, addresses, chain->depth * sizeof(*addresses));
	return before;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* An array is copied as it grows, so it grows seldom. What is not used of it takes no memory. */
static size_t more_room(size_t room)
{
	return room ? 4 * room : ROOM_FIRST;
}

/* Makes room for one more sum, which may be added to and written. */
static bool reserve(struct exact_sums *sums)
{
	if (sums->count == sums->room) {
		size_t room = more_room(sums->room);

		if (!RESIZE(sums->at, sums->count, room) ||
		    !RESIZE(sums->added, sums->added_count, room) ||
		    !RESIZE(sums->told, sums->room / WORD_BITS, room / WORD_BITS) ||
		    !RESIZE(sums->changes, 0, room))
			return false;
		memset(sums->told + sums->room / WORD_BITS, 0, (room - sums->room) / 8);
		sums->room = room;
	}
	return sums->count < EXACT_NONE - 1;
}

static bool reserve_place(struct exact_sums *sums)
{
	if (sums->place_count == sums->place_room) {
		size_t room = more_room(sums->place_room);

		if (!RESIZE(sums->places, sums->place_count, room))
			return false;
		sums->place_room = room;
	}
	return sums->place_count < EXACT_NONE - 1 &&
	       (2 * (sums->place_count + 1) <= sums->table_room || grow_table(sums));
}

static bool is_same_place(const struct exact_key *a, const struct exact_key *b)
{
	return a->ip == b->ip && a->address == b->address && a->code == b->code &&
	       a->context == b->context && a->profile == b->profile && a->group == b->group;
}

/* Returns the index of the key's place, or EXACT_NONE. */
static uint32_t find_place(const struct exact_sums *sums, const struct exact_key *key)
{
	const size_t room = sums->table_room;
	const uint32_t hash = hash_of(key);

	if (!room)
		return EXACT_NONE;
	for (size_t at = slot_of(hash, room); sums->table[at].index; at = (at + 1) & (room - 1)) {
		const struct exact_slot slot = sums->table[at];

		if (slot.hash == hash && is_same_place(&sums->places[slot.index - 1].key, key))
			return slot.index - 1;
	}
	return EXACT_NONE;
}

bool exact_sums_know(const struct exact_sums *sums, const struct exact_key *key)
{
	return find_place(sums, key) != EXACT_NONE;
}

/* Has the host fetch where the places of the next instructions are, or will be. */
static void expect_places(const struct exact_sums *sums, const struct exact_key *key)
{
	struct exact_key next = *key;

	next.ip += 4ull * GROUP;
	__builtin_prefetch(&sums->table[slot_of(hash_of(&next), sums->table_room)], 1);
}

/* Returns the index of a new place, or EXACT_NONE if out of memory. */
static uint32_t new_place(struct exact_sums *sums, const struct exact_key *key, uint32_t chain)
{
	const uint32_t index = (uint32_t)sums->place_count;

	if (!reserve_place(sums))
		return EXACT_NONE;
	if (sums->chains[chain].passing)
		keep_chain(sums, chain);
	sums->places[index] = (struct exact_place){.key = *key, .chain = chain, .last = EXACT_NONE};
	put_slot(sums->table, sums->table_room, (struct exact_slot){hash_of(key), index + 1});
	sums->place_count++;
	return index;
}

bool exact_sums_enter(struct exact_sums *sums, const struct exact_key *key, uint32_t chain)
{
	uint32_t index = EXACT_NONE;

	/* The places of a thread are told in much the same order each time. */
	if (sums->place_count > 0) {
		index = sums->places[sums->place].following;
		if (!is_same_place(&sums->places[index].key, key)) {
			index = find_place(sums, key);
			expect_places(sums, key);
		}
	}
	if (index == EXACT_NONE)
		index = new_place(sums, key, chain);
	if (index == EXACT_NONE)
		return false;
	sums->places[sums->place].following = index;
	sums->place = index;
	sums->last = sums->places[index].last;
	sums->time = sums->chains[chain].frame.time;
	return true;
}

/* Returns the index of the event's sum at the place at hand, after the last one, or EXACT_NONE. */
static uint32_t find_sum(const struct exact_sums *sums, unsigned event)
{
	uint32_t index = sums->last;

	if (index == EXACT_NONE)
		return EXACT_NONE;
	do {
		index = sums->at[index].next;
		if (sums->at[index].event == event)
			return index;
	} while (index != sums->last);
	return EXACT_NONE;
}

/* Makes a sum of the place at hand, after the last one. Returns its index, or EXACT_NONE. */
static uint32_t new_sum(struct exact_sums *sums, unsigned event)
{
	struct exact_place *place = &sums->places[sums->place];
	const uint32_t index = (uint32_t)sums->count, before = sums->last;

	if (!reserve(sums))
		return EXACT_NONE;
	sums->at[index] =
		(struct exact_sum){.place = sums->place, .event = (uint16_t)event, .next = index};
	if (before != EXACT_NONE) {
		sums->at[index].next = sums->at[before].next;
		sums->at[before].next = index;
	}
	if (before == place->last)
		place->last = index;
	sums->count++;
	return index;
}

bool exact_sums_add(struct exact_sums *sums, unsigned event, uint64_t count)
{
	uint32_t index = find_sum(sums, event);
	struct exact_sum *sum;

	if (index == EXACT_NONE)
		index = new_sum(sums, event);
	if (index == EXACT_NONE)
		return false;
	sum = &sums->at[index];
	sums->last = index;
	sum->added += count;
	/* Later changes are those of a sample that may be in the file already. */
	if (!sums->in_place || sums->scaled || !(sum->told | sum->sum))
		sum->time = sums->time;
	if (!sum->is_added)
		sums->added[sums->added_count++] = index;
	sum->is_added = true;
	return true;
}

static void note_told(struct exact_sums *sums, size_t index)
{
	const uint64_t bit = 1ull << index % WORD_BITS;

	sums->told_count += !(sums->told[index / WORD_BITS] & bit);
	sums->told[index / WORD_BITS] |= bit;
}

size_t exact_sums_next_told(const struct exact_sums *sums, size_t index)
{
	const size_t words = sums->room / WORD_BITS;
	uint64_t ahead = ~0ull << index % WORD_BITS;

	for (size_t i = index / WORD_BITS; i < words; i++, ahead = ~0ull)
		if (sums->told[i] & ahead)
			return i * WORD_BITS + (size_t)__builtin_ctzll(sums->told[i] & ahead);
	return SIZE_MAX;
}

void exact_sums_told(struct exact_sums *sums, uint32_t profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < sums->added_count; i++) {
		struct exact_sum *sum = &sums->at[sums->added[i]];

		if (sums->places[sum->place].key.profile != profile) {
			sums->added[kept++] = sums->added[i];
			continue;
		}
		sum->told += sum->added;
		sum->added = 0;
		sum->is_added = false;
		note_told(sums, sums->added[i]);
	}
	sums->added_count = kept;
}

static int compare_positions(const void *a, const void *b)
{
	const struct plumb_recording_change *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

static bool are_in_order(const struct plumb_recording_change *changes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (changes[i].position < changes[i - 1].position)
			return false;
	return true;
}

/* What was told of a sum is in the file. */
static void note_written(struct exact_sum *sum)
{
	sum->sum += sum->told;
	sum->told = 0;
}

static void all_written(struct exact_sums *sums)
{
	if (sums->told_count)
		memset(sums->told, 0, sums->room / 8);
	sums->told_count = 0;
}

int exact_sums_written(struct exact_sums *sums)
{
	size_t count = 0;

	for (size_t i = 0; (i = exact_sums_next_told(sums, i)) != SIZE_MAX; i++) {
		struct exact_sum *sum = &sums->at[i];

		note_written(sum);
		if (sum->position && !sum->is_current)
			sums->changes[count++] =
				(struct plumb_recording_change){sum->position, sum->sum};
		sum->is_current = false;
	}
	all_written(sums);
	if (!count)
		return 0;
	/* Those of one thread are in order. */
	if (!are_in_order(sums->changes, count))
		qsort(sums->changes, count, sizeof(*sums->changes), compare_positions);
	return sums->change(sums->user, sums->changes, count);
}

int exact_sums_written_scaled(struct exact_sums *sums, unsigned before,
			      struct exact_values (*values)(const struct exact_sums *sums,
							    const struct exact_sum *sum))
{
	struct plumb_recording_change *changes =
		reallocarray(NULL, 2 * sums->count + 1, sizeof(*changes));
	size_t count = 0;
	int error;

	if (!changes)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < sums->count; i++) {
		struct exact_sum *sum = &sums->at[i];
		struct exact_values now;

		note_written(sum);
		if (!sum->position)
			continue;
		now = values(sums, sum);
		changes[count++] =
			(struct plumb_recording_change){sum->position - before, now.stream};
		changes[count++] = (struct plumb_recording_change){sum->position, now.period};
	}
	all_written(sums);
	qsort(changes, count, sizeof(*changes), compare_positions);
	error = count ? sums->change(sums->user, changes, count) : 0;
	free(changes);
	return error;
}

void exact_sums_restart(struct exact_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		sums->at[i].sum = sums->at[i].position = 0;
	memset(sums->together, 0, sizeof(sums->together));
	sums->together_tid = 0;
}

void exact_sums_clean_up(struct exact_sums *sums)
{
	free(sums->places);
	free(sums->table);
	free(sums->at);
	free(sums->added);
	free(sums->told);
	free(sums->changes);
	free(sums->chains);
	free(sums->chain_table);
	free(sums->addresses);
	replaced_clean_up(&sums->replaced);
}
