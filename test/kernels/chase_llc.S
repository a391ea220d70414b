/* SPDX-License-Identifier: Apache-2.0 */
/* A quarter more than L2: a ring that does not fit leaves nothing behind in an LRU cache. */
#include "chase.inc"

#define LINES (L2_BYTES / L2_LINE_BYTES / 4 * 5)

zeroes lines, LINES * L1D_LINE_BYTES

begin
	address x0, lines
	ring LINES
	walk_ring LINES, 30 /* guilty */
finish
