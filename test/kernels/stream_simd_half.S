/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 2000
	.rept 8
	.irp r, V_REGISTERS
	fmla v\r\().8h, v0.8h, v1.8h /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
