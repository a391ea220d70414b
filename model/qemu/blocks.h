/* SPDX-License-Identifier: Apache-2.0 */
/* The translated blocks of the program, decoded once each, found by address. */
#ifndef MODEL_QEMU_BLOCKS_H
#define MODEL_QEMU_BLOCKS_H

#include "core.h"

#define BLOCK_MAX 512 /* instructions; QEMU's own limit */

/*
 * Returns the block of `count` instruction words at `pc`: the one made before if it is unchanged,
 * otherwise a new one. Blocks live as long as the program, because QEMU does not tell when it drops
 * one. `*unknown` is the number of words in a new block that the decoder did not know. NULL: out of
 * memory. Call it under the caller's lock.
 */
const struct block *blocks_get(const struct core_params *params, uint64_t pc, const uint32_t *words,
			       size_t count, unsigned *unknown);

/*
 * Returns the newest block that begins at `pc`, or NULL. Has type core_find_block; any thread may
 * call it.
 */
const struct block *blocks_find(void *user, uint64_t pc);

/* Likewise, among the blocks that were made first, as many as `user`, an _Atomic uint32_t, tells.
 */
const struct block *blocks_find_known(void *user, uint64_t pc);

/* Returns whether what follows a whole block may be at `pc`: if not, something has interrupted it.
 */
static inline bool blocks_may_follow(const struct block *block, uint64_t pc)
{
	return pc == block->next[0] || pc == block->next[1] || block->goes_anywhere;
}

/* Returns the block with that `id`, below BLOCKS_NUMBERED, on any thread that knows of it. */
#define BLOCKS_NUMBERED (1u << 24)
const struct block *blocks_numbered(uint32_t id);

/* How many have been made. blocks_made(): where that is kept, for core_set_block_finder(). */
uint32_t blocks_count(void);
const _Atomic uint32_t *blocks_made(void);

#endif
