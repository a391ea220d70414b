/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses whose addresses QEMU 7.2 does not report to plugins, each kind over memory of its own
 * that is touched by nothing else: 1024 lines of 64 bytes by SVE loads of 16 bytes, 1024 by SVE
 * stores with an index register, 1024 by dc zva.
 */
	.arch armv8.2-a+sve
	.global _start
_start:
	adrp	x0, buffer
	add	x0, x0, :lo12:buffer
	ptrue	p0.b
	mov	x1, #1024
1:	ld1b	{ z0.b }, p0/z, [x0]
	ld1b	{ z1.b }, p0/z, [x0, #1, mul vl]
	ld1w	{ z2.s }, p0/z, [x0, #2, mul vl]
	ld1d	{ z3.d }, p0/z, [x0, #3, mul vl]
	add	x0, x0, #64
	subs	x1, x1, #1
	b.ne	1b
	mov	x1, #0
	mov	x2, #16384
2:	st1w	{ z0.s }, p0, [x0, x1, lsl #2]
	add	x1, x1, #4
	cmp	x1, x2
	b.ne	2b
	add	x0, x0, #65536
	mov	x1, #1024
3:	dc	zva, x0
	add	x0, x0, #64
	subs	x1, x1, #1
	b.ne	3b
	mov	x8, #93
	mov	x0, #0
	svc	#0
	.bss
	.balign	65536
buffer:
	.space	196608
