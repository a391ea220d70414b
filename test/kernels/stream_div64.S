/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	repeat 300
	.rept 4
	.irp r, X_REGISTERS
	udiv x\r, x0, x1 /* guilty */
	.endr
	.endr
	again
	work 300 * 4 * 16
finish
