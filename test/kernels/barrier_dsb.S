/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, each of which is done before anything younger begins. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 2000
	.rept 64
	ldr x1, [x0] /* guilty */
	dsb ish /* guilty */
	.endr
	again
	work 2000 * 64
finish
