/* SPDX-License-Identifier: Apache-2.0 */
/* What an exact profile of a sampled run says, with intervals: its counts are of windows. */
#ifndef DIFF_WINDOWS_H
#define DIFF_WINDOWS_H

#include "profile/joined.h"
#include "stat/noise.h"

/* The counts of a profile, and the slots of each row, which several events count. */
struct diff_windows {
	const struct plumb_profile *profile;
	double *sizes; /* of the groups of windows: their instructions; NULL: unknown */
	struct joined joined;
	double **slots; /* by row, as numbered by `joined`, and by group */
	bool *taken;    /* the row's slots were asked for */
};

/* Returns false if out of memory; call diff_windows_end() in any case. */
bool diff_windows_begin(struct diff_windows *windows, const struct plumb_profile *profile);
void diff_windows_end(struct diff_windows *windows);

/* Returns the count of the i-th row of an event. NaN ends: too few windows have some of it. */
struct interval diff_windows_count(const struct diff_windows *windows, size_t event, size_t i);
/*
 * Likewise sets the row's slots, which all events that count slots have together. Returns false if
 * they were asked for before, with a row of another event.
 */
bool diff_windows_slots(struct diff_windows *windows, size_t event, size_t i,
			struct interval *slots);

#endif
