/* SPDX-License-Identifier: Apache-2.0 */
/* Packs into fewer bins by throwing items out of bins, for pack.c. */
#ifndef COUNT_EJECT_H
#define COUNT_EJECT_H

#include <stddef.h>

#include "count/pack_item.h"

/*
 * Improves a packing of `count` items into `bins` bins, which their `bin` tells: tries to do with
 * one bin less, again and again, down to `fewest`. Takes a limited number of steps. Returns the
 * number of bins, numbered without gaps, or PLUMB_ERR_NO_MEMORY with the packing unchanged.
 * Deterministic.
 */
int eject_bins(struct pack_item *items, size_t count, unsigned capacity, size_t bins,
	       size_t fewest);

#endif
