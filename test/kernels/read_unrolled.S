/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that nobody has touched before, four lines a round, each with its own loads. */
#include "kernel.inc"

#define LINES (2048 * LINES_A_PAGE)

zeroes memory, LINES * L1D_LINE_BYTES

begin
	address x0, memory
	repeat LINES / 4
	.set offset, 0
	.rept 4
	ldp q0, q1, [x0, #offset] /* guilty */
	ldp q2, q3, [x0, #offset + 32] /* guilty */
	.set offset, offset + L1D_LINE_BYTES
	.endr
	add x0, x0, #(4 * L1D_LINE_BYTES)
	again
	work LINES
finish
