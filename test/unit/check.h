/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every unit test includes: cmocka, the headers it wants before it, and a fix for what it
 * writes. A skipped test is "not ok 3 # SKIP name" to cmocka 1.1.5, which Meson takes for a failed
 * one, "ok 3 # SKIP name" to 1.1.7, and there is no reason; the Test Anything Protocol has it as
 * "ok 3 - name # SKIP reason".
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

/* Why the test is skipped. */
static const char *check_reason = "";

/* Ends the test as skipped. Frees nothing. */
#define skip_because(why)             \
	do {                          \
		check_reason = (why); \
		skip();               \
	} while (0)

#ifdef __GLIBC__
/* Whole lines, as the stream is line-buffered; those of skipped tests are put right. */
static ssize_t check_write(void *cookie, const char *bytes, size_t size)
{
	FILE *out = cookie;

	for (size_t at = 0, length; at < size; at += length) {
		const char *line = bytes + at, *end = memchr(line, '\n', size - at);
		char name[1000] = "";
		int number, skipped = 0;

		length = end ? (size_t)(end - line) + 1 : size - at;
		if (end && length < sizeof(name) && !memchr(line, '\0', length)) {
			char text[sizeof(name)];

			memcpy(text, line, length);
			text[length] = '\0';
			skipped = sscanf(text, "not ok %d # SKIP %999[^\n]", &number, name) == 2 ||
				  sscanf(text, "ok %d # SKIP %999[^\n]", &number, name) == 2;
		}
		if (skipped)
			fprintf(out, "ok %d - %s # SKIP %s\n", number, name, check_reason);
		else
			fwrite(line, 1, length, out);
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
