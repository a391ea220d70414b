/* SPDX-License-Identifier: Apache-2.0 */
/* The call chain of a sample: recorded, or unwound from the copies of registers and stack. */
#include <linux/perf_event.h>

#include <plumb/symbol.h>

#include "symbol/unwind.h"

/* Returns false for an unknown mark: then the chain is damaged, and nothing of it is of use. */
static bool change_mode(uint64_t mark, enum plumb_cpu_mode *mode)
{
	switch (mark) {
	case PLUMB_CONTEXT_HV:
		*mode = PLUMB_MODE_HYPERVISOR;
		return true;
	case PLUMB_CONTEXT_KERNEL:
		*mode = PLUMB_MODE_KERNEL;
		return true;
	case PLUMB_CONTEXT_USER:
		*mode = PLUMB_MODE_USER;
		return true;
	default:
		return false;
	}
}

static struct user_stack copies_of(const struct plumb_record *record)
{
	return (struct user_stack){
		.register_mask = record->event->attr.sample_regs_user,
		.registers = record->sample.user_registers,
		.register_count = record->sample.user_register_count,
		.bytes = record->sample.user_stack,
		.bytes_size = record->sample.user_stack_size,
	};
}

/* Adds the callers that the copies of the thread's registers and stack lead to. */
static size_t unwind(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		     const struct plumb_record *record, struct plumb_frame *frames, size_t room)
{
	const struct plumb_sample *s = &record->sample;
	uint64_t chain[PLUMB_CALLCHAIN_MAX];
	struct user_stack copies;
	size_t count;

	if (!s->user_stack_size || !s->user_register_count || !task || !record->event)
		return 0;
	copies = copies_of(record);
	count = symbolizer_unwind(symbolizer, task, &copies, chain, room);
	for (size_t i = 0; i < count; i++)
		frames[i] = (struct plumb_frame){.ip = chain[i], .mode = PLUMB_MODE_USER};
	return count;
}

/*
 * Adds the caller of a leaf function without a frame of its own, which frame pointers leave out, if
 * the link register was copied without a stack to unwind. `leaf` is where the user's part of the
 * chain begins.
 */
static size_t add_leaf_caller(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			      const struct plumb_record *record, size_t leaf,
			      struct plumb_frame *frame)
{
	const struct plumb_sample *s = &record->sample;
	struct user_stack copies;
	uint64_t caller;

	if (s->user_abi != PERF_SAMPLE_REGS_ABI_64 || !s->user_register_count ||
	    s->user_stack_size || !task || !record->event)
		return 0;
	copies = copies_of(record);
	caller = symbolizer_leaf_caller(symbolizer, task, &copies, s->callchain[leaf]);
	/* A function with a frame that the call frame information does not mention. */
	if (!caller || (leaf + 1 < s->callchain_length && s->callchain[leaf + 1] - caller <= 1))
		return 0;
	*frame = (struct plumb_frame){.ip = caller, .mode = PLUMB_MODE_USER};
	return 1;
}

size_t plumb_symbolizer_callchain(struct plumb_symbolizer *symbolizer,
				  const struct plumb_task *task, const struct plumb_record *record,
				  struct plumb_frame frames[PLUMB_CALLCHAIN_MAX])
{
	const struct plumb_sample *s = &record->sample;
	enum plumb_cpu_mode mode = PLUMB_MODE_USER;
	size_t count = 0;

	for (size_t i = 0; i < s->callchain_length && count < PLUMB_CALLCHAIN_MAX; i++) {
		/* After a mark comes the address of an interruption, not of a call. */
		const bool first = i == 0 || s->callchain[i - 1] >= PLUMB_CONTEXT_MARKS;

		if (s->callchain[i] >= PLUMB_CONTEXT_MARKS) {
			if (!change_mode(s->callchain[i], &mode))
				return 0;
			continue;
		}
		frames[count++] = (struct plumb_frame){s->callchain[i], mode, !first};
		if (first && mode == PLUMB_MODE_USER && count < PLUMB_CALLCHAIN_MAX)
			count += add_leaf_caller(symbolizer, task, record, i, &frames[count]);
	}
	return count +
	       unwind(symbolizer, task, record, frames + count, PLUMB_CALLCHAIN_MAX - count);
}
