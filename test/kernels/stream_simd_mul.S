/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 2000
	.rept 8
	.irp r, V_REGISTERS
	mul v\r\().4s, v0.4s, v1.4s /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 16
finish
