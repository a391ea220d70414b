/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of events that shared counters. */
#ifndef COUNT_SCALED_H
#define COUNT_SCALED_H

#include <math.h>
#include <stdint.h>

/*
 * Extrapolates what was counted in `running` of `enabled` nanoseconds to all of them. Returns `raw`
 * itself if they are the same, and NaN if the event never ran.
 */
static inline double count_scaled(uint64_t raw, uint64_t enabled, uint64_t running)
{
	if (running == 0)
		return enabled == 0 ? (double)raw : (double)NAN;
	if (running >= enabled)
		return (double)raw;
	return (double)raw * ((double)enabled / (double)running);
}

#endif
