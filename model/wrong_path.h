/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operations of wrong paths are: their kinds are counted as far as their code is known.
 */
#ifndef MODEL_WRONG_PATH_H
#define MODEL_WRONG_PATH_H

#include "pipeline.h"

/* What is remembered of wrong paths; NULL if out of memory. Free it with free(). */
struct wrong_paths *wrong_paths_new(void);

/* Where the calls on a wrong path return to; those around more than these are forgotten. */
#define WRONG_RETURNS 8
struct wrong_returns {
	unsigned count;
	uint64_t at[WRONG_RETURNS];
};

/*
 * Returns the most likely continuation of a wrong path after `block`, or 0 if unknown: conditional
 * branches backwards are taken, as those of loops are, and others are not. `returns` is empty where
 * the path begins.
 */
uint64_t wrong_path_next(const struct block *block, struct wrong_returns *returns);

/*
 * Counts the kinds of the operations of the wrong path that begins at `pc`, 0 if unknown. The first
 * one was dispatched in `cycle`; its loads may access the caches.
 */
void count_wrong_path(struct core *core, uint64_t pc, uint64_t operations, uint64_t cycle);

#endif
