/* SPDX-License-Identifier: Apache-2.0 */
/* Branches 8 bytes apart, as many as the fast target buffer has room for beside those of the loop. */
#include "kernel.inc"

#define BRANCHES (PREDICTOR_FAST_TARGET_ENTRIES - 8)
#define ROUNDS   (2000000 / BRANCHES)

begin
	repeat ROUNDS
	.rept BRANCHES
	b . + 8 /* guilty */
	nop
	.endr
	sub x28, x28, #1
	cbz x28, 1f
	b 77b
1:
	work ROUNDS * BRANCHES
finish
