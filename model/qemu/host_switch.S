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

#endif

	.section .note.GNU-stack, "", %progbits
