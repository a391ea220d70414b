/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wraps text for a terminal and removes control characters. Text may come from an untrusted file,
 * so nothing in it may move the cursor or change a colour.
 *
 * A character takes as many columns as the C library says: two if it is wide, none if it combines
 * with the one before. What may not be shown takes the one of its '?'.
 */
#ifndef TOOL_WRAP_H
#define TOOL_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the size of the character at `text`, `length` > 0 bytes: 1 to 4; 1 if it is invalid. */
size_t wrap_character(const char *text, size_t length);

/* Returns how many columns `length` bytes take. Not thread-safe. */
size_t wrap_columns(const char *text, size_t length);

/*
 * Returns how many of `length` bytes fit in `width` columns: whole characters, each with those that
 * combine with it. Looks no further than at the first one that does not fit. Not thread-safe.
 */
size_t wrap_fit(const char *text, size_t length, size_t width);

/* Returns the length of `text` without an incomplete last character. */
size_t wrap_complete(const char *text);

/* Writes `length` bytes, with '?' for each character that may not be shown: base/visible.h. */
void wrap_put(FILE *stream, const char *text, size_t length);

/* Tells whether a line may end within a name, before text[at]: after "_", "-", "/", "," or "::". */
bool wrap_is_joint(const char *text, size_t at);

struct wrap_line {
	const char *at;
	size_t length;
	size_t columns;
};

/*
 * Takes the next line of at most `width` columns off `*rest`, or a wide character that alone has
 * more. The line ends at a newline, at the
 * last space that fits, or, if a word is wider than the line, within the word: at the
 * last joint that fits, if any. Returns false at the end. Pass another width for a first
 * line of a different width.
 */
bool wrap_next(const char **rest, size_t width, struct wrap_line *line);

#endif
