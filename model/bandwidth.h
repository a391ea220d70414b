/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that carries one line per given number of cycles, which may be a fraction. Requests come
 * in program order, not in order of time, so the path keeps a calendar: how many lines each stretch
 * of cycles already carries.
 */
#ifndef MODEL_BANDWIDTH_H
#define MODEL_BANDWIDTH_H

#include <stdint.h>

#define STRETCH_LOG2   5 /* cycles per stretch */
#define CALENDAR_SLOTS 1024

struct bandwidth {
	uint64_t stretch[CALENDAR_SLOTS]; /* the stretch in each slot, plus one */
	uint16_t left[CALENDAR_SLOTS];    /* lines that it still has room for */
	unsigned hundredths;              /* of a cycle per line */
	uint64_t lines;                   /* that it has carried */
};

static inline void bandwidth_set_up(struct bandwidth *path, unsigned each)
{
	path->hundredths = each ? each : 1;
}

/* Lines that end in a stretch, of those that follow one another without a gap. */
static inline uint16_t bandwidth_capacity(const struct bandwidth *path, uint64_t stretch)
{
	uint64_t begin = 100 * (stretch << STRETCH_LOG2);
	uint64_t end = begin + (100 << STRETCH_LOG2);

	return (uint16_t)(end / path->hundredths - begin / path->hundredths);
}

/* Reserves the first cycle from `cycle` on that can carry another line, and returns it. */
static inline uint64_t bandwidth_take(struct bandwidth *path, uint64_t cycle)
{
	uint64_t stretch = cycle >> STRETCH_LOG2;

	path->lines++;
	for (;; stretch++) {
		unsigned slot = stretch & (CALENDAR_SLOTS - 1);

		if (path->stretch[slot] != stretch + 1) {
			if (path->stretch[slot] > stretch + 1)
				return cycle; /* too old: no longer in the calendar */
			path->stretch[slot] = stretch + 1;
			path->left[slot] = bandwidth_capacity(path, stretch);
		}
		if (path->left[slot]) {
			uint64_t begin = stretch << STRETCH_LOG2;

			path->left[slot]--;
			return begin > cycle ? begin : cycle;
		}
	}
}

#endif
