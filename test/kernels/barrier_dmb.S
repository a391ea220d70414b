/* SPDX-License-Identifier: Apache-2.0 */
/* Loads in an order that only the barriers ask for. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	ldr x1, [x0] /* guilty */
	dmb ish /* guilty */
	.endr
	again
	work 2000 * 64
finish
