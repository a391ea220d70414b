/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of two halves: a load that wants more than the store before it has stored, as in
 * store_forward_partial, and additions for as long as that takes.
 */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	repeat 8000
	.rept 8
	str w1, [x0]
	ldr x1, [x0] /* guilty */
	.rept FORWARD_FAILED
	add x1, x1, #1
	.endr
	.endr
	again
	work 8000 * 8
finish
