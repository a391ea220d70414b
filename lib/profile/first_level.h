/* SPDX-License-Identifier: Apache-2.0 */
/* A core's formulas of the first level of top-down. */
#ifndef PROFILE_FIRST_LEVEL_H
#define PROFILE_FIRST_LEVEL_H

#include <plumb/spec.h>

#define FIRST_LEVEL_METRICS 4 /* in the order of struct plumb_profile_topdown */
#define FIRST_LEVEL_EVENTS  16

struct formula;

struct first_level {
	const struct plumb_spec *spec;
	struct formula *formulas[FIRST_LEVEL_METRICS];
	/* The events that they take, and CPU_CYCLES: indexes into those of the specification. */
	uint16_t events[FIRST_LEVEL_EVENTS];
	size_t event_count, cycles; /* `cycles`: which of them is CPU_CYCLES */
	double *counts;             /* by event of the specification, for formulas */
};

/*
 * Returns 0, NO_MEMORY, or NOT_FOUND if the core is unknown or has no such formulas. Close it in
 * any case.
 */
int first_level_open(struct first_level *level, uint32_t midr);
void first_level_close(struct first_level *level);
/* Computes the metrics as shares, from the counts of .events. NaN: unknown. */
void first_level_evaluate(struct first_level *level, const double counts[FIRST_LEVEL_EVENTS],
			  double shares[FIRST_LEVEL_METRICS]);
/* Returns the name of a metric: "backend_bound". */
const char *first_level_name(size_t metric);

#endif
