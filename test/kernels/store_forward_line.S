/* SPDX-License-Identifier: Apache-2.0 */
/* Each load wants what the stores before have stored, across a line and a byte on. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	add x0, x0, #(L1D_LINE_BYTES - 4)
	repeat 2000
	.rept 64
	str x1, [x0]
	ldur x1, [x0, #1] /* guilty */
	.endr
	again
	work 2000 * 64
finish
