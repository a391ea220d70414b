/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan holds besides what is public: where the counts of each metric come from. */
#ifndef COUNT_PLAN_H
#define COUNT_PLAN_H

#include <plumb/count.h>
#include <plumb/formula.h>

#include "base/arena.h"

/* One event of a formula. */
struct plan_operand {
	uint16_t event; /* into plumb_spec.events */
	uint16_t code;
	uint16_t of_codes; /* into plumb_plan.codes; PLUMB_NONE: it is not counted */
	size_t place;      /* in the metric's home */
};

struct plan_metric {
	struct plumb_formula *formula;
	struct plan_operand *operands;
	uint16_t operand_count;
	uint16_t home; /* the group that has all of them; PLUMB_NONE: none has */
};

struct plan {
	struct plumb_plan given; /* first: what the caller has points to it */
	struct arena arena;
	struct plan_metric *metrics; /* of each selected one */
};

static inline const struct plan *plan_of(const struct plumb_plan *plan)
{
	return (const struct plan *)(const void *)plan;
}

#endif
