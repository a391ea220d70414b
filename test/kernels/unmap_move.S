/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that move to another place and back: they are translated anew, and stay in L1D. */
#include "unmap.inc"

begin
	place
	map
	mov x23, #0x5000000000
	repeat 50
	touch L1D_LINE_BYTES /* guilty */
	move_to_other
	again
	work 50 * PAGES
finish
