/* SPDX-License-Identifier: Apache-2.0 */
/* Measures figures of a core, and says which of them are known, and how well. */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include "calibrate/figures.h"

struct calibrated {
	bool asked;
	bool known;
	uint32_t value, low, high; /* if known; low to high is the 95 % interval */
	char why[80];              /* why it is not known; "": it was not reached */
};

/*
 * Measures the figures that are `asked`, and those that they need. Sets the others of their
 * members. Returns 0, or an error of the bench; what was known before it stays.
 */
int calibrate_fit(struct bench *bench, const struct core_params *base,
		  struct calibrated results[FIGURE_COUNT], struct plumb_diagnostics *diagnostics);

#endif
