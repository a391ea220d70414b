/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few pages, but so far apart that they meet in four sets of the L2 TLB, which cannot keep them;
 * L1D has all their lines.
 */
#include "pages.inc"

#define PAGES  128
#define STRIDE (sets / 4)

zeroes memory, PAGES * STRIDE * PAGE_BYTES

begin
	address x0, memory
	page_ring PAGES, STRIDE, 0
	walk_pages PAGES, 1000 /* guilty */
finish
