/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a block that L2 has to another that it has, and L1D neither. */
#include "kernel.inc"

#define BYTES (2 * L1D_BYTES)

zeroes from, BYTES
zeroes to, BYTES

begin
	address x0, from
	read_through x0, BYTES / L1D_LINE_BYTES
	address x0, to
	read_through x0, BYTES / L1D_LINE_BYTES
	mov x9, #250
next_round:
	address x0, to
	address x1, from
	repeat BYTES / 256
	.set offset, 0
	.rept 4
	ldp q0, q1, [x1, #offset] /* guilty */
	ldp q2, q3, [x1, #offset + 32] /* guilty */
	stp q0, q1, [x0, #offset]
	stp q2, q3, [x0, #offset + 32]
	.set offset, offset + 64
	.endr
	add x0, x0, #256
	add x1, x1, #256
	again
	sub x9, x9, #1
	cbnz x9, next_round
	work 250 * BYTES / L1D_LINE_BYTES
finish
