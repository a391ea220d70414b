/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of the shares in an exact profile of a sampled run. Its windows are dealt into groups,
 * one after another, so that each group is a small sample of the whole run. How much the groups
 * differ tells how uncertain their sum is: doc/statistics.md has the formulas.
 */
#ifndef PROFILE_GROUPS_H
#define PROFILE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include <plumb/profile.h>

/* Group 0 is what was counted in full; up to 31 others are of windows. */
#define GROUPS_ROOM 32

/* With fewer groups, nothing is said about errors. */
#define GROUPS_LEAST 5

/* What the stream of a sample says: see doc/samples.md. */
struct groups_stream {
	unsigned group;
	uint64_t windows; /* of the group */
	double modelled;  /* part of the instructions that windows stand for which is in them */
};
/* Returns false if the group is not one of GROUPS_ROOM. */
bool groups_read(uint64_t stream_id, struct groups_stream *stream);

/* What the groups of a profile have in common. */
struct grouping {
	uint32_t present; /* groups of windows that some sample is of: a bit for each */
	double windows;   /* of those groups */
	double modelled;
};
void groups_know(struct grouping *grouping, const struct groups_stream *stream);

/*
 * Adds to the sum of a group. `*sums` has GROUPS_ROOM of them, and is made if it is NULL; free it.
 * Returns false if out of memory.
 */
bool groups_add(double **sums, unsigned group, double period);
/* Adds all sums to those of `*sums`, likewise. `more` may be NULL: nothing. */
bool groups_add_all(double **sums, const double *more);

/*
 * Estimates which share `part` is of `whole`, both by group. NULL: 0. The interval is NaN if there
 * are too few groups, or if the part, or what is left of the whole, is in too few windows for it to
 * be told.
 */
struct plumb_profile_estimate groups_share(const struct grouping *grouping, const double *part,
					   const double *whole);
/*
 * Likewise estimates how much there is of `part`. `sizes` are what the groups have of something
 * whose sum is known, such as instructions. NULL: all have equally much.
 */
struct plumb_profile_estimate groups_sum(const struct grouping *grouping, const double *part,
					 const double *sizes);

#endif
