/* SPDX-License-Identifier: Apache-2.0 */
/* Additions fill the general registers behind a chain of divisions. */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	repeat 1000
	.rept 8
	udiv x0, x0, x1 /* guilty */
	.endr
	.rept INT_REGISTERS - 20
	add x2, x1, x1
	.endr
	again
	work 1000 * 8
finish
