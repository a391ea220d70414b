/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that compilers make of an atomic addition where there are no atomics. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 32
1:	ldxr x1, [x0] /* guilty */
	add x1, x1, #1
	stxr w2, x1, [x0] /* guilty */
	cbnz w2, 1b
	.endr
	again
	work 2000 * 32
finish
