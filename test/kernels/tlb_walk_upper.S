/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of each of more tables of the page table than the walk cache knows, so far apart that the
 * L2 TLB cannot keep them either.
 */
#include "pages.inc"

#define PAGES  128
#define STRIDE (PAGE_BYTES / 8) /* as many as a table has entries */
#if PAGES <= WALK_CACHE_ENTRIES
#error "more pages are needed"
#endif

zeroes memory, PAGES * STRIDE * PAGE_BYTES

begin
	address x0, memory
	page_ring PAGES, STRIDE, 0
	walk_pages PAGES, 1000 /* guilty */
finish
