/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes COUNTED instructions, and ends with status 7. How depends on one of these:
 *
 *     (none)        the program does it
 *     WAITS         it waits for that many milliseconds first; counts what comes afterwards
 *     FORKS         it forks that many children, one after another, which execute CHILD each
 *     THREAD        it starts a thread, which executes CHILD
 *     BECOMES       it becomes /brief in the end
 *     CRASHES       it dies of an invalid address instead
 *     ENDLESS       it never ends
 *
 * COUNTED leaves out children and threads. `scripts/steps/vm` builds one program for each.
 */
#define CLONE_FLAGS_THREAD 0x50f00 /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
#define SIGCHLD            17

/* Executes \count instructions, an even number of at least 4. */
.macro	execute count
	movz	x9, #(((\count - 2) / 2) & 0xffff)
	movk	x9, #(((\count - 2) / 2) >> 16), lsl #16
77:	subs	x9, x9, #1
	b.ne	77b
.endm

.macro	call number
	mov	x8, #\number
	svc	#0
.endm

	.global	_start
	.type	_start, %function
_start:
#if defined(WAITS)
	adr	x0, wait_for
	mov	x1, #0
	call	101		/* nanosleep() */
	nop			/* the first one counted */
	execute	COUNTED - 4
#elif defined(FORKS)
	mov	x20, #FORKS		/* 1 + 14 * FORKS, and 3 at the end */
again:
	mov	x0, #SIGCHLD
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	call	220		/* clone() */
	cbz	x0, child
	mov	x1, #0		/* wait4(): any child would do */
	mov	x2, #0
	mov	x3, #0
	call	260
	subs	x20, x20, #1
	b.ne	again
	execute	COUNTED - (1 + 14 * FORKS + 3)
#elif defined(THREAD)
	mov	x0, #(CLONE_FLAGS_THREAD & 0xffff)
	movk	x0, #(CLONE_FLAGS_THREAD >> 16), lsl #16
	adr	x1, stack_end
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	call	220
	cbz	x0, child
	execute	COUNTED - 12
#elif defined(BECOMES)
	execute	COUNTED - 6
	adr	x0, other
	adr	x1, arguments
	str	x0, [x1]
	mov	x2, #0
	call	221		/* execve() */
#elif defined(CRASHES)
	execute	COUNTED - 2
	mov	x0, #0
	ldr	x1, [x0]
#elif defined(ENDLESS)
	b	_start
#else
	nop
	execute	COUNTED - 4
#endif
	mov	x0, #7
	call	93		/* exit() */

#ifdef CHILD
/* Comes here after clone()'s svc: what it executes is CHILD, with the cbz. */
child:
	execute	CHILD - 4
	mov	x0, #7
	call	93
#endif

	.size	_start, . - _start

	.data
	.balign	16
wait_for:
#ifdef WAITS
	.quad	0, WAITS * 1000000
#endif
other:
	.asciz	"/brief"
	.balign	16
arguments:
	.quad	0, 0
	.space	4096
	.balign	16
stack_end:
