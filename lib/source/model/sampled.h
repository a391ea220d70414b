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

/* The arrays of struct plumb_windows, for all windows of a run. */
struct sampled_arrays {
	double *sizes, *cycles, *counts, *first;
};
/*
 * Sets them to a run's windows (NULL: there are none). Returns false if out of memory. In both
 * cases free them with sampled_arrays_free().
 */
bool sampled_arrays_make(struct sampled_arrays *arrays, const struct plumb_plan *plan,
			 const size_t *indexes, const struct model_sampled *sampled,
			 const struct model_counts *sums);
void sampled_arrays_free(struct sampled_arrays *arrays);
size_t sampled_window_count(const struct model_sampled *sampled);
/* Whether the model counts what has this index, with this engine. */
bool sampled_is_counted(const struct model_counts *sums, size_t index);
/* Returns the instructions that the windows stand for. */
uint64_t sampled_rest(const struct model_sampled *sampled, const struct model_counts *sums);

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
