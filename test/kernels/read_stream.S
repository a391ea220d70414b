/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that nobody has touched before, from one end to the other. */
#include "kernel.inc"

#define LINES (2048 * LINES_A_PAGE)

zeroes memory, LINES * L1D_LINE_BYTES

begin
	address x0, memory
	repeat LINES
	ldp q0, q1, [x0] /* guilty */
	ldp q2, q3, [x0, #32] /* guilty */
	add x0, x0, #L1D_LINE_BYTES
	again
	work LINES
finish
