/* SPDX-License-Identifier: Apache-2.0 */
/* Formats figures for people. Free each text. */
#ifndef RENDER_FIGURES_H
#define RENDER_FIGURES_H

#include <plumb/count.h>

#include "render/pen.h"

/* Formats a count as "1,234,567", and NaN as the pen's sign for a missing value. */
char *figure_count(const struct pen *pen, double count);

/* Rounds a number that is not negative to two digits: 1,234 becomes 1,200. */
double figure_rounded(double number);

/* Formats a percentage with one decimal place, other values with about four digits. */
char *figure_value(const struct pen *pen, double value, const char *units);

/* Formats a percentage with two digits, "0.61" or "31", or from 99.5 on as a whole number. */
char *figure_percentage(double percent);

/* Tells whether the value would be shown as zero, or is NaN. */
bool figure_is_zero(double value, const char *units);

/* Formats the lowest and the highest value as "78.1..79.6". */
char *figure_range(const struct pen *pen, const struct plumb_value *value, const char *units);

/* Formats a time as "1.25 s", "12.3 ms" or, above two minutes, "14 hours". */
char *figure_duration(double seconds);

/*
 * Formats progress as "6 s: 92 million instructions, 15.3 million per second", or as "6 s" if the
 * number of instructions is unknown or so small that it would be shown as zero.
 */
char *figure_work(double seconds, double instructions);

/*
 * Likewise if it ends after `most` instructions:
 * "6 s of about 33 s; 15.3 million instructions per second".
 */
char *figure_work_of(double seconds, double instructions, double most);

#endif
