/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose every operation is known, for the sampler to sample. */
#ifndef TEST_POPULATIONS_H
#define TEST_POPULATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { OTHER, LOAD, STORE, BRANCH };

struct operation {
	uint32_t cycle;   /* at which it is dispatched */
	uint32_t latency; /* cycles, as large as they come: the sampler's counters saturate */
	uint8_t kind;
	bool miss; /* of a load: it missed the cache */
};

struct population {
	const char *name;
	/* Makes operation `i` of `count`; its cycle is worked out from what came before. */
	void (*make)(struct operation *operation, uint64_t i, uint64_t count);
	bool phased; /* what a filter took out was not spread evenly */
	/* The estimator is known to be off here, as doc/statistics.md says: shown, not held to it.
	 */
	bool shown_only;
};

extern const struct population populations[]; /* ended by one without a name */

#endif
