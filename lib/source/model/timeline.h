/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a sampled run: its intervals, from what was counted in full and from the windows
 * of units, and the phases that they belong to.
 */
#ifndef SOURCE_MODEL_TIMELINE_H
#define SOURCE_MODEL_TIMELINE_H

#include "source/model/run.h"
#include "source/model/units.h"
#include "source/source.h"

/* Intervals that were counted in full, in their order. */
struct timeline_counted {
	struct timeline_interval {
		struct model_counts
			counts; /* since the beginning, as a run's interval() has them */
		uint32_t code[SAMPLED_CODE];
	} * at;
	size_t count, room;
	bool failed; /* out of memory */
};
void timeline_add(struct timeline_counted *counted, const struct model_counts *counts,
		  const uint32_t *code);

/*
 * Makes the timeline of a run, and hands it to the job's callbacks, by the plan whose places have
 * these indexes of counts. Returns 0 or NO_MEMORY.
 */
int timeline_tell(const struct source_job *job, const size_t *indexes,
		  const struct timeline_counted *counted, const struct model_result *run);

#endif
