/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what plumb calibrate measured: a table, or the core file. */
#ifndef RENDER_CALIBRATION_H
#define RENDER_CALIBRATION_H

#include "calibrate/calibrate.h"
#include "render/output.h"

/* Prints each figure that was asked for, with its interval, or why it is not known. */
void render_calibration(struct output *out, const struct calibration *calibration);

/* Prints what would be measured. */
void render_figures_measured(struct output *out, const struct calibration *calibration, bool json);

/*
 * Prints a core file of the figures that are known. `origin` says what was measured; `unknown` adds
 * a list of the figures that are not known, and why.
 */
void render_core_file(struct output *out, const struct calibration *calibration, const char *origin,
		      bool unknown);

#endif
