/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a profile's rows, only as far as they are needed: large reports have many rows. */
#ifndef PROFILE_ROW_PARTS_H
#define PROFILE_ROW_PARTS_H

#include <plumb/profile.h>

enum {
	ROW_LATENCY = 1 << 0,
	ROW_L1D_MISSES = 1 << 1,
	ROW_MISPREDICTIONS = 1 << 2,
	ROW_ALL = (1 << 3) - 1
};

/* Does plumb_profile_row(), but of the members above only estimates `parts`; the others are NaN. */
bool profile_row_parts(const struct plumb_profile *profile, size_t event, size_t i, unsigned parts,
		       struct plumb_profile_row *row);

#endif
