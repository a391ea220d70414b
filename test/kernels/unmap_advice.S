/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that the kernel takes back in every round, as an allocator does that returns memory. */
#include "unmap.inc"

begin
	place
	map
	repeat 50
	touch 0 /* guilty */
	drop
	again
	work 50 * PAGES
finish
