/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 4000
	.rept 8
	.irp r, X_REGISTERS
	add x\r, x0, x1
	.endr
	.endr
	again
	work 4000 * 8 * 16
finish
