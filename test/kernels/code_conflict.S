/* SPDX-License-Identifier: Apache-2.0 */
/* A line each of functions that are 64 KiB apart: all are of one set of L1I. */
#include "kernel.inc"

#define FUNCTIONS 13
#define APART     65536
#define ROUNDS    2000
#if FUNCTIONS <= L1I_WAYS || L1I_BYTES / L1I_WAYS > APART
#error "L1I has room for all of them"
#endif

begin
	constant x28, ROUNDS
	b 1f
	.balign APART
1:
	.rept FUNCTIONS - 1
	b . + APART /* guilty */
	.skip APART - 4
	.endr
	subs x28, x28, #1
	b.ne 1b
	work FUNCTIONS * ROUNDS
finish
