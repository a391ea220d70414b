/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers of as many 64-bit elements as a vector has, each from a line of its own, all in L1D. */
#include "kernel.inc"

zeroes memory, 16 * PAGE_BYTES

begin
	ptrue p0.d
	index z1.d, #0, #1
	lsl z1.d, z1.d, #6
	address x0, memory
	repeat 2000
	.rept 64
	ld1d z0.d, p0/z, [x0, z1.d] /* guilty */
	.endr
	again
	work 2000 * 64
finish
