/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state of a lone core's memory side, to be compared with later ones: for period.c. Two are the
 * same if everything that a later access may meet is: what caches, TLBs and page tables have, and
 * in which order it was used; what prefetchers have learnt; and when buffers, paths and lines are
 * ready, relative to the current cycle. Times before the first cycle in which an access may still
 * be made are alike. Nothing is judged by a hash.
 *
 * A path takes lines by stretches of cycles (bandwidth.h). So if it is in use, two states are the
 * same only if they are at the same place of a stretch.
 */
#ifndef MODEL_MEMORY_MARK_H
#define MODEL_MEMORY_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct memory;
struct memory_mark;

/* Returns NULL if out of memory. The memory side must outlive it. */
struct memory_mark *memory_mark_new(struct memory *memory);
void memory_mark_free(struct memory_mark *mark);

/*
 * There is no mark until one is set. L2 and the system cache are noted only by marks before which
 * they were in use since here, or since the mark before; and else no state is the same in which
 * they were used since.
 */
void memory_mark_begin(struct memory_mark *mark);

/*
 * Notes the state at `cycle`; later accesses begin at `floor` at the earliest, which is not after
 * it. Returns false if others than this core have an influence on it, or have had.
 */
bool memory_mark_set(struct memory_mark *mark, uint64_t cycle, uint64_t floor);

/* Whether the state may be that of the mark: quick, and false of most that are not. */
bool memory_mark_may_be_back(const struct memory_mark *mark, uint64_t cycle);

/* Whether the state is that of the mark, if there is one. */
bool memory_mark_is_back(const struct memory_mark *mark, uint64_t cycle, uint64_t floor);

/* It is: finds out what was counted, and which times changed, since the mark was set. */
void memory_mark_know(struct memory_mark *mark);

/*
 * From such a state on: what has led from the mark to it happens so many times more, until `cycles`
 * later. `floor` is as above.
 */
void memory_mark_skip(struct memory_mark *mark, uint64_t times, uint64_t cycles, uint64_t floor);

#endif
