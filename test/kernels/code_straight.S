/* SPDX-License-Identifier: Apache-2.0 */
/* Straight on, four times L1I: each line is missed. Fetch runs ahead of what needs it. */
#include "kernel.inc"

#define INSTRUCTIONS (4 * L1I_BYTES / 4)
#define ROUNDS       16

begin
	address x0, 1f
	read_through x0, INSTRUCTIONS * 4 / L1D_LINE_BYTES
	constant x28, ROUNDS
	b 1f
	.balign PAGE_BYTES
1:
	.rept INSTRUCTIONS
	nop /* guilty */
	.endr
	subs x28, x28, #1
	b.eq 2f
	b 1b
2:
	work ROUNDS * INSTRUCTIONS
finish
