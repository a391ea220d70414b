/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	ptrue p0.b
	repeat 2000
	.rept 8
	.irp r, V_REGISTERS
	fmla z\r\().h, p0/m, z0.h, z1.h /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
