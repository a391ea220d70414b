/* SPDX-License-Identifier: Apache-2.0 */
/* Each load of a whole vector takes what the store before it has stored, each store what the load has. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	str z1, [x0] /* guilty */
	ldr z1, [x0] /* guilty */
	.endr
	again
	work 2000 * 64
finish
