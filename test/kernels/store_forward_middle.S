/* SPDX-License-Identifier: Apache-2.0 */
/* Each load takes the upper half of what the store before it has stored. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	str x1, [x0] /* guilty */
	ldr w1, [x0, #4] /* guilty */
	.endr
	again
	work 2000 * 64
finish
