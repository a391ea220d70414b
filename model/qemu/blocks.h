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
 * Lets blocks_find() find it. While a program has one thread, do so when it is made. A thread that
 * is back from a system call translates code before it has its turn, at a time that the host
 * determines: then, do so when the block executes in turn, so that the others' wrong paths are the
 * same in every run.
 */
void blocks_show(const struct block *block);
void blocks_show_all(void); /* in a forked child, which has one thread */

/*
 * Returns the newest block that begins at `pc` of those that were shown, or NULL. Has type
 * core_find_block. Only for the thread that has the turn.
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

uint32_t blocks_count(void); /* that have been made */
/* Where it is kept how many have been shown, for core_set_block_finder(). */
const _Atomic uint32_t *blocks_shown(void);

#endif
