/* SPDX-License-Identifier: Apache-2.0 */
/* The orders in which a specification's elements are found. */
#ifndef SPEC_INDEX_H
#define SPEC_INDEX_H

#include <plumb/spec.h>

#include "base/arena.h"

/*
 * Elements of one kind, as an array of any structure whose first member is its name. (That is so
 * of every element of a specification that has one.)
 */
struct named {
	const void *elements;
	size_t size; /* of one element */
	uint16_t count;
};

#define NAMED(array, length) \
	((struct named){.elements = (array), .size = sizeof(*(array)), .count = (length)})

const char *named_at(const struct named *named, uint16_t i);

/* Every index once, ordered by name, by its bytes or without regard to case; what is equal, by
 * index. NULL when memory is short.
 */
uint16_t *named_sort(const struct named *named, struct arena *arena, bool ignore_case);

/* The element of exactly that name, given the order by bytes; PLUMB_NONE if there is none. */
uint16_t named_find(const struct named *named, const uint16_t *order, const char *name);

/* The order of two uint16_t, for qsort() and bsearch(). */
int compare_indexes(const void *left, const void *right);

/* Fills plumb_spec's events_by_name, events_by_code and metrics_by_name. 0 or NO_MEMORY. */
int spec_index(struct plumb_spec *spec, struct arena *arena);

#endif
