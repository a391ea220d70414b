/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are unmapped and mapped again: what translated them and cached them before is gone. */
#include "unmap.inc"

begin
	place
	repeat 50
	map
	touch 0 /* guilty */
	unmap
	again
	work 50 * PAGES
finish
