/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinds copies of stacks. */
#ifndef SYMBOL_UNWIND_H
#define SYMBOL_UNWIND_H

#include <plumb/symbol.h>

/* The registers and the stack that PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER copied. */
struct user_stack {
	uint16_t machine;          /* ELF's EM_AARCH64 or EM_X86_64; 0: that of the recording */
	uint64_t register_mask;    /* attr.sample_regs_user */
	const uint64_t *registers; /* one for each bit, the lowest first */
	size_t register_count;
	const uint8_t *bytes; /* from the stack pointer upwards */
	size_t bytes_size;
};

/*
 * Unwinds a copy of the stack of `task`, using the call frame information of the mapped files, or
 * frame pointers where a file has none. Writes up to `room` addresses, the innermost first. A
 * caller's address is the last byte of the call, as in perf, so that it belongs to the call's line.
 * Returns how many, or 0 for other machines. Without plumb_symbolizer_origin() the recording's
 * machine is taken to be this one.
 */
size_t symbolizer_unwind(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			 const struct user_stack *stack, uint64_t *chain, size_t room);

#endif
