/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text_stream.h"
#include "tool/complain.h"

void *memory_given(void *memory)
{
	if (memory)
		return memory;
	complain("out of memory");
	exit(EXIT_OTHER);
}

void *memory_alloc(size_t size)
{
	return memory_given(calloc(1, size ? size : 1));
}

void *memory_resize(void *old, size_t count, size_t size)
{
	return memory_given(reallocarray(old, count ? count : 1, size));
}

FILE *memory_stream(char **text, size_t *size)
{
	return memory_given(text_stream(text, size));
}

void memory_stream_close(FILE *stream, char *const *text)
{
	const bool failed = ferror(stream);

	if (fclose(stream) != 0 || failed || !*text)
		memory_given(NULL);
}

char *memory_copy(const char *text, size_t length)
{
	/* `text` may be a part of a file, without a NUL: no strndup(). */
	const size_t size = strnlen(text, length);
	char *copy = memory_given(malloc(size + 1));

	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

char *memory_vformat(const char *format, va_list arguments)
{
	char *text;

	return memory_given(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

char *memory_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = memory_vformat(format, arguments);
	va_end(arguments);
	return text;
}

/* Large arrays are given back to the kernel when they are freed, and leave no holes in the heap;
 * what is smaller, such as buffers of a recording, stays in use without another page fault. */
static void choose_sizes(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 8 << 20);
	mallopt(M_TOP_PAD, 256 << 10);
#endif
}

void memory_init(void)
{
	choose_sizes();
	json_set_alloc_funcs(memory_alloc, free);
}
