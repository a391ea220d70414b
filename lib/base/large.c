/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
/* Of the processors that perf runs on. */
#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

void *large_alloc(size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE)
		return NULL;
	if (bytes >= HUGE_PAGE) {
		const size_t whole = round_up(bytes, HUGE_PAGE);

		memory = aligned_alloc(HUGE_PAGE, whole);
		/* Without huge pages it works as well. */
		if (memory)
			madvise(memory, whole, MADV_HUGEPAGE);
		if (memory)
			return memory;
		/* There may be a limit, which the place of huge pages alone would exceed. */
	}
	return aligned_alloc(LINE, round_up(bytes, LINE));
}

void *large_resize(void *old, size_t used, size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (!__builtin_mul_overflow(count, size, &bytes) && bytes < HUGE_PAGE)
		return realloc(old, bytes);
	memory = large_alloc(count, size);
	if (!memory)
		return NULL;
	if (used)
		memcpy(memory, old, used * size);
	free(old);
	return memory;
}
