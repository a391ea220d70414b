/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every unit test includes: cmocka, the headers it wants before it, and a fix for what it
 * writes. A skipped test is "not ok 3 # SKIP name" to cmocka 1.1, which Meson takes for a failed
 * one; the Test Anything Protocol has it as "ok 3 # SKIP".
 */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __GLIBC__
/* Whole lines, as the stream is line-buffered; "not " is left out of those of skipped tests. */
static ssize_t check_write(void *cookie, const char *bytes, size_t size)
{
	FILE *out = cookie;

	for (size_t at = 0, length; at < size; at += length) {
		const char *line = bytes + at, *end = memchr(line, '\n', size - at);
		int number, skipped = 0;

		length = end ? (size_t)(end - line) + 1 : size - at;
		if (end && length < 1000 && !memchr(line, '\0', length)) {
			char text[1000];

			memcpy(text, line, length);
			text[length] = '\0';
			if (sscanf(text, "not ok %d # SKIP%n", &number, &skipped) != 1)
				skipped = 0;
		}
		fwrite(line + (skipped ? 4 : 0), 1, length - (skipped ? 4 : 0), out);
	}
	fflush(out);
	return (ssize_t)size;
}

__attribute__((constructor)) static void check_set_up(void)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	FILE *through =
		out ? fopencookie(out, "w", (cookie_io_functions_t){.write = check_write}) : NULL;

	if (!through)
		return;
	setvbuf(through, NULL, _IOLBF, BUFSIZ);
	stdout = through;
}
#endif

#endif
