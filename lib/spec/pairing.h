/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs the elements of two specifications by their exact names. If a name occurs several times,
 * the first is paired with the first, the second with the second, and so on.
 */
#ifndef SPEC_PAIRING_H
#define SPEC_PAIRING_H

#include <plumb/spec.h>

/* The elements of one kind on one side. */
struct side {
	const char **names; /* the strings belong to the specification */
	uint16_t *pair;     /* index on the other side, or PLUMB_NONE */
	uint16_t count;
};

struct pairing {
	struct side a, b;
};

/*
 * Pairs elements whose structures, of `size` bytes, begin with their names. `pairing` must be
 * zeroed. Returns false if out of memory. Call pairing_close() in any case.
 */
bool pairing_by_name(struct pairing *pairing, const void *a, uint16_t a_count, const void *b,
		     uint16_t b_count, size_t size);

/* The same in steps: open each side, set its names, then match. */
bool pairing_open(struct side *side, uint16_t count);
bool pairing_match(struct pairing *pairing);

void pairing_close(struct pairing *pairing);

/* Whether `a` and `b` are paired elements, or both are out of range. */
bool pairing_has(const struct pairing *pairing, uint16_t a, uint16_t b);

/* Whether both sides have the same names in the same order. */
bool pairing_is_aligned(const struct pairing *pairing);

#endif
