/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiplications that take two cycles, on all their ports in all cycles: as many chains as that
 * needs, and each of them is as long as the ports are busy.
 */
#include "kernel.inc"

begin
	mov x1, #1
	repeat 40000
	.rept 4
	mul x2, x2, x1
	mul x3, x3, x1
	mul x4, x4, x1
	mul x5, x5, x1
	.endr
	again
	work 40000 * 4
finish
