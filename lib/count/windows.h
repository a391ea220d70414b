/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates from the windows of a sampled run; doc/statistics.md has the formulas. */
#ifndef COUNT_WINDOWS_H
#define COUNT_WINDOWS_H

#include <plumb/count.h>

/* With fewer windows, nothing is said about errors. */
#define WINDOWS_LEAST 5

/*
 * Returns half the width of the 95 % interval of a sum, of which `residuals` say how far each of
 * the windows is from its estimate: in units of the sum per window. NaN if there are too few.
 */
double windows_half_width(const double *residuals, size_t count, double fraction);

/*
 * The part of an estimated count by which it may be off for other reasons than the choice of the
 * windows, because caches and predictors are warmed in program order. Measured: up to 0.3 % of the
 * cycles. It widens each interval, as an independent error.
 */
#define WINDOWS_ALLOWANCE 0.0025

/*
 * How many times its count an event in too few windows may be off. It was up to 50. If that is at
 * most this part of a metric, the metric still has an interval, which is so much wider. An event
 * that was never seen counts as one for that.
 */
#define WINDOWS_RARE_TIMES 50
#define WINDOWS_RARE_PART  0.01

/* What happens in fewer windows, by Kish's effective number, is too rare for an interval. */
#define WINDOWS_FREQUENT 30

/* Returns in how many of `count` windows, `stride` apart, equal parts of the events would be. */
double windows_effective(const double *counts, size_t count, size_t stride);

/* Returns the 97.5 % quantile of Student's t distribution with at least 3 degrees of freedom. */
double windows_quantile(double degrees);

/* Sets the counts that are estimated from the windows, in the plan's layout. */
void windows_estimate(const struct plumb_windows *windows, struct plumb_count *counts);

/* Returns half the interval of the cycles, relative to them; NaN if there are too few windows. */
double windows_error(const struct plumb_windows *windows);

#endif
