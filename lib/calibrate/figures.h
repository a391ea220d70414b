/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a core that microbenchmarks tell, and how: figures.def has one row for each.
 * fit.c measures them.
 */
#ifndef CALIBRATE_FIGURES_H
#define CALIBRATE_FIGURES_H

#include "calibrate/trial.h"
#include "params.h"

enum figure_id {
	FIGURE_NONE,
#define LATENCY(id, ...) FIGURE_##id,
#define SIZE(id, ...)    FIGURE_##id,
#define DERIVED(id, ...) FIGURE_##id,
#include "calibrate/figures.def"
#undef LATENCY
#undef SIZE
#undef DERIVED
	FIGURE_COUNT,
};

enum figure_method {
	METHOD_LATENCY, /* cycles of a chain, unless the same is as slow without one */
	METHOD_SIZE,    /* the largest size before an iteration takes longer */
	METHOD_DERIVED, /* computed from others and trials of its own */
};

#define FIGURE_NEEDS 4

struct figure {
	const char *name; /* of the parameter; "queue:CLASS" for the queue of a class */
	const char *what;
	enum figure_method method;
	struct trial trial;   /* its size is set by the fit */
	uint32_t least, most; /* sizes to search */
	/*
	 * An iteration counts as longer when it exceeds that of `least` by this share of itself;
	 * or, if negative, of what `most` takes more.
	 */
	double rise;
	int scale, offset; /* the figure is scale * size + offset */
	/* Of a size: those that may end it earlier. Of a derived one: what it is computed from. */
	enum figure_id needs[FIGURE_NEEDS];
};

extern const struct figure figures[FIGURE_COUNT];

/* The queues that the operations of a queue's figure fill together. */
struct figure_queues {
	unsigned own;         /* those with the figure's name; 0: it is no queue's figure */
	enum figure_id other; /* the figure of others, or FIGURE_NONE */
	unsigned other_count;
};

/* Returns the queues that a figure's operations fill on cores like `base`. */
struct figure_queues figure_queues(enum figure_id id, const struct core_params *base);

/* Writes the name of a figure's parameter for cores like `base`. */
void figure_name(enum figure_id id, const struct core_params *base, char *name, size_t size);

#endif
