/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TCG keeps the address of its CPUARMState in one host register throughout translated code (rbp on
 * x86-64, x19 on AArch64), and calls a plugin's callbacks straight from there. A trampoline passes
 * that register on, as a third argument behind two.
 */
#ifndef MODEL_QEMU_REGISTERS_TRAMPOLINE_H
#define MODEL_QEMU_REGISTERS_TRAMPOLINE_H

/* The second argument's successor is the third: rdx, x2. */
#if defined(__x86_64__)
#define TRAMPOLINE(name, function)                                                          \
	__asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ",@function\n" name \
		":\n\tmovq %rbp, %rdx\n\tjmp " function "\n")
#elif defined(__aarch64__)
#define TRAMPOLINE(name, function)                                                          \
	__asm__(".text\n.globl " name "\n.hidden " name "\n.type " name ",%function\n" name \
		":\n\thint #34\n\tmov x2, x19\n\tb " function "\n")
#endif

#endif
