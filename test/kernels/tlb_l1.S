/* SPDX-License-Identifier: Apache-2.0 */
/* More pages than the L1 data TLB has entries; the L2 TLB has them, and L1D all their lines. */
#include "pages.inc"

#define PAGES 128

zeroes memory, PAGES * PAGE_BYTES

begin
	address x0, memory
	page_ring PAGES, 1, 0
	walk_pages PAGES, 1600 /* guilty */
finish
