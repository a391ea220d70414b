/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips blocks that repeat: their effect on a core is multiplied.
 *
 * A period is some blocks that execute one after the other, with the same accesses and predictions
 * each time, over and over again. The core and its memory side are an automaton: once they are as
 * they were some periods before, they will be again after each as many of them, and each time
 * everything is counted likewise. What has to be the same for that:
 *
 * - The core's state, which is a node of the memo's (memo.h). Cycles are relative there. When the
 *   last load is done belongs to it, but is elsewhere, so it is compared as well.
 * - Stores by number, which are elsewhere, too. Those of which a load may still get data have to be
 *   of such periods themselves: then they are at the same addresses each time. They are moved on.
 * - The memory side. Either there may be nothing in between but replays in which each access was a
 *   hit of a line that was there, by the functions of hits.h. These change the order only in which
 *   lines of a set, and pages of the first TLBs, were used last. The same accesses leave each order
 *   as they have left it before, since what was used stands first, in the order of its last use,
 *   before what was not, which keeps its order. All were there in the period that was looked at and
 *   none has gone, so they hit again; and what has its data at a cycle has it later on. Or else the
 *   whole state is compared: memory_mark.h. Then it does not matter what was replayed, and the
 *   core's state is compared without a node.
 * - Of an exact profile, the contexts of calls, and what replays charge: nothing else is known.
 * - Predictions, which are the caller's to compare: predictor_read(). What wrong paths count is
 *   multiplied: the same code is known throughout.
 *
 * Nothing else is kept from block to block: what is counted is multiplied, and the cycles and
 * numbers which struct core has while blocks are replayed are moved on. That counts are read has an
 * effect only where it begins to look at limits (ties.h): no period is skipped in which that may
 * happen, nor any in which counts may have to be read before it is time, since lanes of kinds are
 * full.
 */
#ifndef MODEL_PERIOD_H
#define MODEL_PERIOD_H

#include "core.h"

struct period;

/* Returns NULL if out of memory, or if the core does not remember blocks. */
struct period *period_new(struct core *core);
void period_free(struct period *period);

/*
 * A period begins with the next block. From then on, call period_executed() after each block, and
 * period_ended() after each period, until something else executes.
 */
void period_begin(struct period *period);
void period_executed(struct period *period, const struct block *block);
void period_ended(struct period *period);

/*
 * After period_ended(): skips at most so many periods. Returns how many it has, maybe none.
 * `*settled` is the cycle in which the counts were read last: while blocks execute, they are read
 * after each at whose end that was at least `every` cycles ago. It is set as if they had been.
 */
uint64_t period_skip(struct period *period, uint64_t most, uint64_t *settled, uint64_t every);

#endif
