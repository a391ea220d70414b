/* SPDX-License-Identifier: Apache-2.0 */
/* Independent loads, each of a line that nobody has touched before. */
#include "kernel.inc"

#define PAGES 2048

zeroes lines, PAGES * PAGE_BYTES

begin
	address x0, lines
	repeat PAGES
	first_line
	.rept LINES_A_PAGE
	ldr x1, [x0, #line * L1D_LINE_BYTES] /* guilty */
	next_line
	.endr
	add x0, x0, #PAGE_BYTES
	again
	work PAGES * LINES_A_PAGE
finish
