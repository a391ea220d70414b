/* SPDX-License-Identifier: Apache-2.0 */
/* Each of sixteen pieces of code goes on at one of the sixteen, by chance. */
#include "random.inc"

#define PIECES 16
#define JUMPS  20000

begin
	random_setup
	address x3, pieces
	constant x28, JUMPS
	br x3
	.balign 64
pieces:
	.rept PIECES
	.balign 64
	random
	ubfx x4, x0, #59, #4
	add x4, x3, x4, lsl #6
	sub x28, x28, #1
	cbz x28, done
	br x4 /* guilty */
	.endr
done:
	work JUMPS
finish
