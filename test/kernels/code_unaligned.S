/* SPDX-License-Identifier: Apache-2.0 */
/* A loop of four instructions inside a line, not aligned to what is fetched at a time. */
#include "kernel.inc"

#define ROUNDS 60000

begin
	constant x28, ROUNDS
	b 1f
	.balign L1I_LINE_BYTES
	.skip 20
1:
	nop
	nop
	subs x28, x28, #1
	b.ne 1b
	work ROUNDS
finish
