/* SPDX-License-Identifier: Apache-2.0 */
/* Four times L1D, so that nothing of it is still there a round later. */
#include "chase.inc"

#define LINES (4 * L1D_BYTES / L1D_LINE_BYTES)

zeroes lines, LINES * L1D_LINE_BYTES

begin
	address x0, lines
	ring LINES
	walk_ring LINES, 100 /* guilty */
finish
