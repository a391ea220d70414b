/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to two lines each. */
#include "kernel.inc"

zeroes memory, 2 * PAGE_BYTES

begin
	address x0, memory
	add x0, x0, #(L1D_LINE_BYTES - 4)
	repeat 2000
	.rept 64
	str x1, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
