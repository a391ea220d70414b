/* SPDX-License-Identifier: Apache-2.0 */
/* Top-down shares of rows on their way. */
#ifndef PROFILE_TOPDOWN_H
#define PROFILE_TOPDOWN_H

#include "profile/first_level.h"
#include "profile/joined.h"

#define TOPDOWN_CORES 8 /* types of cores; events of further ones are left out */

/* A row on its way: its values are those of the row that it was found at first. */
struct topdown_row {
	struct plumb_profile_topdown public;
	uint32_t row;
	uint64_t slots[SLOTS_BACKEND + 1];
	uint64_t most, next;                  /* those of the two largest causes */
	uint32_t counted[FIRST_LEVEL_EVENTS]; /* the rows of sampled counters; NO_ROW: none */
	/* The slots of each kind by group of windows, as groups_add() makes them; NULL: none. */
	double *groups[SLOTS_BACKEND + 1];
};

/* The rows of one type of cores. */
struct topdown_part {
	const struct plumb_profile *profile;
	const struct plumb_spec *core; /* NULL: all events are of one type of cores */
	struct topdown_row *at;
	size_t count;
	uint64_t total; /* slots of all rows, without those that they called */
	double *groups; /* the same by group of windows; NULL: none */
	struct joined joined;
};

struct topdown {
	struct topdown_part parts[TOPDOWN_CORES];
	size_t count;
};

/* Adds slots that an event of an exact recording counts. */
void topdown_add(struct topdown_row *row, const struct plumb_profile_event *event, uint64_t count);
/* Sets the shares from the slots that were added, of `total` slots. */
void topdown_set_shares(struct topdown_row *row, uint64_t total);
/*
 * Gives a row's shares their intervals, from the groups of windows, of which `total` are of all
 * slots. Returns false if out of memory.
 */
bool topdown_set_intervals(const struct plumb_profile *profile, const double *total,
			   struct topdown_row *row);

#endif
