/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of several events that have the same values of the profile's keys. */
#ifndef PROFILE_JOINED_H
#define PROFILE_JOINED_H

#include "profile/profile.h"

struct joined {
	const struct plumb_profile *profile;
	uint32_t *rows; /* the first row with these values, in the order of their first use */
	size_t count, room;
	struct index_table index;
};

/*
 * Returns the number of the values of `row`: numbers are given in the order of the calls, from 0
 * on. Returns NO_ROW if out of memory.
 */
uint32_t joined_find(struct joined *joined, uint32_t row);
void joined_free(struct joined *joined);

#endif
