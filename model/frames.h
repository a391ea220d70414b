/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which physical pages a program's virtual ones have. Memory is allocated in aligned blocks of 64
 * KiB, or of a page if that is larger, when one of their pages is first touched. So the set of L1,
 * which the cores index by the virtual address, also follows from the physical one. What was
 * unmapped gets frames that nothing used before when it is touched again.
 *
 * Page numbers are addresses divided by the size of a page. Callers keep others out.
 */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H

#include "params.h"

struct frames;

/* NULL: out of memory. */
struct frames *frames_new(const struct core_params *params);
void frames_free(struct frames *frames);

/* Returns log2 of the pages of a huge page; 0: there are none. */
unsigned frames_log2_huge(const struct frames *frames);

/* Returns the physical page of a virtual one, which is touched by this. */
uint64_t frames_of(struct frames *frames, uint64_t page);

/* Returns how often a page, or a huge one, was touched that had not been since it was mapped. */
uint64_t frames_touches(const struct frames *frames);

/* Returns whether a virtual page was touched since it was mapped. */
bool frames_are_touched(const struct frames *frames, uint64_t page);

/* Returns whether a virtual page belongs to a huge page. */
bool frames_are_huge(struct frames *frames, uint64_t page);

/*
 * The pages from `first` to `end` have no frames any more, but for a huge page of which this is
 * only a part. Returns whether any of them had one.
 */
bool frames_drop(struct frames *frames, uint64_t first, uint64_t end);

/* The frames of `count` pages from `from` on are those of the pages from `to` on. */
void frames_move(struct frames *frames, uint64_t from, uint64_t to, uint64_t count);

#endif
