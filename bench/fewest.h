/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves how few bins a packing of overlapping sets needs: too slow for making plans, but it judges
 * them.
 */
#ifndef BENCH_FEWEST_H
#define BENCH_FEWEST_H

#include <stdbool.h>
#include <stddef.h>

#include "count/pack.h"

#define FEWEST_ITEMS_MAX 512 /* after items that others contain are dropped */

struct fewest {
	size_t bound;  /* no packing has fewer bins */
	size_t needed; /* bins of the best packing known; equal to `bound`: it is proven minimal */
	size_t nodes;  /* of the search */
};

/*
 * Bounds the bins of `capacity` codes that `items` need, given a packing into `known` bins; their
 * `bin` is neither read nor written. Examines at most `nodes_max` nodes. Returns false if memory is
 * short or the items are too many.
 */
bool fewest_find(const struct pack_item *items, size_t count, unsigned capacity, size_t known,
		 size_t nodes_max, struct fewest *fewest);

#endif
