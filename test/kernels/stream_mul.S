/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 2000
	.rept 8
	.irp r, X_REGISTERS
	mul x\r, x0, x1 /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
