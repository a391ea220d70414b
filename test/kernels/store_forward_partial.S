/* SPDX-License-Identifier: Apache-2.0 */
/* Each load wants more than the store before it has stored, which cannot forward a part. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	str w1, [x0]
	ldr x1, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
