/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a program enters a loop between windows. Where two limits coincide, such as a loop's fetch
 * and its chain, the way into it decides which of them its slots are lost to for as long as it goes
 * on: behind a miss that its chain waits for the queues stay full, behind a mispredicted branch
 * they stay empty. A window that goes on with what was in flight at the end of the last one says
 * nothing of that. So code that has not executed for a while is modelled in detail for a little,
 * and what is in flight then is what the next window goes on with. Only the last entry before a
 * window matters, so where there are many, only those just before windows are.
 */
#ifndef QEMU_ENTRIES_H
#define QEMU_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#define ENTRIES_DETAIL 2000   /* instructions in detail from such a block on */
#define ENTRIES_WHILE  8192   /* instructions in which it has not executed */
#define ENTRIES_EARNED 8192   /* instructions in detail for each window: at most as many ... */
#define ENTRIES_SAVED  524288 /* ... and these where there were few */
#define ENTRIES_REACH  524288 /* instructions before a window in which they are looked for ... */
#define ENTRIES_NEAR   8192   /* ... and that many at least, where there are many of them */

void entries_set_up(void);

/* A window has been chosen: it begins at this position. */
void entries_choose(uint64_t window_at);

/* Forgets what has executed, since nobody has seen what did before this position. */
void entries_begin(uint64_t position);

/*
 * A block is about to execute at a position. Returns whether it has not for a while, by what this
 * was called for. Two blocks may be taken for one.
 */
bool entries_note(uint64_t pc, uint64_t position);

/* Whether detail is to begin with such a block there. */
bool entries_wanted(uint64_t position);

/* So many instructions were in detail. */
void entries_spend(uint64_t instructions);

#endif
