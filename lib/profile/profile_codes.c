/* SPDX-License-Identifier: Apache-2.0 */
/* Codes: instructions that have the same values of all keys of code, such as one function's. */
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "profile/profile.h"

static uint64_t hash_code(const void *owner, uint32_t i)
{
	return ((const struct code_table *)owner)->hashes[i];
}

static bool grow(struct code_table *codes, size_t room)
{
	const size_t size = (codes->words ? codes->words : 1) * sizeof(*codes->values);
	uint64_t *values = large_resize(codes->values, codes->count, room, size);
	uint32_t *hashes;

	if (!values)
		return false;
	codes->values = values;
	hashes = large_resize(codes->hashes, codes->count, room, sizeof(*hashes));
	if (!hashes)
		return false;
	codes->hashes = hashes;
	codes->room = room;
	return true;
}

bool codes_reserve(struct code_table *codes, size_t count)
{
	/* For the last one of a power of two, the index would have twice the size. */
	return index_table_reserve_for(&codes->index, hash_code, codes, count ? count - 1 : 0) &&
	       (count <= codes->room || grow(codes, count));
}

void codes_expect(const struct code_table *codes, uint32_t hash)
{
	const struct index_table *index = &codes->index;
	uint32_t slot;

	if (!index->slots)
		return;
	slot = index->slots[hash & index->mask];
	if (slot == UINT32_MAX)
		return;
	__builtin_prefetch(&codes->hashes[slot]);
	__builtin_prefetch(&codes->values[slot * codes->words]);
}

int codes_find(struct code_table *codes, const uint64_t *values, uint32_t *code)
{
	return codes_find_hashed(codes, values, codes_hash(codes, values), code);
}

int codes_find_hashed(struct code_table *codes, const uint64_t *values, uint32_t hash,
		      uint32_t *code)
{
	const size_t size = codes->words * sizeof(*values);
	struct index_table *index = &codes->index;
	size_t at;

	if (!index_table_reserve(index, hash_code, codes))
		return PLUMB_ERR_NO_MEMORY;
	at = hash & index->mask;
	for (; index->slots[at] != UINT32_MAX; at = (at + 1) & index->mask) {
		*code = index->slots[at] + 1;
		if (codes->hashes[*code - 1] == hash &&
		    memcmp(codes->values + index->slots[at] * codes->words, values, size) == 0)
			return 0;
	}
	if (codes->count == (codes->most ? codes->most : CODES_MAX))
		return PLUMB_ERR_LIMIT;
	if (codes->count == codes->room && !grow(codes, codes->room ? 2 * codes->room : 256))
		return PLUMB_ERR_NO_MEMORY;
	memcpy(codes->values + codes->count * codes->words, values, size);
	codes->hashes[codes->count] = hash;
	index->slots[at] = (uint32_t)codes->count++;
	index->count++;
	*code = (uint32_t)codes->count;
	return 0;
}

void codes_forget(struct code_table *codes)
{
	codes->count = codes->index.count = 0;
	if (codes->index.slots)
		memset(codes->index.slots, 0xff,
		       (codes->index.mask + 1) * sizeof(*codes->index.slots));
}

void codes_free(struct code_table *codes)
{
	free(codes->values);
	free(codes->hashes);
	free(codes->index.slots);
	*codes = (struct code_table){0};
}
