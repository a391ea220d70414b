/* SPDX-License-Identifier: Apache-2.0 */
/* Combines the predictors: direction, target, indirect target, return address. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

#include "direction.h"
#include "target.h"

#define APART 128 /* bytes between what two threads of the host write: two lines of its caches */

struct predictor {
	const struct predict_outcome *foreseen; /* NULL: nobody asks ahead */

	/* Another thread writes these if it does. */
	_Alignas(APART) const struct predictor_params *params;
	struct direction *direction;
	struct target_buffer *targets;
	struct indirect *indirect;
	uint64_t *returns; /* a ring: drops the oldest if calls nest too deeply */
	unsigned return_top;
	unsigned return_depth; /* number of valid entries */
};

struct predictor *predictor_new(const struct predictor_params *params)
{
	struct predictor *predictor = aligned_alloc(APART, sizeof(*predictor));

	if (!predictor)
		return NULL;
	memset(predictor, 0, sizeof(*predictor));
	predictor->params = params;
	predictor->direction = direction_new(params);
	predictor->targets = target_buffer_new(params);
	predictor->indirect = indirect_new(params);
	predictor->returns = calloc(params->return_entries ? params->return_entries : 1,
				    sizeof(*predictor->returns));
	if (!predictor->direction || !predictor->targets || !predictor->indirect ||
	    !predictor->returns) {
		predictor_free(predictor);
		return NULL;
	}
	return predictor;
}

void predictor_free(struct predictor *predictor)
{
	if (!predictor)
		return;
	direction_free(predictor->direction);
	target_buffer_free(predictor->targets);
	indirect_free(predictor->indirect);
	free(predictor->returns);
	free(predictor);
}

static void push_return(struct predictor *predictor, uint64_t address)
{
	unsigned entries = predictor->params->return_entries;

	if (!entries)
		return;
	predictor->return_top =
		predictor->return_top + 1 == entries ? 0 : predictor->return_top + 1;
	predictor->returns[predictor->return_top] = address;
	if (predictor->return_depth < entries)
		predictor->return_depth++;
}

/* Returns the predicted return address, or 0 if the stack is empty. */
static uint64_t pop_return(struct predictor *predictor)
{
	unsigned entries = predictor->params->return_entries;
	uint64_t address;

	if (!predictor->return_depth)
		return 0;
	address = predictor->returns[predictor->return_top];
	predictor->return_top = predictor->return_top ? predictor->return_top - 1 : entries - 1;
	predictor->return_depth--;
	return address;
}

/* Finds out how soon a correctly predicted taken branch redirects fetch to its target. */
static void follow_target(struct predictor *predictor, uint64_t pc, uint64_t target,
			  struct predict_outcome *outcome)
{
	const bool pairs = target_buffer_pairs(predictor->targets, pc, target);

	switch (target_buffer_access(predictor->targets, pc, target)) {
	case TARGET_FAST:
		outcome->pairs = pairs;
		return;
	case TARGET_LARGE:
		outcome->result = PREDICT_TAKEN_BUBBLE;
		return;
	default:
		outcome->result = PREDICT_DECODE;
	}
}

static __attribute__((noinline)) void predict_conditional(struct predictor *predictor, uint64_t pc,
							  bool taken, uint64_t target,
							  struct predict_outcome *outcome)
{
	bool predicted = direction_branch(predictor->direction, pc, taken);

	if (predicted == taken) {
		if (taken)
			follow_target(predictor, pc, target, outcome);
		return;
	}
	outcome->result = PREDICT_WRONG;
	if (taken) {
		outcome->wrong_path = pc + 4;
		target_buffer_access(predictor->targets, pc, target);
	} else {
		outcome->wrong_path = target_buffer_peek(predictor->targets, pc);
	}
}

/* Predicts a branch that is always taken. */
static __attribute__((noinline)) void predict_taken(struct predictor *predictor, uint64_t pc,
						    unsigned kind, uint64_t target,
						    struct predict_outcome *outcome)
{
	uint64_t predicted;

	switch (kind) {
	case BRANCH_IMMEDIATE:
	case BRANCH_CALL:
		follow_target(predictor, pc, target, outcome);
		/* A call and its return take two cycles, as measured on V2. */
		outcome->pairs &= kind != BRANCH_CALL;
		break;
	case BRANCH_INDIRECT:
	case BRANCH_INDIRECT_CALL:
		predicted = indirect_branch(predictor->indirect,
					    direction_history(predictor->direction), pc, target);
		if (predicted != target) {
			outcome->result = PREDICT_WRONG;
			outcome->wrong_path = predicted;
			target_buffer_access(predictor->targets, pc, target);
			break;
		}
		/* The indirect predictor provides the target; the buffer knows the branch. */
		outcome->result = target_buffer_touch(predictor->targets, pc) == TARGET_FAST
					  ? PREDICT_RIGHT
					  : PREDICT_TAKEN_BUBBLE;
		break;
	case BRANCH_RETURN:
		predicted = pop_return(predictor);
		if (predicted != target) {
			outcome->result = PREDICT_WRONG;
			outcome->wrong_path = predicted;
		} else {
			outcome->result = target_buffer_touch(predictor->targets, pc) == TARGET_FAST
						  ? PREDICT_RIGHT
						  : PREDICT_TAKEN_BUBBLE;
		}
		break;
	default:
		return;
	}
	if (kind == BRANCH_CALL || kind == BRANCH_INDIRECT_CALL)
		push_return(predictor, pc + 4);
	direction_note_taken(predictor->direction, pc, target);
}

void predictor_foresee(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		       uint64_t target, struct predict_outcome *outcome)
{
	outcome->result = PREDICT_RIGHT;
	outcome->wrong_path = 0;
	outcome->pairs = false;
	if (kind == BRANCH_CONDITIONAL)
		predict_conditional(predictor, pc, taken, target, outcome);
	else
		predict_taken(predictor, pc, kind, target, outcome);
}

void predictor_branch(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		      uint64_t target, struct predict_outcome *outcome)
{
	if (predictor->foreseen)
		*outcome = *predictor->foreseen;
	else
		predictor_foresee(predictor, pc, kind, taken, target, outcome);
}

void predictor_set_foreseen(struct predictor *predictor, const struct predict_outcome *outcome)
{
	predictor->foreseen = outcome;
}

bool predictor_read(const struct predictor *predictor, struct predictor_mark *mark)
{
	const unsigned entries = predictor->params->return_entries;
	unsigned at = predictor->return_top;

	memset(mark, 0, sizeof(*mark));
	direction_read(predictor->direction, &mark->direction);
	mark->indirect_changes = indirect_changes(predictor->indirect);
	mark->path = indirect_path(predictor->indirect);
	mark->depth = predictor->return_depth;
	if (mark->depth > PREDICTOR_RETURNS)
		return false;
	for (unsigned i = 0; i < mark->depth; i++) {
		mark->returns[i] = predictor->returns[at];
		at = at ? at - 1 : entries - 1;
	}
	return true;
}

uint32_t predictor_room(const struct predictor *predictor)
{
	return direction_room(predictor->direction);
}

void predictor_skip(struct predictor *predictor, uint32_t branches)
{
	direction_skip(predictor->direction, branches);
}
