/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of SVE and of Advanced SIMD in turn, which share the vector ports. */
#include "kernel.inc"

begin
	ptrue p0.b
	repeat 2000
	.rept 8
	.irp r, 4, 6, 8, 10, 12, 14, 16, 18
	fmla z\r\().s, p0/m, z0.s, z1.s /* guilty */
	.endr
	.irp r, 5, 7, 9, 11, 13, 15, 17, 19
	fmla v\r\().4s, v0.4s, v1.4s /* guilty */
	.endr
	.endr
	again
	work 2000 * 8 * 8
finish
