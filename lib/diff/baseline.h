/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines: what a later run is compared with, as a small text file for version control. Keys are
 * sorted, one value stands on each line, and there are no times, paths or versions. So equal
 * results make equal files, and a change of one value is a change of one line.
 */
#ifndef DIFF_BASELINE_H
#define DIFF_BASELINE_H

#include <stdio.h>

#include "diff/side.h"

/* Functions with less of the whole are left out. */
#define BASELINE_LEAST 0.001

/* Rounds a value as baselines do: whole numbers stay as they are. */
double baseline_round(double value);

/*
 * Writes a finished side: its metrics and events, and its functions by what they are ranked by.
 * Returns 0, IO or NO_MEMORY.
 */
int baseline_write(const struct diff_side *side, FILE *out);

#endif
