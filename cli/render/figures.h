/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as people read them. Each is to be freed. */
#ifndef RENDER_FIGURES_H
#define RENDER_FIGURES_H

#include <plumb/count.h>

#include "render/pen.h"

/* "1,234,567"; the pen's sign of what is missing for NaN. */
char *figure_count(const struct pen *pen, double count);

/* A percentage with one figure behind its point, all else with about four in all. */
char *figure_value(const struct pen *pen, double value, const char *units);

/* "78.1..79.6": from the least to the greatest. */
char *figure_range(const struct pen *pen, const struct plumb_value *value, const char *units);

/* "1.25 s", "12.3 ms". */
char *figure_duration(double seconds);

#endif
