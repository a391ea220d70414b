/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in specifications. Each is made from the tables of builtin_tables.h when it is first
 * asked for, in memory that is part of the library; making it cannot fail, and any thread may ask.
 */
#ifndef SPEC_BUILTIN_H
#define SPEC_BUILTIN_H

#include <plumb/spec.h>

/* The number of specifications; the functions take smaller indexes. They are ordered by id. */
extern const size_t builtin_spec_count;

/* Returns the i-th specification, complete. */
const struct plumb_spec *builtin_spec(size_t i);

/* What tells specifications apart, without making them. */
struct builtin_name {
	const char *id;      /* "neoverse-n2-r0p3" */
	const char *product; /* "Neoverse N2" */
	uint8_t major_revision;
	uint8_t minor_revision;
};

struct builtin_name builtin_name(size_t i);

/* Common masks: implementer and part; or all of the MIDR, with revision and architecture. */
#define BUILTIN_MIDR_PART     UINT32_C(0xff00fff0)
#define BUILTIN_MIDR_REVISION UINT32_C(0xffffffff)

/* Maps every MIDR_EL1 that equals `midr` in the bits of `mask` to a specification. */
struct builtin_midr {
	uint32_t midr;
	uint32_t mask;
	uint16_t spec_index;
};

/* Most specific first: the first match is used. */
extern const struct builtin_midr builtin_midrs[];
extern const size_t builtin_midr_count;

#endif
