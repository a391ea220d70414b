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

/* Adds the steps from the lane's last sample to this one, for the rows that they belong to. */
static inline void step_own(struct plumb_profile *profile, const struct lane *lane, uint32_t row,
			    double period)
{
	const struct pair last = {lane->period, lane->period}, gone = {0, lane->period},
			  absent = {0, period}, now = {period, period};
	struct row *rows = profile->rows;

	if (lane->row == row) {
		step_sums(&rows[row].own, last, now);
		return;
	}
	step_sums(&rows[row].own, gone, now);
	step_sums(&rows[lane->row].own, last, absent);
}

/* Adds an SPE record's values to its row, beside those of the lane's last record. */
static inline void add_record(struct plumb_profile *profile, struct lane *lane, uint32_t row,
			      const struct record_values *values)
{
	struct record_sums *sums = &profile->records[row];

	add_record_values(sums, values);
	if (!lane->open)
		add_end(&sums->less, values);
	else if (lane->row == row)
		add_together(&sums->less, &lane->values, values);
	lane->open = true;
	lane->values = *values;
}

#endif
