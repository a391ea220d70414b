/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores to lines that nobody has touched before, as in store_miss, but four to each. So the store
 * buffer has as many lines under way as a quarter of its entries, which are fewer than L1D's miss
 * buffers. Meanwhile multiplies: for each line, multiplications of two cycles that wait for one
 * another, for as long as the store buffer takes for a line.
 */
#include "kernel.inc"

#define PAGES 256
#define LINKS (4 * (L2_LATENCY + LLC_LATENCY + DRAM_LATENCY) / STORE_BUFFER_ENTRIES / 2)

zeroes lines, PAGES * PAGE_BYTES

begin
	address x0, lines
	mov x5, #3
	repeat PAGES
	first_line
	.rept LINES_A_PAGE
	.set offset, 0
	.rept 4
	str x1, [x0, #line * L1D_LINE_BYTES + offset] /* guilty */
	.set offset, offset + 16
	.endr
	.rept LINKS
	mul x4, x4, x5
	.endr
	next_line
	.endr
	add x0, x0, #PAGE_BYTES
	again
	work PAGES * LINES_A_PAGE
finish
