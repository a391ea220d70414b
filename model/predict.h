/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branch prediction: direction (TAGE, Seznec and Michaud 2006), targets (a small fast buffer and a
 * large one), indirect targets (tagged by history), returns (a stack). Call it once for each
 * branch, in program order, when the outcome is known: it predicts from the state before the
 * branch, compares, and learns.
 */
#ifndef MODEL_PREDICT_H
#define MODEL_PREDICT_H

#include "direction.h"

struct predictor;

enum predict_result {
	PREDICT_RIGHT,        /* fetch continues without a bubble */
	PREDICT_TAKEN_BUBBLE, /* correct, after predictor_params.taken_bubble cycles */
	PREDICT_DECODE,       /* direct target unknown until decode: decode_redirect cycles */
	PREDICT_WRONG,        /* mispredicted: resolved when the branch executes */
};

struct predict_outcome {
	uint8_t result;      /* enum predict_result */
	bool pairs;          /* PREDICT_RIGHT: the target can be fetched in the same cycle */
	uint64_t wrong_path; /* PREDICT_WRONG: where fetch went instead, or 0 if unknown */
};

struct predictor *predictor_new(const struct predictor_params *params);
void predictor_free(struct predictor *predictor);

/* `kind` is enum insn_branch_kind; `target` is the target if taken, else the next instruction. */
void predictor_branch(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		      uint64_t target, struct predict_outcome *outcome);

/*
 * No cycle matters to a predictor, so another thread may ask ahead: predictor_foresee() does what
 * predictor_branch() does otherwise, which then returns what is at `outcome` instead. NULL: as
 * before.
 */
void predictor_foresee(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		       uint64_t target, struct predict_outcome *outcome);
/*
 * For branches that repeat. predictor_read() tells all that later predictions depend on, but for
 * tables; of these, how often anything changed in those of directions and indirect targets. If that
 * is the same before and after some branches as before and after the same ones just before them,
 * three times in a row, then they will find everything as it was for ever: the buffers of targets
 * keep the branches that were used last, in that order. There may be too much on the stack of
 * returns to tell: false.
 *
 * predictor_room(): how many conditional branches there may be before tables age;
 * predictor_skip(): so many were predicted among such branches.
 */
#define PREDICTOR_RETURNS 64
struct predictor_mark {
	struct direction_mark direction;
	uint64_t indirect_changes, path;
	uint64_t depth, returns[PREDICTOR_RETURNS]; /* the last one first */
};
bool predictor_read(const struct predictor *predictor, struct predictor_mark *mark);
uint32_t predictor_room(const struct predictor *predictor);
void predictor_skip(struct predictor *predictor, uint32_t branches);

void predictor_set_foreseen(struct predictor *predictor, const struct predict_outcome *outcome);

#endif
