/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independent loads of lines that nobody has touched before, each a reorder buffer behind the last
 * one: only a larger buffer could load two at a time.
 */
#include "kernel.inc"

#define PAGES 512
#define LINES 16 /* of each page, so that the code is small */

zeroes lines, PAGES * PAGE_BYTES

begin
	address x0, lines
	repeat PAGES
	first_line
	.rept LINES
	ldr x1, [x0, #line * L1D_LINE_BYTES] /* guilty */
	.rept REORDER_ENTRIES
	nop
	.endr
	next_line
	.endr
	add x0, x0, #PAGE_BYTES
	again
	work PAGES * LINES
finish
