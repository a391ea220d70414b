/* SPDX-License-Identifier: Apache-2.0 */
/* Additions fill the vector registers behind a chain of divisions. */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	repeat 400
	.rept 16
	udiv x0, x0, x1 /* guilty */
	.endr
	.rept VECTOR_REGISTERS - 20
	fadd d2, d1, d1
	.endr
	again
	work 400 * 16
finish
