/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's side of a sampled run: the model's sampled.h. */
#ifndef SOURCE_MODEL_SAMPLED_H
#define SOURCE_MODEL_SAMPLED_H

#include "source/model/counts.h"
#include "source/source.h"

/*
 * Copies what a run left; free it. NULL if everything was modelled, or out of memory: then nothing
 * must be estimated, see sampled_is_partial().
 */
struct model_sampled *sampled_copy(const struct model_sampled *shared);

/* Whether a run's sums lack something. */
bool sampled_is_partial(const struct model_sampled *shared);

/*
 * Estimates the counts of the run from `sums`, what was modelled. Returns the cycles of the part
 * that was sampled, and of the stretch before it.
 */
uint64_t sampled_estimate(const struct model_sampled *sampled, const struct model_counts *sums,
			  struct model_counts *counts);

/*
 * Hands the windows of a run (NULL: everything was modelled) to the job's callback, by the plan
 * whose places have these indexes of counts. Warns if there are too few. Returns 0 or NO_MEMORY.
 */
int sampled_tell(const struct source_job *job, const size_t *indexes,
		 const struct model_sampled *sampled, const struct model_counts *sums,
		 struct plumb_diagnostics *diagnostics);

/* The windows of an exact profile, in their groups. */
struct sampled_groups {
	/* How often the weighted counts of all windows together occur in the part of the run that
	 * they stand for; 0: not known yet. */
	double scale;
	double modelled; /* how much of that part's instructions is in them, 0 to 1 */
	uint64_t windows[SAMPLED_GROUPS + 1]; /* of each group */
};
/* Sets all of it. `sampled` may be NULL: there are no windows. */
void sampled_describe(const struct model_sampled *sampled, const struct model_counts *sums,
		      struct sampled_groups *groups);

#endif
