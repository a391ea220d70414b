/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of multiplications with two moves between each and the next. */
#include "kernel.inc"

begin
	mov x1, #3
	repeat 2000
	.rept 64
	mul x1, x1, x1 /* guilty */
	mov x2, x1
	mov x1, x2
	.endr
	again
	work 2000 * 64
finish
