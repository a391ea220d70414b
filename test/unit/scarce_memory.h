/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out when a test says so. For a program linked with -Wl,--wrap=malloc and the
 * same of calloc, realloc and reallocarray, so that the library's allocations come here.
 */
#ifndef TEST_SCARCE_MEMORY_H
#define TEST_SCARCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* How many allocations will still succeed; negative: all. */
static long memory_left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

static bool memory_granted(void)
{
	if (memory_left < 0)
		return true;
	if (memory_left == 0)
		return false;
	memory_left--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return memory_granted() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return memory_granted() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return memory_granted() ? __real_realloc(old, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return memory_granted() ? __real_reallocarray(old, count, size) : NULL;
}

#endif
