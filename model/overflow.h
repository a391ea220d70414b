/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the core's PMU that overflow: a sample each time a count reaches the next multiple
 * of its period, without skid. doc/model.md says to which instruction it goes.
 */
#ifndef MODEL_OVERFLOW_H
#define MODEL_OVERFLOW_H

#include "core.h"

#define OVERFLOW_COUNTERS 32
#define OVERFLOW_RECENT   512 /* as many operations as the core remembers */

struct overflow_counter {
	enum model_event event;
	uint64_t period;    /* to begin with, 0: it does not overflow, and is only read */
	unsigned frequency; /* Hz; the period follows it. 0: it stays */

	/* The rest is the core's. */
	uint64_t next; /* count at which it overflows */
	uint64_t last; /* time of the last sample, ns */
	uint32_t parts;
	uint8_t a_cycle; /* of events that count cycles, or slots: how many there are in one */
};

struct overflow_sample {
	unsigned counter;
	uint64_t period; /* that ended with it */
	uint64_t pc;
	uint64_t cycle;
	uint64_t address, physical; /* of its memory access */
	bool has_address;
};

struct overflow {
	struct overflow_counter counters[OVERFLOW_COUNTERS];
	unsigned count;
	/* A counter has overflowed; core_counts() holds for that moment. */
	void (*overflowed)(void *user, const struct overflow_sample *sample);
	void *user;

	/* The rest is the core's; zero at the beginning. */
	bool ready;
	uint32_t parts;
	uint64_t since;    /* cycle before the operation at hand */
	uint64_t sequence; /* and its number */
	uint64_t last_pc;
	uint64_t pcs[OVERFLOW_RECENT]; /* by sequence */
};

/* What watch.c calls: the operation at `pc` has executed, and made accesses or none. */
void overflow_check(struct overflow *overflow, struct core *core, uint64_t pc, bool accessed);

#endif
