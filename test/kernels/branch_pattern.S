/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that go by a pattern of 12 outcomes. */
#include "kernel.inc"

#define PATTERN 0xa6d

begin
	mov x3, #2000
next_pattern:
	mov x2, #PATTERN
	repeat 12
	tbz x2, #0, 1f
	.rept 8
	nop
	.endr
1:
	lsr x2, x2, #1
	.rept 8
	nop
	.endr
	again
	subs x3, x3, #1
	b.ne next_pattern
	work 2000 * 12
finish
