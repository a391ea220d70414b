/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the core's PMU that overflow: they take a sample each time a count reaches the next
 * multiple of its period, without skid. doc/model.md says which instruction gets the sample.
 */
#ifndef MODEL_OVERFLOW_H
#define MODEL_OVERFLOW_H

#include "core.h"

#define OVERFLOW_COUNTERS 32
#define OVERFLOW_RECENT   512 /* the number of operations the core remembers */

struct overflow_counter {
	enum model_event event;
	uint64_t period;    /* initial period; 0: the counter is only read */
	uint64_t later;     /* how much longer the first one is */
	unsigned frequency; /* in Hz, to adjust the period; 0: fixed period */

	/* The rest is private to the core. */
	uint64_t next; /* count of the next overflow */
	uint64_t last; /* time of the last sample, in ns */
	uint32_t parts;
	uint64_t paused; /* count when it was paused */
	uint8_t a_cycle; /* for events that count cycles or slots: the number per cycle */
};

struct overflow_sample {
	unsigned counter;
	uint64_t period; /* periods that ended with it */
	uint64_t pc;
	uint64_t sequence; /* of the operation at `pc` */
	uint64_t cycle;
	uint64_t address, physical; /* of its memory access */
	bool has_address;
};

struct overflow {
	struct overflow_counter counters[OVERFLOW_COUNTERS];
	unsigned count;
	/* Called when a counter overflows; core_counts() is valid for that moment. */
	void (*overflowed)(void *user, const struct overflow_sample *sample);
	void *user;

	/* The rest is private to the core; zero-initialize it. */
	bool ready;
	uint32_t parts;
	uint64_t since;    /* cycle before the current operation */
	uint64_t sequence; /* and its number */
	uint64_t last_pc;
	uint64_t paused;               /* cycle when it was paused */
	uint64_t pcs[OVERFLOW_RECENT]; /* by sequence */
};

/* Between blocks: what is counted from the one call to the other overflows nothing. */
void overflow_pause(struct overflow *overflow, struct core *core);
void overflow_resume(struct overflow *overflow, struct core *core, uint64_t pc);

/* Called by watch.c after the operation at `pc` has executed. */
void overflow_check(struct overflow *overflow, struct core *core, uint64_t pc, bool accessed);

#endif
