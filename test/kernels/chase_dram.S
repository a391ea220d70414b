/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that nobody has touched before, each load's address made of the last one's data: what is
 * loaded is 0, which nothing but the program knows.
 */
#include "kernel.inc"

#define PAGES 1024

zeroes lines, PAGES * PAGE_BYTES

begin
	address x0, lines
	repeat PAGES
	first_line
	.rept LINES_A_PAGE
	ldr x1, [x0, #line * L1D_LINE_BYTES] /* guilty */
	add x0, x0, x1
	next_line
	.endr
	add x0, x0, #PAGE_BYTES
	again
	work PAGES * LINES_A_PAGE
finish
