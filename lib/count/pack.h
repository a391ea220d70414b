/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs sets of events into as few groups as possible. This is bin packing, except that sets
 * overlap: an event that two sets in a bin share takes only one counter.
 */
#ifndef COUNT_PACK_H
#define COUNT_PACK_H

#include <stddef.h>

#include "count/pack_item.h"

#define PACK_BIN_MAX 31

/*
 * Puts each item into a bin of `capacity` codes, at most PACK_BIN_MAX. No item may have more codes.
 * Returns the number of bins, numbered without gaps, or PLUMB_ERR_NO_MEMORY or LIMIT.
 * Deterministic.
 */
int pack_items(struct pack_item *items, size_t count, unsigned capacity);

#endif
