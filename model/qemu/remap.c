/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/remap.h"

#include <stdatomic.h>

#include "qemu/calls.h"

#define PAGE_BYTES 4096 /* as the program sees them, whatever the model's pages */
#define ERROR_MAX  4095

/* Linux's for AArch64; the host's headers may be older, or another system's. */
enum advice {
	ADVICE_DONTNEED = 4,
	ADVICE_FREE = 8,
	ADVICE_REMOVE = 9,
	ADVICE_DONTNEED_LOCKED = 24,
};

static _Atomic uint64_t program_break; /* 0: not known yet */

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static void moved_break(struct core *core, uint64_t to)
{
	const uint64_t end = whole_pages(to), before = atomic_exchange(&program_break, end);

	if (!before)
		return;
	if (end < before)
		core_unmap(core, end, before - end);
	else
		core_unmap(core, before, end - before);
}

static void remapped(struct core *core, uint64_t from, uint64_t before, uint64_t to, uint64_t after)
{
	const uint64_t kept = before < after ? before : after;

	if (from != to)
		core_move(core, from, to, kept);
	if (after > kept)
		core_unmap(core, to + kept, after - kept);
	else
		core_unmap(core, from + kept, before - kept);
}

static void advised(struct core *core, uint64_t from, uint64_t bytes, uint64_t advice)
{
	switch (advice) {
	case ADVICE_DONTNEED:
	case ADVICE_DONTNEED_LOCKED:
	case ADVICE_REMOVE:
		core_unmap(core, from, bytes);
		break;
	case ADVICE_FREE: /* the frames stay until the kernel needs them */
		core_protect(core, from, bytes);
		break;
	default:
		break;
	}
}

void remap_returned(struct core *core, int64_t number, const uint64_t arguments[6], int64_t result)
{
	if (result < 0 && result >= -ERROR_MAX)
		return;
	switch (number) {
	case CALL_BRK:
		moved_break(core, (uint64_t)result);
		break;
	case CALL_MUNMAP:
		core_unmap(core, arguments[0], whole_pages(arguments[1]));
		break;
	case CALL_MMAP: /* what was there before is gone; what was not, nothing can know */
		core_unmap(core, (uint64_t)result, whole_pages(arguments[1]));
		break;
	case CALL_MREMAP:
		remapped(core, arguments[0], whole_pages(arguments[1]), (uint64_t)result,
			 whole_pages(arguments[2]));
		break;
	case CALL_MPROTECT:
	case CALL_PKEY_MPROTECT:
		core_protect(core, arguments[0], whole_pages(arguments[1]));
		break;
	case CALL_MADVISE:
		advised(core, arguments[0], whole_pages(arguments[1]), arguments[2]);
		break;
	default:
		break;
	}
}
