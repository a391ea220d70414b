/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Direction of conditional branches: TAGE (Seznec and Michaud, "A case for (partially) tagged
 * geometric history length branch prediction", 2006). A table of counters by address, and tagged
 * tables by address and ever longer history; the longest that matches provides the prediction.
 */
#ifndef MODEL_DIRECTION_H
#define MODEL_DIRECTION_H

#include "params.h"

struct direction;

struct direction *direction_new(const struct predictor_params *params);
void direction_free(struct direction *direction);

/* Predicts the branch at `pc`, then learns that it was `taken`, to `target`. */
bool direction_branch(struct direction *direction, uint64_t pc, bool taken, uint64_t target);

/* An unconditional branch that was taken leaves its trace in the history, too. */
void direction_note_taken(struct direction *direction, uint64_t pc, uint64_t target);

/* The newest 64 bits of history, the newest lowest. */
uint64_t direction_history(const struct direction *direction);

#endif
