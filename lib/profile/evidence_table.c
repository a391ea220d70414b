/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of places by their keys, hashed. */
#include <stdlib.h>

#include "profile/evidence.h"

#define FIRST_ROOM 1024

static size_t hash(const uint64_t key[2])
{
	uint64_t mixed = (key[0] ^ key[1] * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;

	return (size_t)(mixed ^ mixed >> 29);
}

static bool grow(struct evidence_table *table)
{
	const size_t room = table->room ? 2 * table->room : FIRST_ROOM;
	struct evidence_place *at = reallocarray(table->at, room, sizeof(*at));
	uint32_t *slots;

	if (at)
		table->at = at;
	slots = calloc(2 * room, sizeof(*slots));
	if (!at || !slots) {
		free(slots);
		return false;
	}
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = hash(table->at[i].key) % (2 * room);

		while (slots[slot])
			slot = (slot + 1) % (2 * room);
		slots[slot] = (uint32_t)i + 1;
	}
	free(table->slots);
	table->slots = slots;
	table->slot_count = 2 * room;
	table->room = room;
	return true;
}

size_t evidence_slot(const struct evidence_table *table, const uint64_t key[2])
{
	size_t slot = hash(key) % table->slot_count;

	while (table->slots[slot]) {
		const struct evidence_place *place = &table->at[table->slots[slot] - 1];

		if (place->key[0] == key[0] && place->key[1] == key[1])
			break;
		slot = (slot + 1) % table->slot_count;
	}
	return slot;
}

struct evidence_place *evidence_place(struct evidence_table *table, const uint64_t key[2],
				      int *error)
{
	size_t slot;

	*error = 0;
	if (table->slot_count) {
		slot = evidence_slot(table, key);
		if (table->slots[slot])
			return &table->at[table->slots[slot] - 1];
	}
	if (table->count == EVIDENCE_PLACES_MAX)
		return NULL;
	if ((!table->slot_count || table->count == table->room) && !grow(table)) {
		*error = PLUMB_ERR_NO_MEMORY;
		return NULL;
	}
	slot = evidence_slot(table, key);
	table->slots[slot] = (uint32_t)table->count + 1;
	table->at[table->count] = (struct evidence_place){.key = {key[0], key[1]}};
	return &table->at[table->count++];
}
