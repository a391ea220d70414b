/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that a sample changes, inlined because every sample changes them. */
#ifndef PROFILE_SUMS_H
#define PROFILE_SUMS_H

#include "profile/profile.h"

static inline void step_sums(struct sums *sums, struct pair from, struct pair to)
{
	double above = to.above - from.above;

	sums->steps_above += above * above;
	sums->steps_both += above * (to.below - from.below);
}

static inline void add_sums(struct sums *sums, uint64_t period)
{
	const double value = (double)period;

	sums->samples++;
	sums->period = add_saturating(sums->period, period);
	sums->above[0] += value;
	sums->above[1] += value * value;
	sums->above[2] += value * value * value;
}

static inline void step_mean(struct mean_sums *sums, struct pair from, struct pair to)
{
	double above = to.above - from.above, below = to.below - from.below;

	sums->steps_above += above * above;
	sums->steps_both += above * below;
	sums->steps_below += below * below;
}

static inline void add_mean(struct mean_sums *sums, struct pair value)
{
	if (value.below == 0)
		return;
	sums->members++;
	sums->above[0] += value.above;
	sums->above[1] += value.above * value.above;
	sums->above[2] += value.above * value.above * value.above;
}

/* Adds the steps from the lane's last sample to this one, for the rows that they belong to. */
static inline void step_own(struct plumb_profile *profile, const struct lane *lane, uint32_t row,
			    double period, const struct pair *means)
{
	const struct pair none = {0, 0}, last = {lane->period, lane->period},
			  gone = {0, lane->period}, absent = {0, period}, now = {period, period};
	struct row *rows = profile->rows;

	if (lane->row == row) {
		step_sums(&rows[row].own, last, now);
		for (size_t m = 0; m < MEANS; m++)
			step_mean(&rows[row].means[m], lane->means[m], means[m]);
		return;
	}
	step_sums(&rows[row].own, gone, now);
	step_sums(&rows[lane->row].own, last, absent);
	for (size_t m = 0; m < MEANS; m++) {
		step_mean(&rows[row].means[m], none, means[m]);
		step_mean(&rows[lane->row].means[m], lane->means[m], none);
	}
}

/* Tells whether a record says that its operation did not retire. */
static inline bool is_not_retired(const struct plumb_spe_record *spe)
{
	return spe->has & PLUMB_SPE_HAS_EVENTS &&
	       !(spe->events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED));
}

static inline void read_means(const struct plumb_spe_record *spe, struct pair means[MEANS])
{
	const uint64_t events = spe->has & PLUMB_SPE_HAS_EVENTS ? spe->events : 0;
	const uint64_t missed = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL);
	const uint64_t accessed = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_ACCESS) | missed;

	if (spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY)
		means[MEAN_LATENCY] = (struct pair){spe->counters[PLUMB_SPE_TOTAL_LATENCY], 1};
	if (events & accessed)
		means[MEAN_L1D_MISSES] = (struct pair){(events & missed) != 0, 1};
	/* A branch of a wrong path was not predicted wrongly: it was not to be there. */
	if (spe->has & PLUMB_SPE_HAS_OPERATION && spe->op_class == PLUMB_SPE_BRANCH &&
	    events >> PLUMB_SPE_EV_RETIRED & 1)
		means[MEAN_MISPREDICTIONS] =
			(struct pair){events >> PLUMB_SPE_EV_MISPREDICTED & 1, 1};
}

#endif
