/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a period (period.h) charges in an exact profile. The profile's part of a core's state has to
 * be the same again as well: where the thread is in its calling contexts, whose operations and
 * stores are in flight, and who flushed the pipeline last. Then each block of the period is charged
 * as its replay was, so many times at once.
 */
#ifndef MODEL_PERIOD_CHARGES_H
#define MODEL_PERIOD_CHARGES_H

#include "core.h"

struct period_charges;

/*
 * For a core with a profile, and at most so many blocks from a state to the same one. Returns NULL
 * if out of memory; free() frees it.
 */
struct period_charges *period_charges_new(struct core *core, uint32_t blocks);

/* The next block is the first one after the mark. */
void period_charges_mark(struct period_charges *charges);
/* The block of this number since the mark has executed. */
void period_charges_executed(struct period_charges *charges, uint32_t number);
/* Returns whether the profile's state is that at the mark. */
bool period_charges_are_back(const struct period_charges *charges);

/*
 * Returns how many of these times, of so many cycles each, may be charged at once before the
 * profile may be told.
 */
uint64_t period_charges_room(const struct period_charges *charges, uint64_t times, uint64_t cycles);
/*
 * Charges the blocks since the mark so many times, each time with so many operations, as if they
 * had executed from now on. The core itself is as it was before them.
 */
void period_charges_skip(struct period_charges *charges, uint32_t blocks, uint32_t times,
			 uint64_t operations);

#endif
