/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)1 << 20)
/* Of the processors that perf runs on. */
#define HUGE_PAGE ((size_t)2 << 20)

void *large_resize(void *old, size_t used, size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE)
		return NULL;
	if (bytes < LARGE)
		return realloc(old, bytes);
	bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	memory = aligned_alloc(HUGE_PAGE, bytes);
	if (!memory)
		return NULL;
	/* Without huge pages it works as well. */
	madvise(memory, bytes, MADV_HUGEPAGE);
	if (used)
		memcpy(memory, old, used * size);
	free(old);
	return memory;
}
