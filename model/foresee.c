/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts branches ahead of the core, in another thread: core.h. */
#include "pipeline.h"

bool core_foresee(struct core *core, const struct block *block, unsigned executed, uint64_t next_pc,
		  struct predict_outcome *outcome)
{
	const struct prepared *prepared = block->model;
	const uint64_t end = block->pc + 4ull * prepared->count;
	const unsigned kind = prepared->branch;

	if (!kind || kind == BRANCH_EXCEPTION || executed < prepared->count)
		return false;
	predictor_foresee(core->predictor, end - 4, kind,
			  kind != BRANCH_CONDITIONAL || next_pc != end, next_pc, outcome);
	return true;
}

void core_set_foreseen(struct core *core, const struct predict_outcome *outcome)
{
	predictor_set_foreseen(core->predictor, outcome);
}

bool core_foresee_state(const struct core *core, struct predictor_mark *mark)
{
	return predictor_read(core->predictor, mark);
}

uint32_t core_foresee_room(const struct core *core)
{
	return predictor_room(core->predictor);
}

void core_foresee_skip(struct core *core, uint32_t branches)
{
	predictor_skip(core->predictor, branches);
}
