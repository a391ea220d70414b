/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts the direction of conditional branches with TAGE (Seznec and Michaud, "A case for
 * (partially) tagged geometric history length branch prediction", 2006). It has a table of counters
 * indexed by address, and tagged tables indexed by address and ever longer histories. The table
 * with the longest history that matches provides the prediction.
 */
#ifndef MODEL_DIRECTION_H
#define MODEL_DIRECTION_H

#include "params.h"

struct direction;

struct direction *direction_new(const struct predictor_params *params);
void direction_free(struct direction *direction);

/* Predicts the branch at `pc`, then learns whether it was `taken`. */
bool direction_branch(struct direction *direction, uint64_t pc, bool taken);

/* Adds an unconditional taken branch to the history. */
void direction_note_taken(struct direction *direction, uint64_t pc, uint64_t target);

/* Returns the newest 64 bits of history, newest lowest. */
uint64_t direction_history(const struct direction *direction);

#endif
