/* SPDX-License-Identifier: Apache-2.0 */
/* A quarter of L1D. */
#include "chase.inc"

#define LINES (L1D_BYTES / L1D_LINE_BYTES / 4)

zeroes lines, LINES * L1D_LINE_BYTES

begin
	address x0, lines
	ring LINES
	walk_ring LINES, 800 /* guilty */
finish
