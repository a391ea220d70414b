/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted orders of a specification's elements, for lookups. */
#ifndef SPEC_INDEX_H
#define SPEC_INDEX_H

#include <plumb/spec.h>

#include "base/arena.h"

/*
 * Elements of one kind: an array of any structure whose first member is its name. Every named
 * element of a specification is such a structure.
 */
struct named {
	const void *elements;
	size_t size; /* of one element, in bytes */
	uint16_t count;
};

#define NAMED(array, length) \
	((struct named){.elements = (array), .size = sizeof(*(array)), .count = (length)})

const char *named_at(const struct named *named, uint16_t i);

/*
 * Returns every index once, sorted by name, either by bytes or ignoring case; equal names are
 * sorted by index. NULL if out of memory.
 */
uint16_t *named_sort(const struct named *named, struct arena *arena, bool ignore_case);

/* Returns the element with exactly that name, or PLUMB_NONE. `order` must be by bytes. */
uint16_t named_find(const struct named *named, const uint16_t *order, const char *name);

/* Compares two uint16_t, for qsort() and bsearch(). */
int compare_indexes(const void *left, const void *right);

/* Fills in events_by_name, events_by_code and metrics_by_name. Returns 0 or NO_MEMORY. */
int spec_index(struct plumb_spec *spec, struct arena *arena);

#endif
