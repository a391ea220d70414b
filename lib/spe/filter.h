/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a record with a filter. */
#ifndef SPE_FILTER_H
#define SPE_FILTER_H

#include <plumb/spe_filter.h>

/* Where and when a record was made, which the record itself does not tell. */
struct spe_origin {
	int32_t pid, tid, cpu; /* -1: unknown */
	bool has_time;
	uint64_t time; /* ns */
};

/* Returns true if the record matches. `origin` may be NULL if nothing is known. */
bool spe_filter_matches(const struct plumb_spe_filter *filter,
			const struct plumb_spe_record *record, const struct spe_origin *origin);

#endif
