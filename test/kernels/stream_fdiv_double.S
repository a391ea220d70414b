/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 600
	.rept 4
	.irp r, V_REGISTERS
	fdiv d\r, d0, d1 /* guilty */
	.endr
	.endr
	again
	work 600 * 4 * 16
finish
