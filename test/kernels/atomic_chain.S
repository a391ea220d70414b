/* SPDX-License-Identifier: Apache-2.0 */
/* Each atomic's address is what the last one found in memory; what they add is 0. */
#include "chase.inc"

#define LINES 128

zeroes lines, LINES * L1D_LINE_BYTES

begin
	address x0, lines
	ring LINES
	mov x1, #0
	repeat 2000
	.rept 64
	ldadd x1, x0, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
