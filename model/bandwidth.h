/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that carries one line per given number of cycles. Requests come in program order, not in
 * order of time, so the path keeps a calendar: how many lines each stretch of cycles already
 * carries.
 */
#ifndef MODEL_BANDWIDTH_H
#define MODEL_BANDWIDTH_H

#include <stdint.h>

#define STRETCH_LOG2   5 /* cycles per stretch */
#define CALENDAR_SLOTS 1024

struct bandwidth {
	uint64_t stretch[CALENDAR_SLOTS]; /* the stretch in each slot, plus one */
	uint16_t used[CALENDAR_SLOTS];
	uint16_t capacity; /* lines per stretch */
};

static inline void bandwidth_set_up(struct bandwidth *path, unsigned cycles_per_line)
{
	unsigned cycles = cycles_per_line ? cycles_per_line : 1;

	path->capacity = (uint16_t)((1u << STRETCH_LOG2) / cycles);
	if (!path->capacity)
		path->capacity = 1;
}

/* Reserves the first cycle from `cycle` on that can carry another line, and returns it. */
static inline uint64_t bandwidth_take(struct bandwidth *path, uint64_t cycle)
{
	uint64_t stretch = cycle >> STRETCH_LOG2;

	for (;; stretch++) {
		unsigned slot = stretch & (CALENDAR_SLOTS - 1);

		if (path->stretch[slot] != stretch + 1) {
			if (path->stretch[slot] > stretch + 1)
				return cycle; /* too old: no longer in the calendar */
			path->stretch[slot] = stretch + 1;
			path->used[slot] = 0;
		}
		if (path->used[slot] < path->capacity) {
			uint64_t begin = stretch << STRETCH_LOG2;

			path->used[slot]++;
			return begin > cycle ? begin : cycle;
		}
	}
}

#endif
