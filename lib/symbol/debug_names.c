/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/debug_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

/* Longer names are not demangled. */
#define DEMANGLED_MAX 16384

/* A demangled name; `linkage` belongs to the file. */
struct debug_name {
	const char *linkage, *plain;
};

static size_t place_of(const char *linkage, size_t room)
{
	return (size_t)((uintptr_t)linkage * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
}

static struct debug_name *slot_of(struct debug_name *names, size_t room, const char *linkage)
{
	size_t i = place_of(linkage, room);

	while (names[i].linkage && names[i].linkage != linkage)
		i = (i + 1) & (room - 1);
	return &names[i];
}

static bool grow(struct debug_names *names)
{
	size_t room = names->room ? 2 * names->room : 64;
	struct debug_name *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < names->room; i++)
		if (names->at[i].linkage)
			*slot_of(grown, room, names->at[i].linkage) = names->at[i];
	free(names->at);
	names->at = grown;
	names->room = room;
	return true;
}

const char *debug_names_plain(struct debug_names *names, const char *linkage, bool signature)
{
	struct debug_name *name;
	char *plain;

	if (strnlen(linkage, DEMANGLED_MAX) == DEMANGLED_MAX ||
	    (2 * names->count >= names->room && !grow(names)))
		return linkage;
	name = slot_of(names->at, names->room, linkage);
	if (!name->linkage) {
		plain = demangle(linkage, signature);
		name->plain = plain && strnlen(plain, DEMANGLED_MAX) < DEMANGLED_MAX
				      ? arena_strdup(names->strings, plain)
				      : NULL;
		free(plain);
		name->linkage = linkage;
		names->count++;
	}
	return name->plain ? name->plain : linkage;
}

void debug_names_free(struct debug_names *names)
{
	free(names->at);
}
