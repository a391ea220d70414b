/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places in the shared memory where threads count: who has which, what all of them come to, and
 * the snapshots of that which the reader asked for.
 */
#ifndef QEMU_SLOTS_H
#define QEMU_SLOTS_H

#include "shared.h"

/* `cycles`: between snapshots; 0: there are none. This process begins at `base_cycle`. */
void slots_set_up(struct model_shared *memory, uint64_t cycles, uint64_t base_cycle);

/* Takes a free slot, or else one that was left behind. Returns -1 if there is none. */
int slots_take(void);
void slots_give_back(unsigned slot);
/* Adds the counts of the thread that had this slot to those of the finished threads. */
void slots_add_to_finished(unsigned slot);

/* Adds up all threads, finished and running, into `counts`. */
void slots_sum(uint64_t counts[MODEL_COUNTS]);
/* A thread has reached this cycle of the model's time. */
void slots_note_longest(uint64_t cycle);
/* Takes a snapshot if one is due at this cycle of the model's time. */
void slots_snapshot(uint64_t cycle);

bool slots_have_snapshots(void); /* whether any ever will be */

/* Call it in a forked child, which has no threads yet. */
void slots_forked(void);

#endif
