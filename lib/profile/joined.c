/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of several events that have the same values of the profile's keys. */
#include "profile/joined.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_values(const struct plumb_profile *profile, uint32_t row)
{
	/* The first word tells the event. */
	return hash_words(row_values(profile, row) + 1, profile->words - 1);
}

static uint64_t hash_row(const void *owner, uint32_t i)
{
	const struct joined *joined = owner;

	return hash_values(joined->profile, joined->rows[i]);
}

static bool reserve(struct joined *joined)
{
	const size_t room = joined->room ? 2 * joined->room : 64;
	uint32_t *rows;

	if (joined->count < joined->room)
		return true;
	rows = reallocarray(joined->rows, room, sizeof(*rows));
	if (!rows)
		return false;
	joined->rows = rows;
	joined->room = room;
	return true;
}

uint32_t joined_find(struct joined *joined, uint32_t row)
{
	const struct plumb_profile *profile = joined->profile;
	const size_t size = (profile->words - 1) * sizeof(uint64_t);
	size_t at;

	if (!reserve(joined) || !index_table_reserve(&joined->index, hash_row, joined))
		return NO_ROW;
	at = hash_values(profile, row) & joined->index.mask;
	for (; joined->index.slots[at] != UINT32_MAX; at = (at + 1) & joined->index.mask) {
		const uint32_t found = joined->index.slots[at];

		if (memcmp(row_values(profile, joined->rows[found]) + 1,
			   row_values(profile, row) + 1, size) == 0)
			return found;
	}
	joined->index.slots[at] = (uint32_t)joined->count;
	joined->index.count++;
	joined->rows[joined->count] = row;
	return (uint32_t)joined->count++;
}

void joined_free(struct joined *joined)
{
	free(joined->rows);
	free(joined->index.slots);
	*joined = (struct joined){0};
}
