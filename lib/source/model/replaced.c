/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/replaced.h"

#include <stdlib.h>

/* A program may claim any number of mappings; later ones are taken for what was there before. */
#define MAPPINGS_MAX  16384
#define MAPPINGS_SOME 64

struct replaced_mapping {
	uint64_t from, to;
	uint64_t file;
	uint64_t noted; /* the number of the last note of it */
	uint32_t tid;
	bool is_first; /* at its addresses */
};

static bool overlap(const struct replaced_mapping *mapping, uint64_t from, uint64_t to)
{
	return mapping->from < to && from < mapping->to;
}

static bool reserve(struct replaced *replaced)
{
	const size_t room = replaced->room ? 2 * replaced->room : MAPPINGS_SOME;
	struct replaced_mapping *grown;

	if (replaced->count < replaced->room)
		return true;
	grown = reallocarray(replaced->at, room, sizeof(*grown));
	if (!grown)
		return false;
	replaced->at = grown;
	replaced->room = room;
	return true;
}

bool replaced_note(struct replaced *replaced, uint32_t tid, uint64_t address, uint64_t length,
		   uint64_t file)
{
	struct replaced_mapping mapping = {
		.from = address, .file = file, .tid = tid, .is_first = true};

	if (__builtin_add_overflow(address, length, &mapping.to))
		return true;
	mapping.noted = ++replaced->notes;
	for (size_t i = 0; i < replaced->count; i++) {
		struct replaced_mapping *known = &replaced->at[i];

		if (known->tid != tid || !overlap(known, mapping.from, mapping.to))
			continue;
		if (known->file == file) {
			known->from = mapping.from < known->from ? mapping.from : known->from;
			known->to = mapping.to > known->to ? mapping.to : known->to;
			known->noted = mapping.noted;
			return true;
		}
		mapping.is_first = false;
	}
	if (replaced->count == MAPPINGS_MAX)
		return true;
	if (!reserve(replaced))
		return false;
	replaced->at[replaced->count++] = mapping;
	replaced->any |= !mapping.is_first;
	return true;
}

void replaced_forget(struct replaced *replaced, uint32_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < replaced->count; i++)
		if (replaced->at[i].tid != tid)
			replaced->at[kept++] = replaced->at[i];
	replaced->count = kept;
}

uint64_t replaced_code(const struct replaced *replaced, uint32_t tid, uint64_t address)
{
	const struct replaced_mapping *last = NULL;

	if (!replaced->any)
		return 0;
	for (size_t i = 0; i < replaced->count; i++) {
		const struct replaced_mapping *mapping = &replaced->at[i];

		if (mapping->tid == tid && address >= mapping->from && address < mapping->to &&
		    (!last || mapping->noted > last->noted))
			last = mapping;
	}
	return last && !last->is_first ? last->file : 0;
}

uint64_t replaced_path(const struct replaced *replaced, uint32_t tid, const uint64_t *addresses,
		       size_t count)
{
	uint64_t path = 0;

	if (!replaced->any)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t code = replaced_code(replaced, tid, addresses[i]);

		if (code)
			path = (path ^ code ^ i) * 0x9e3779b97f4a7c15ull;
	}
	return path;
}

void replaced_clean_up(struct replaced *replaced)
{
	free(replaced->at);
}
