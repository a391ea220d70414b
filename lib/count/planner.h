/* SPDX-License-Identifier: Apache-2.0 */
/* What plan.c and requested.c share: a plan being made. */
#ifndef COUNT_PLANNER_H
#define COUNT_PLANNER_H

#include "count/plan.h"

/* A requested group, or an event that is not packed: one with modifiers, or a software event. */
struct requested {
	uint16_t first, count; /* of the selection's events */
};

struct planner {
	struct plan *plan;
	struct plumb_plan_options options;
	size_t item_room;      /* for the plan's items */
	uint16_t *of_selected; /* of each selected event, its index in the plan, or PLUMB_NONE */
	struct requested *requested;
	size_t requested_count;
	struct plumb_plan_group *groups; /* the plan's, with room for those requested */
	bool failed;                     /* out of memory */
};

/* Tells whether a selected event is in a requested group of several events. */
bool plan_in_group(const struct plumb_selection *selection, uint16_t event);

/* Tells whether a selected event repeats an earlier one, whose count it shares. */
bool plan_repeats(const struct planner *p, uint16_t event);

/* Tells whether a selected event may be counted together with any packed events. */
bool plan_is_packed(const struct plumb_selection *selection, uint16_t event);

/*
 * Finds the groups that were requested; weak ones that are too large become single events. Returns
 * 0, LIMIT with a finding, or NO_MEMORY.
 */
int requested_find(struct planner *p, struct plumb_diagnostics *diagnostics);

/* Adds the requested groups to the plan, in the passes where they fit. Returns 0 or NO_MEMORY. */
int requested_plan(struct planner *p);

#endif
