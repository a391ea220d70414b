/* SPDX-License-Identifier: Apache-2.0 */
/* Independent loads that hit L1D. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.set offset, 0
	.rept 128
	ldr x1, [x0, #offset] /* guilty */
	.set offset, offset + 8
	.endr
	again
	work 2000 * 128
finish
