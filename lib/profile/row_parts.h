/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a profile's rows, only as far as they are needed: large reports have many rows. */
#ifndef PROFILE_ROW_PARTS_H
#define PROFILE_ROW_PARTS_H

#include <plumb/profile.h>
#include <stdbool.h>

enum {
	ROW_LATENCY = 1 << 0,
	ROW_L1D_MISSES = 1 << 1,
	ROW_MISPREDICTIONS = 1 << 2,
	ROW_ALL = (1 << 3) - 1
};

/* The last share of an event that was estimated, and the sums that it is of. */
struct row_share {
	bool known;
	double above[3], steps_above, steps_both;
	struct plumb_profile_estimate share;
};

/* Does plumb_profile_row(), but of the members above only estimates `parts`; the others are NaN.
 * `last` is zero at first; of rows with the same sums, the share is estimated once. */
bool profile_row_parts(const struct plumb_profile *profile, size_t event, size_t i, unsigned parts,
		       struct row_share *last, struct plumb_profile_row *row);

#endif
