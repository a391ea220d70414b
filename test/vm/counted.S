/* SPDX-License-Identifier: Apache-2.0 */
/* Executes COUNTED instructions, and ends with status 7. */
	.equ	around, 6			/* those outside the loop */
	.equ	turns, (COUNTED - around) / 2	/* of two instructions */

	.global	_start
_start:
	movz	x0, #(turns & 0xffff)
	movk	x0, #(turns >> 16), lsl #16
again:
	subs	x0, x0, #1
	b.ne	again
	nop
	mov	x0, #7
	mov	x8, #93		/* exit() */
	svc	#0
