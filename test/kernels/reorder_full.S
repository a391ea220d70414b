/* SPDX-License-Identifier: Apache-2.0 */
/* What needs no register fills the reorder buffer behind a chain of divisions. */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	repeat 400
	.rept 24
	udiv x0, x0, x1 /* guilty */
	.endr
	.rept REORDER_ENTRIES - 20
	nop
	.endr
	again
	work 400 * 24
finish
