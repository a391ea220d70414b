/* SPDX-License-Identifier: Apache-2.0 */
/* Pages whose protection changes in every round: they are translated anew, and stay in L1D. */
#include "unmap.inc"

begin
	place
	map
	repeat 50
	touch L1D_LINE_BYTES /* guilty */
	protect
	again
	work 50 * PAGES
finish
