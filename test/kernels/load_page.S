/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of loads, each of which crosses two pages. */
#include "kernel.inc"

zeroes memory, 2 * PAGE_BYTES

begin
	address x0, memory
	add x0, x0, #PAGE_BYTES
	sub x0, x0, #4
	str x0, [x0]
	dsb ish
	chain 4000, 64, ldr x0, [x0] /* guilty */
finish
