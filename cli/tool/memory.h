/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the tool. Where the library returns an error, the tool has nothing left to do: these
 * never return NULL, but say so and end the process with status 1.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

#include <plumb/error.h>

#define MEMORY_GIVEN __attribute__((returns_nonnull))

/* Makes jansson allocate the same way, so that no JSON is printed with parts missing. */
void memory_init(void);

/* What an allocation gave. */
MEMORY_GIVEN void *memory_given(void *memory);

/* `size` zeroed bytes; room for `count` elements of `size` bytes, what was there kept. */
MEMORY_GIVEN void *memory_alloc(size_t size);
MEMORY_GIVEN void *memory_resize(void *old, size_t count, size_t size);

MEMORY_GIVEN char *memory_copy(const char *text, size_t length);
MEMORY_GIVEN char *memory_format(const char *format, ...) PLUMB_PRINTF(1, 2);

#endif
