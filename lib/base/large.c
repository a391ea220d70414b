/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
/* Of the processors that perf runs on. */
#define HUGE_PAGE ((size_t)2 << 20)

void *large_alloc(size_t count, size_t size)
{
	size_t bytes, unit;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE)
		return NULL;
	unit = bytes < HUGE_PAGE ? LINE : HUGE_PAGE;
	bytes = (bytes + unit - 1) & ~(unit - 1);
	memory = aligned_alloc(unit, bytes);
	/* Without huge pages it works as well. */
	if (memory && unit == HUGE_PAGE)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
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
