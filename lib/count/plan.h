/* SPDX-License-Identifier: Apache-2.0 */
/* The private part of a plan: where the counts of each metric come from. */
#ifndef COUNT_PLAN_H
#define COUNT_PLAN_H

#include <plumb/count.h>

#include "base/arena.h"
#include "count/pack.h"
#include "spec/formula.h"

/* One event of a formula. */
struct plan_operand {
	uint16_t event; /* index into plumb_spec.events */
	uint16_t code;
	uint16_t of_events; /* index into plumb_plan.events, or PLUMB_NONE if not counted */
	size_t place;       /* place in the metric's home */
};

struct plan_metric {
	struct formula *formula;
	struct plan_operand *operands;
	uint16_t operand_count;
	uint16_t home; /* the group that has all operands, or PLUMB_NONE */
};

struct plan {
	struct plumb_plan given; /* must be first: callers hold a pointer to it */
	struct arena arena;
	struct plan_metric *metrics; /* one for each selected metric */
	/* Of each code, the index of its event, as plumb_plan_event() gives it. */
	uint16_t *of_codes;
	/* Of each event, the index of the one that is counted for it: an earlier one, or itself. */
	uint16_t *counted_as;
	/* What was packed: events that must be together, and in which group they are. */
	struct pack_item *items;
	size_t item_count;
};

static inline const struct plan *plan_of(const struct plumb_plan *plan)
{
	return (const struct plan *)(const void *)plan;
}

/* The group whose events include all of the selection's `metric`-th metric, or PLUMB_NONE. */
static inline uint16_t plan_home(const struct plumb_plan *plan, size_t metric)
{
	return plan_of(plan)->metrics[metric].home;
}

#endif
