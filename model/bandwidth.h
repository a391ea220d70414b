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

/* A stretch plus one, and in the low bits the lines that it still has room for. */
#define LEFT_BITS 16
#define LEFT_MASK ((1u << LEFT_BITS) - 1)

struct bandwidth {
	uint64_t slots[CALENDAR_SLOTS]; /* by stretch */
	unsigned hundredths;            /* of a cycle per line */
	unsigned whole, part;           /* lines in a stretch, and hundredths beyond them */
	uint64_t inverse, inverse_most; /* 2^64 / hundredths; numbers up to which it divides */
	uint64_t lines;                 /* that it has carried */
};

static inline void bandwidth_set_up(struct bandwidth *path, unsigned each)
{
	path->hundredths = each ? each : 1;
	path->whole = (100u << STRETCH_LOG2) / path->hundredths;
	path->part = (100u << STRETCH_LOG2) % path->hundredths;
	path->inverse = path->hundredths > 1 ? UINT64_MAX / path->hundredths + 1 : 0;
	path->inverse_most = UINT64_MAX / path->hundredths;
}

/* Returns the rest of a division by .hundredths, which is more than 1. */
static inline uint64_t bandwidth_rest(const struct bandwidth *path, uint64_t number)
{
	if (__builtin_expect(number > path->inverse_most, 0))
		return number % path->hundredths;
	return number -
	       (uint64_t)((unsigned __int128)number * path->inverse >> 64) * path->hundredths;
}

/* Lines that end in a stretch, of those that follow one another without a gap. */
static inline unsigned bandwidth_capacity(const struct bandwidth *path, uint64_t stretch)
{
	if (!path->part)
		return path->whole;
	return path->whole + (bandwidth_rest(path, 100 * (stretch << STRETCH_LOG2)) + path->part >=
			      path->hundredths);
}

/* Reserves the first cycle from `cycle` on that can carry another line, and returns it. */
static inline uint64_t bandwidth_take(struct bandwidth *path, uint64_t cycle)
{
	uint64_t stretch = cycle >> STRETCH_LOG2;

	path->lines++;
	for (;; stretch++) {
		uint64_t *slot = &path->slots[stretch & (CALENDAR_SLOTS - 1)];

		if (*slot >> LEFT_BITS != stretch + 1) {
			if (*slot >> LEFT_BITS > stretch + 1)
				return cycle; /* too old: no longer in the calendar */
			*slot = (stretch + 1) << LEFT_BITS | bandwidth_capacity(path, stretch);
		}
		if (*slot & LEFT_MASK) {
			uint64_t begin = stretch << STRETCH_LOG2;

			--*slot;
			return begin > cycle ? begin : cycle;
		}
	}
}

#endif
