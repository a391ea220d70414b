/* SPDX-License-Identifier: Apache-2.0 */
/* Each load takes one half from each of the two stores before it. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	str w1, [x0] /* guilty */
	str w1, [x0, #4] /* guilty */
	ldr x1, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
