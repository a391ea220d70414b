/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the phases of a program: intervals that execute mostly the same code. doc/statistics.md
 * says how.
 */
#ifndef COUNT_PHASES_H
#define COUNT_PHASES_H

#include <stdbool.h>
#include <stddef.h>

#define PHASES_MAX 26
#define PHASE_NONE (-1)

/*
 * Groups `count` intervals, each of which has `size` values that say how much of its code is what;
 * the values are scaled in place, so that those of an interval add up to 1. Sets the phase of each
 * interval: a number by first appearance, or PHASE_NONE if it is alone, has no values, or is a
 * mixture of the phases before and after it. Sets `*phases` to their number. Returns false if out
 * of memory. Deterministic.
 */
bool phases_find(double *values, size_t count, size_t size, int *phase, unsigned *phases);

#endif
