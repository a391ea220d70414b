/* SPDX-License-Identifier: Apache-2.0 */
/* More pages than the L2 TLB has entries, and more lines than L1D, not than L2. */
#include "pages.inc"

#define PAGES 4096
#if PAGES < 2 * L2_TLB_ENTRIES
#error "more pages are needed"
#endif

zeroes memory, PAGES * PAGE_BYTES

begin
	address x0, memory
	page_ring PAGES, 1, 5
	walk_pages PAGES, 80 /* guilty */
finish
