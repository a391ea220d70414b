/* SPDX-License-Identifier: Apache-2.0 */
/* Each load wants what the store before it has stored across two pages. */
#include "kernel.inc"

zeroes memory, 2 * PAGE_BYTES

begin
	address x0, memory
	add x0, x0, #PAGE_BYTES
	sub x0, x0, #4
	repeat 2000
	.rept 64
	str x1, [x0]
	ldr x1, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
