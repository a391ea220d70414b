/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which element of one specification is which of another: those of the same name, case included;
 * of several of one name the first is the first, the second the second.
 */
#ifndef SPEC_PAIRING_H
#define SPEC_PAIRING_H

#include <plumb/spec.h>

/* The elements of one kind on one side. */
struct side {
	const char **names; /* the names themselves belong to the specification */
	uint16_t *pair;     /* index on the other side; PLUMB_NONE: it has none */
	uint16_t count;
};

struct pairing {
	struct side a, b;
};

/*
 * Makes a pairing of elements whose structures, `size` bytes each, begin with their names. False
 * if memory is short; either way it takes a pairing_close(), and may start out zeroed alone.
 */
bool pairing_by_name(struct pairing *pairing, const void *a, uint16_t a_count, const void *b,
		     uint16_t b_count, size_t size);

/* The same in steps: makes room for the names of each side, to be set, then pairs them. */
bool pairing_open(struct side *side, uint16_t count);
bool pairing_match(struct pairing *pairing);

void pairing_close(struct pairing *pairing);

/* Whether index `a` of one side means what index `b` of the other does: as much or as little. */
bool pairing_has(const struct pairing *pairing, uint16_t a, uint16_t b);

/* Whether both sides hold the same names at the same places. */
bool pairing_is_aligned(const struct pairing *pairing);

#endif
