/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/exact_sums.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 1024

static size_t place_of(const struct exact_sums *sums, const struct exact_key *key)
{
	uint64_t hash = key->ip ^ (uint64_t)key->context << 32 ^ (uint64_t)key->profile << 16;

	hash = (hash + key->event) * 0x9e3779b97f4a7c15ull;
	return (size_t)(hash ^ hash >> 32) & (sums->table_room - 1);
}

static void put(struct exact_sums *sums, size_t index)
{
	size_t place = place_of(sums, &sums->at[index].key);

	while (sums->table[place])
		place = (place + 1) & (sums->table_room - 1);
	sums->table[place] = (uint32_t)index + 1;
}

static bool grow_table(struct exact_sums *sums)
{
	size_t room = sums->table_room ? 2 * sums->table_room : 2 * (size_t)ROOM_FIRST;
	uint32_t *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return false;
	free(sums->table);
	sums->table = grown;
	sums->table_room = room;
	for (size_t i = 0; i < sums->count; i++)
		put(sums, i);
	return true;
}

/* Makes room for one more sum, which may change. */
static bool reserve(struct exact_sums *sums)
{
	if (sums->count == sums->room) {
		size_t room = sums->room ? 2 * sums->room : ROOM_FIRST;
		struct exact_sum *grown = reallocarray(sums->at, room, sizeof(*grown));
		struct plumb_recording_change *changes;
		uint32_t *changed;

		if (!grown)
			return false;
		sums->at = grown;
		changed = reallocarray(sums->changed, room, sizeof(*changed));
		if (!changed)
			return false;
		sums->changed = changed;
		changes = reallocarray(sums->changes, room, sizeof(*changes));
		if (!changes)
			return false;
		sums->changes = changes;
		sums->room = room;
	}
	return sums->count < UINT32_MAX - 1 &&
	       (2 * (sums->count + 1) <= sums->table_room || grow_table(sums));
}

static struct exact_sum *find(struct exact_sums *sums, const struct exact_key *key)
{
	size_t place;

	if (!sums->table_room)
		return NULL;
	for (place = place_of(sums, key); sums->table[place];
	     place = (place + 1) & (sums->table_room - 1)) {
		struct exact_sum *sum = &sums->at[sums->table[place] - 1];

		if (!memcmp(&sum->key, key, sizeof(*key)))
			return sum;
	}
	return NULL;
}

struct exact_sum *exact_sums_add(struct exact_sums *sums, const struct exact_key *key,
				 uint64_t count)
{
	struct exact_sum *sum = find(sums, key);

	if (!sum) {
		if (!reserve(sums))
			return NULL;
		sum = &sums->at[sums->count];
		*sum = (struct exact_sum){.key = *key};
		put(sums, sums->count++);
	}
	sum->sum += count;
	if (!sum->changed)
		sums->changed[sums->changed_count++] = (uint32_t)(sum - sums->at);
	sum->changed = true;
	return sum;
}

static int compare_positions(const void *a, const void *b)
{
	const struct plumb_recording_change *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

int exact_sums_write(struct exact_sums *sums, uint32_t profile)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < sums->changed_count; i++) {
		struct exact_sum *sum = &sums->at[sums->changed[i]];

		if (sum->key.profile != profile) {
			sums->changed[kept++] = sums->changed[i];
			continue;
		}
		sum->changed = false;
		sums->changes[count++] = (struct plumb_recording_change){sum->position, sum->sum};
	}
	sums->changed_count = kept;
	if (!count)
		return 0;
	qsort(sums->changes, count, sizeof(*sums->changes), compare_positions);
	return sums->change(sums->user, sums->changes, count);
}

void exact_sums_clean_up(struct exact_sums *sums)
{
	free(sums->at);
	free(sums->table);
	free(sums->changed);
	free(sums->changes);
}
