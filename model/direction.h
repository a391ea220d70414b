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

/*
 * What the next predictions depend on, as far as it is not in the tables; and how often anything
 * changed in these.
 */
#define DIRECTION_WORDS 16
struct direction_mark {
	uint64_t changes;
	uint64_t words[DIRECTION_WORDS]; /* the histories */
};
void direction_read(const struct direction *direction, struct direction_mark *mark);

/*
 * Branches whose directions are predicted: how many more there may be before all tables change, and
 * tells that some were predicted that changed nothing.
 */
uint32_t direction_room(const struct direction *direction);
void direction_skip(struct direction *direction, uint32_t branches);

/* Returns the newest 64 bits of history, newest lowest. */
uint64_t direction_history(const struct direction *direction);

#endif
