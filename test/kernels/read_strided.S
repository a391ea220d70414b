/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads every third line of memory that nobody has touched before. A load's address needs the last
 * one's data, which is 0, so only prefetchers run ahead.
 */
#include "kernel.inc"

#define PAGES 3072
#define STEP  (3 * L1D_LINE_BYTES)
#define LINES (PAGES * LINES_A_PAGE / 3)

zeroes memory, PAGES * PAGE_BYTES

begin
	address x0, memory
	repeat LINES
	ldr x1, [x0] /* guilty */
	add x0, x0, x1
	add x0, x0, #STEP
	again
	work LINES
finish
