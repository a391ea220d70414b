/* SPDX-License-Identifier: Apache-2.0 */
/* The model's counts in the layout of a plan. */
#ifndef SOURCE_MODEL_PLACES_H
#define SOURCE_MODEL_PLACES_H

#include <plumb/count.h>

#include "source/model/counts.h"

struct model_places {
	const struct plumb_plan *plan;
	size_t *indexes;              /* for each place of the plan, into the model's counts */
	struct plumb_count *interval; /* room for one */
	struct model_counts before;   /* when the last interval ended */
};

/* Returns 0 or NO_MEMORY. Clean up in either case. */
int model_places_make(struct model_places *places, const struct plumb_plan *plan);
void model_places_clean_up(struct model_places *places);

/* Computes the counts from `from` (NULL: the beginning) to `to`; `out` has room for the plan's. */
void model_places_lay_out(const struct model_places *places, const struct model_counts *from,
			  const struct model_counts *to, struct plumb_count *out);

/*
 * Ends an interval. `counts` are those since the beginning. Returns those of the interval, which
 * are valid until the next call.
 */
const struct plumb_count *model_places_interval(struct model_places *places,
						const struct model_counts *counts);

#endif
