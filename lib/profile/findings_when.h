/* SPDX-License-Identifier: Apache-2.0 */
/* When a program has its losses: in all of its run, or in parts of it. */
#ifndef PROFILE_FINDINGS_WHEN_H
#define PROFILE_FINDINGS_WHEN_H

#include <plumb/findings.h>

/* What one interval has of a loss. */
struct when_part {
	double from, to; /* seconds since the program began */
	double weight;   /* of the interval, in cycles or seconds */
	double share;    /* percent of its slots; NaN: unknown */
};

/*
 * Divides the intervals into those with much of a loss and the rest, so that the shares differ most
 * between the two and least within each. If that makes a difference worth telling, sets the ranges
 * with much; otherwise the loss is there throughout. Parts are ordered by time. Returns 0 or
 * NO_MEMORY.
 */
int when_divide(const struct when_part *parts, size_t count, struct plumb_finding_when *when);

/*
 * Sets when each loss of a diagnosis occurs, from intervals of the counts that it is of. Returns 0
 * or NO_MEMORY.
 */
int when_find(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
	      const struct plumb_finding_interval *intervals, size_t count,
	      struct plumb_finding_when when[PLUMB_LOSSES_MAX]);

#endif
