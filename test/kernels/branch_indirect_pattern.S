/* SPDX-License-Identifier: Apache-2.0 */
/* Eight pieces of code, one after the other, through a register. */
#include "kernel.inc"

#define PIECES 8
#define JUMPS  40000

begin
	address x3, pieces
	constant x28, JUMPS
	mov x5, #0
	br x3
	.balign 64
pieces:
	.rept PIECES
	.balign 64
	add x5, x5, #3
	and x4, x5, #(PIECES - 1)
	add x4, x3, x4, lsl #6
	sub x28, x28, #1
	cbz x28, done
	.rept 8
	nop
	.endr
	br x4
	.endr
done:
	work JUMPS
finish
