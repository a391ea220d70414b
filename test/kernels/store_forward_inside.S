/* SPDX-License-Identifier: Apache-2.0 */
/* Each load wants what lies inside the store before it, at neither its start nor its middle. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	str x1, [x0]
	ldrh w1, [x0, #2] /* guilty */
	.endr
	again
	work 2000 * 64
finish
