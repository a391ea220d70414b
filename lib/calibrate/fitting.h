/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a fit: what fit.c measures, and derived.c computes other figures from. */
#ifndef CALIBRATE_FITTING_H
#define CALIBRATE_FITTING_H

#include "calibrate/figures.h"
#include "calibrate/fit.h"

/* A limit is known only if it is this share of others, at most. */
#define FIT_DISTINCT 0.95

struct search {
	enum figure_id id;
	struct trial least, most;
	uint32_t from;          /* the size of `least` */
	uint32_t fits, exceeds; /* sizes: the largest that does, the smallest that does */
	double threshold;
	bool active, found;
	uint32_t fits_again; /* the largest that fits although a smaller one does not; or 0 */
};

struct fit {
	struct bench *bench;
	const struct core_params *base;
	struct calibrated *results;
	struct plumb_diagnostics *diagnostics;
	bool needed[FIGURE_COUNT];
	double cycles[FIGURE_COUNT]; /* of latencies, not rounded */
	struct search searches[FIGURE_COUNT];
};

/* Leaves a figure out, and says why. */
void fit_why_not(struct fit *fit, enum figure_id id, const char *format, ...) PLUMB_PRINTF(3, 4);
/* Sets a figure that lies between `low` and `high`, unless that is too wide. */
void fit_set_known(struct fit *fit, enum figure_id id, double value, double low, double high);
/* Measures trials. Returns 0 or an error, with a finding. */
int fit_measure(struct fit *fit, struct trial *trials, size_t count);
/* Returns the cycles of a size that fits. */
double fit_cycles_within(const struct search *search);

/* Measures and sets the figures that are computed from others. Returns 0 or an error. */
int fit_derived(struct fit *fit);

#endif
