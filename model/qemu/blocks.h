/* SPDX-License-Identifier: Apache-2.0 */
/* The translated blocks of the program, decoded once each, found by address. */
#ifndef MODEL_QEMU_BLOCKS_H
#define MODEL_QEMU_BLOCKS_H

#include "core.h"

#define BLOCK_MAX 512 /* instructions; QEMU's own limit */

/*
 * The block of `count` instruction words at `pc`: the one made before if it was the same, else a
 * new one. Blocks live as long as the program, since QEMU does not say when it forgets one.
 * `*unknown` is how many of its words the decoder did not know, 0 if it is not new. NULL when
 * memory is short. Call it under a lock of the caller's.
 */
const struct block *blocks_get(const struct core_params *params, uint64_t pc, const uint32_t *words,
			       size_t count, unsigned *unknown);

/* A block that begins at `pc`, the newest; NULL if none does. Of type core_find_block; any thread.
 */
const struct block *blocks_find(void *user, uint64_t pc);

/* How many have been made. */
uint32_t blocks_count(void);

#endif
