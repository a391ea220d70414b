/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes down a column as tlb_columns does, and adds to a sum meanwhile: for each load, additions
 * that wait for one another, for as long as the walkers take for a load.
 */
#include "pages.inc"

#define PAGES  128
#define STRIDE (sets / 4)
#define ROW    (STRIDE * PAGE_BYTES + L1D_LINE_BYTES)

zeroes memory, (PAGES + 1) * ROW

begin
	address x0, memory
	constant x2, ROW
	mov x4, #0
	repeat 800
	mov x1, x0
	mov x3, #(PAGES / 8)
66:
	.rept 8
	ldr xzr, [x1]
	add x1, x1, x2
	.rept (WALK_LATENCY + L2_LATENCY) / WALKERS
	add x4, x4, #1
	.endr
	.endr
	subs x3, x3, #1
	b.ne 66b
	again
	work 800 * PAGES
finish
