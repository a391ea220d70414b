/* SPDX-License-Identifier: Apache-2.0 */
/* There and back between the general and the floating-point registers. */
#include "kernel.inc"

begin
	mov x0, #3
	repeat 2000
	.rept 64
	fmov d0, x0 /* guilty */
	fmov x0, d0 /* guilty */
	.endr
	again
	work 2000 * 64
finish
