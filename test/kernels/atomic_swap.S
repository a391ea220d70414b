/* SPDX-License-Identifier: Apache-2.0 */
/* Compare and swap: each one's address is what the last one found. They compare in vain. */
#include "chase.inc"

#define LINES 128

zeroes lines, LINES * L1D_LINE_BYTES

begin
	address x0, lines
	ring LINES
	mov x1, #0
	repeat 2000
	.rept 64
	mov x2, x1
	cas x2, x1, [x0] /* guilty */
	mov x0, x2
	.endr
	again
	work 2000 * 64
finish
