/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that cannot be: roots of the tree that do not add up, and shares below 0 or above 100 %.
 * The counts of one moment always agree. What was counted at different moments, for different
 * times or on another CPU need not.
 */
#ifndef PROFILE_CONTRADICTIONS_H
#define PROFILE_CONTRADICTIONS_H

#include <plumb/count.h>

#define CONTRADICTION_SUM  5.0 /* percentage points that the roots may be off */
#define CONTRADICTIONS_MAX 64

enum contradiction_cause {
	CONTRADICTION_TURNS,    /* groups of events took turns on the counters */
	CONTRADICTION_TIMES,    /* the events were not enabled for the same time */
	CONTRADICTION_APART,    /* the events were counted in several groups or runs */
	CONTRADICTION_TOGETHER, /* none of these: another CPU, shared slots, a hypervisor */
};

struct contradiction {
	uint16_t metric;  /* into plumb_spec.metrics; PLUMB_NONE: all roots of the tree */
	double value;     /* in percent */
	double low, high; /* what it can be */
	enum contradiction_cause cause; /* the likely one */
};

/*
 * Finds contradictions that rounding does not explain. Returns how many there are, the sum of the
 * roots first. For counts that are exact and complete there is nothing to find: do not ask.
 */
size_t contradictions_find(const struct plumb_result *result,
			   struct contradiction found[CONTRADICTIONS_MAX]);

#endif
