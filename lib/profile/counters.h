/* SPDX-License-Identifier: Apache-2.0 */
/* Top-down shares of rows from sampled groups of counters. */
#ifndef PROFILE_COUNTERS_H
#define PROFILE_COUNTERS_H

#include "profile/first_level.h"
#include "profile/profile.h"

#define COUNTERS_SHARES (1 + FIRST_LEVEL_METRICS) /* that of all cycles, and the metrics */

struct counters {
	struct first_level level;
	size_t events[FIRST_LEVEL_EVENTS]; /* that count what the formulas take */
	/* That of STALL_SLOT was not counted: it is the sum of these two others. */
	bool adds_up;
	size_t sum, parts[2];
	double all_cycles, cycles_of_batch[PROFILE_BATCHES];
	double cycles_of_kind[WINDOW_KINDS]; /* of whole windows */
};

/*
 * Lists the types of cores whose groups of counters were sampled, by the MIDR of a core of each:
 * `midr` of the profile's options alone, if that is set. Returns how many, at most `max`.
 */
size_t counters_cores(const struct plumb_profile *profile, uint32_t *midrs, size_t max);
/* Returns the specification of the cores whose PMU counted an event; NULL: unknown. */
const struct plumb_spec *counters_core_of(const struct plumb_profile *profile, size_t event);
/*
 * Finds the counters of a type of cores. Returns 0, NO_MEMORY, or NOT_FOUND if the core is unknown
 * or not all events were counted. Close it in any case.
 */
int counters_open(struct counters *counters, const struct plumb_profile *profile, uint32_t midr);
void counters_close(struct counters *counters);
/* Returns which count of the formulas the profile's event is, or FIRST_LEVEL_EVENTS. */
size_t counters_find(const struct counters *counters, size_t event);
/* Estimates shares from the rows that have the counts; NO_ROW: it is 0. */
void counters_estimate(struct counters *counters, const struct plumb_profile *profile,
		       const uint32_t rows[FIRST_LEVEL_EVENTS],
		       struct plumb_profile_estimate shares[COUNTERS_SHARES]);

#endif
