/* SPDX-License-Identifier: Apache-2.0 */
/* Independent loads of whole vectors that hit L1D. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	ptrue p0.b
	address x0, memory
	repeat 2000
	.rept 16
	.set offset, 0
	.rept 8
	ld1w {z1.s}, p0/z, [x0, #offset, mul vl] /* guilty */
	.set offset, offset + 1
	.endr
	.endr
	again
	work 2000 * 128
finish
