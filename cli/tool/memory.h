/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates memory for the tool. These functions never return NULL: if memory runs out, they print
 * an error and end the process with status 1.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <plumb/error.h>

#define MEMORY_GIVEN __attribute__((returns_nonnull))

/* Makes jansson allocate the same way, so that printed JSON is always complete; and chooses which
 * memory is given back to the kernel. */
void memory_init(void);

/* Returns `memory`, the result of an allocation, or ends the process if it is NULL. */
MEMORY_GIVEN void *memory_given(void *memory);

/* Returns `size` zeroed bytes; resizes `old` to `count` elements of `size` bytes. */
MEMORY_GIVEN void *memory_alloc(size_t size);
MEMORY_GIVEN void *memory_resize(void *old, size_t count, size_t size);

/*
 * Opens a stream that writes to `*text`. Closing it ends the process unless all was written:
 * fclose() alone says neither that an earlier write failed, nor that there is no text for lack of
 * memory.
 */
MEMORY_GIVEN FILE *memory_stream(char **text, size_t *size);
void memory_stream_close(FILE *stream, char *const *text);

MEMORY_GIVEN char *memory_copy(const char *text, size_t length);
MEMORY_GIVEN char *memory_format(const char *format, ...) PLUMB_PRINTF(1, 2);
MEMORY_GIVEN char *memory_vformat(const char *format, va_list arguments) PLUMB_PRINTF(1, 0);

#endif
