/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes down a column of a large matrix, whose rows begin in other pages: loads that do not depend
 * on each other, and of which each needs a walk. L1D has all their lines.
 */
#include "pages.inc"

#define PAGES  128
#define STRIDE (sets / 4)
/* From row to row; the next line, too, so that the column's lines are in different sets of L1D. */
#define ROW (STRIDE * PAGE_BYTES + L1D_LINE_BYTES)

zeroes memory, (PAGES + 1) * ROW

begin
	address x0, memory
	constant x2, ROW
	repeat 1600
	mov x1, x0
	mov x3, #(PAGES / 8)
66:
	.rept 8
	ldr xzr, [x1] /* guilty */
	add x1, x1, x2
	.endr
	subs x3, x3, #1
	b.ne 66b
	again
	work 1600 * PAGES
finish
