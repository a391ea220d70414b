/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 2000
	.rept 8
	.irp r, V_REGISTERS
	fmadd d\r, d0, d1, d2 /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
