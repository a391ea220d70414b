/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinds copies of stacks. */
#ifndef SYMBOL_UNWIND_H
#define SYMBOL_UNWIND_H

#include <plumb/symbol.h>

/* The registers and the stack copied by PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER. */
struct user_stack {
	uint16_t machine;          /* ELF's EM_AARCH64 or EM_X86_64; 0: the recording's */
	uint64_t register_mask;    /* attr.sample_regs_user */
	const uint64_t *registers; /* one per bit, the lowest first */
	size_t register_count;
	const uint8_t *bytes; /* from the stack pointer on */
	size_t bytes_size;
};

/*
 * Unwinds a copy of the stack of `task`, using the call frame information of the mapped files, or
 * frame pointers if a file has none. Writes up to `room` addresses, the innermost first. A caller's
 * address is the last byte of the call, as in perf, so that it belongs to the call's line. Returns
 * how many, or 0 for unsupported machines. Without plumb_symbolizer_origin() the recording is taken
 * to be from this machine.
 */
size_t symbolizer_unwind(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			 const struct user_stack *stack, uint64_t *chain, size_t room);

/*
 * Returns the last byte of the call that led to the leaf function at `pc`, whose frame pointer is
 * still its caller's; or, of a signal's handler, its trampoline's first instruction, which has not
 * called it. 0: the call frame information does not say that the return address is in AArch64's
 * link register, or that was not copied. Only `registers` of `stack` is needed.
 */
uint64_t symbolizer_leaf_caller(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
				const struct user_stack *stack, uint64_t pc);

#endif
