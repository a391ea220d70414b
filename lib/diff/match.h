/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes functions that have another name in the other build, or no code of their own because
 * they are inlined.
 *
 * Names decide where both builds have them. The others are recognized by their instructions. What
 * the linker fills in is masked: the targets of calls, and the addresses of data. Functions with
 * equal instructions are the same. Otherwise, sequences of three operations, without registers and
 * numbers, are compared: two functions that share most of them are the same, and a function most of
 * whose sequences have turned up in another one is inlined there. doc/statistics.md has the limits.
 */
#ifndef DIFF_MATCH_H
#define DIFF_MATCH_H

#include "diff/side.h"

enum diff_match {
	DIFF_BY_NAME,
	DIFF_RENAMED,       /* the same code has another name */
	DIFF_INLINED_AFTER, /* `before` has it; `after` has inlined it */
	DIFF_INLINED_BEFORE,
};

struct diff_pair {
	const char *before; /* a function of the first side */
	const char *after;  /* of the second; if it is inlined: the function that contains it */
	enum diff_match how;
	double alike; /* 0 to 1: the share of the sequences that both have */
};

/*
 * Finds the pairs of functions with different names. Free `*pairs` with free(). Returns 0 or
 * NO_MEMORY.
 */
int diff_match(const struct diff_side *before, const struct diff_side *after,
	       struct diff_pair **pairs, size_t *count);

/* Returns an instruction without what the linker fills in. `pages` is the state, at first 0. */
uint32_t diff_masked_word(const struct diff_function *function, size_t i, uint32_t *pages);

/*
 * Returns a hash of the code of a function without what the linker fills in: equal for equal code,
 * in every version of Plumb. 0: the code is unknown, or too short to be recognized by it alone.
 */
uint64_t diff_code_hash(const struct diff_function *function);

#endif
