/* SPDX-License-Identifier: Apache-2.0 */
/* Switching what a host thread executes: host_switch.h. */
#ifdef __x86_64__

/* void host_switch(void **from, void *to) */
	.text
	.globl	host_switch
	.hidden	host_switch
	.type	host_switch, @function
host_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	rdfsbase %rax
	pushq	%rax
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%rax
	wrfsbase %rax
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	host_switch, .-host_switch

/* Where a new stack begins: calls the function in rbx with r12, and never returns. */
	.globl	host_switch_begin
	.hidden	host_switch_begin
	.type	host_switch_begin, @function
host_switch_begin:
	movq	%r12, %rdi
	call	*%rbx
	ud2
	.size	host_switch_begin, .-host_switch_begin

#elif defined __aarch64__

/* void host_switch(void **from, void *to) */
	.text
	.globl	host_switch
	.hidden	host_switch
	.type	host_switch, %function
host_switch:
	sub	sp, sp, 176
	stp	x19, x20, [sp]
	stp	x21, x22, [sp, 16]
	stp	x23, x24, [sp, 32]
	stp	x25, x26, [sp, 48]
	stp	x27, x28, [sp, 64]
	stp	x29, x30, [sp, 80]
	stp	d8, d9, [sp, 96]
	stp	d10, d11, [sp, 112]
	stp	d12, d13, [sp, 128]
	stp	d14, d15, [sp, 144]
	mrs	x9, tpidr_el0
	str	x9, [sp, 160]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldr	x9, [sp, 160]
	msr	tpidr_el0, x9
	ldp	d14, d15, [sp, 144]
	ldp	d12, d13, [sp, 128]
	ldp	d10, d11, [sp, 112]
	ldp	d8, d9, [sp, 96]
	ldp	x29, x30, [sp, 80]
	ldp	x27, x28, [sp, 64]
	ldp	x25, x26, [sp, 48]
	ldp	x23, x24, [sp, 32]
	ldp	x21, x22, [sp, 16]
	ldp	x19, x20, [sp]
	add	sp, sp, 176
	ret
	.size	host_switch, .-host_switch

/* Where a new stack begins: calls the function in x19 with x20, and never returns. */
	.globl	host_switch_begin
	.hidden	host_switch_begin
	.type	host_switch_begin, %function
host_switch_begin:
	mov	x0, x20
	blr	x19
	brk	0
	.size	host_switch_begin, .-host_switch_begin

#endif

	.section .note.GNU-stack, "", %progbits
