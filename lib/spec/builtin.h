/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in specifications: constant tables that specs/ generates at build time. */
#ifndef SPEC_BUILTIN_H
#define SPEC_BUILTIN_H

#include <plumb/spec.h>

/* Ordered by id. */
extern const struct plumb_spec *const builtin_specs[];
extern const size_t builtin_spec_count;

/* Common masks: implementer and part; or all of the MIDR, with revision and architecture. */
#define BUILTIN_MIDR_PART     UINT32_C(0xff00fff0)
#define BUILTIN_MIDR_REVISION UINT32_C(0xffffffff)

/* Maps every MIDR_EL1 that equals `midr` in the bits of `mask` to a specification. */
struct builtin_midr {
	uint32_t midr;
	uint32_t mask;
	const char *spec_id;
	uint16_t spec_index; /* index into builtin_specs of the one named spec_id */
};

/* Most specific first: the first match is used. */
extern const struct builtin_midr builtin_midrs[];
extern const size_t builtin_midr_count;

#endif
