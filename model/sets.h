/* SPDX-License-Identifier: Apache-2.0 */
/* How many sets a structure has whose sets are found by bits of an address. */
#ifndef MODEL_SETS_H
#define MODEL_SETS_H

#include <stdint.h>

/* Returns the largest power of two of sets that fit `entries`: at least 1, and at most `most`. */
static inline uint32_t sets_within(uint32_t entries, unsigned ways, uint32_t most)
{
	uint32_t sets = 1;

	while (2ull * sets * ways <= entries && sets < most)
		sets *= 2;
	return sets;
}

#endif
