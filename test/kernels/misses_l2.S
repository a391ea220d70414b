/* SPDX-License-Identifier: Apache-2.0 */
/* Independent loads that miss L1D and hit L2. */
#include "kernel.inc"

#define PAGES  (2 * L1D_BYTES / PAGE_BYTES)
#define ROUNDS 250

zeroes lines, PAGES * PAGE_BYTES

begin
	address x3, lines
	read_through x3, PAGES * LINES_A_PAGE
	mov x2, #ROUNDS
next_round:
	mov x0, x3
	repeat PAGES
	first_line
	.rept LINES_A_PAGE
	ldr x1, [x0, #line * L1D_LINE_BYTES] /* guilty */
	next_line
	.endr
	add x0, x0, #PAGE_BYTES
	again
	sub x2, x2, #1
	cbnz x2, next_round
	work PAGES * LINES_A_PAGE * ROUNDS
finish
