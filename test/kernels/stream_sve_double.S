/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	ptrue p0.b
	repeat 2000
	.rept 8
	.irp r, V_REGISTERS
	fmla z\r\().d, p0/m, z0.d, z1.d /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
