/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing sets of events into as few groups as will do: bins of a size, except that sets overlap,
 * and an event that two of a bin need takes one counter there.
 */
#ifndef COUNT_PACK_H
#define COUNT_PACK_H

#include <stddef.h>
#include <stdint.h>

#define PACK_BIN_MAX 31

/* Events that must be together: codes, ascending, no two alike. */
struct pack_item {
	const uint16_t *codes;
	uint16_t count;
	uint16_t bin; /* which it is in: the answer */
};

/*
 * Puts each item into a bin of `capacity` codes, at most PACK_BIN_MAX; no item has more. Returns
 * how many bins there are, numbered without gaps, or PLUMB_ERR_NO_MEMORY or LIMIT. The same
 * items give the same bins.
 */
int pack_items(struct pack_item *items, size_t count, unsigned capacity);

#endif
