/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of 16-bit indexes in 8 KiB, small enough for the stack. It lets a walk over a specification
 * visit each part once, however often the input refers to it.
 */
#ifndef BASE_INDEX_SET_H
#define BASE_INDEX_SET_H

#include <stdbool.h>
#include <stdint.h>

struct index_set {
	uint64_t words[UINT16_MAX / 64 + 1];
};

static inline bool index_set_has(const struct index_set *set, uint16_t i)
{
	return set->words[i / 64] >> (i % 64) & 1;
}

/* Adds `index`; returns true if it was not in the set. */
static inline bool index_set_add(struct index_set *set, uint16_t i)
{
	bool fresh = !index_set_has(set, i);

	set->words[i / 64] |= UINT64_C(1) << (i % 64);
	return fresh;
}

static inline void index_set_remove(struct index_set *set, uint16_t i)
{
	set->words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

#endif
