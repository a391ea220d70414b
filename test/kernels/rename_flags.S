/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons fill the flag registers behind a chain of divisions. */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	repeat 1000
	.rept 8
	udiv x0, x0, x1 /* guilty */
	.endr
	.rept FLAG_REGISTERS - 6
	cmp x1, x1
	.endr
	again
	work 1000 * 8
finish
