/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as people read them. Each text is to be freed. */
#ifndef RENDER_FIGURES_H
#define RENDER_FIGURES_H

#include <plumb/count.h>

#include "render/pen.h"

/* "1,234,567"; the pen's sign of what is missing for NaN. */
char *figure_count(const struct pen *pen, double count);

/* The number of two digits and zeros that is nearest: 1,234 is 1,200. Not for negative ones. */
double figure_rounded(double number);

/* A percentage with one figure behind its point, all else with about four in all. */
char *figure_value(const struct pen *pen, double value, const char *units);

/* Whether nothing but zeros would be shown of it, or it is NaN. */
bool figure_is_zero(double value, const char *units);

/* "78.1..79.6": from the least to the greatest. */
char *figure_range(const struct pen *pen, const struct plumb_value *value, const char *units);

/* "1.25 s", "12.3 ms". */
char *figure_duration(double seconds);

#endif
