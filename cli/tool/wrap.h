/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for a terminal: how wide it is, where its lines break, and what of it may be shown. Text
 * may come from a stranger's file, so nothing in it may move the cursor or change a colour.
 *
 * A character is one column; wide and combining ones are taken for that too, since what is shown
 * here has none.
 */
#ifndef TOOL_WRAP_H
#define TOOL_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Bytes of the character at `text`, `length` > 0 bytes: 1 to 4. `*shown` is false for a control
 * character and for a byte that is not UTF-8; such a one is shown as '?'.
 */
size_t wrap_character(const char *text, size_t length, bool *shown);

/* How many columns `length` bytes take. */
size_t wrap_columns(const char *text, size_t length);

/* Bytes of `text` up to its NUL without a last character that was cut off in its middle. */
size_t wrap_complete(const char *text);

/* Writes `length` bytes, harmless. */
void wrap_put(FILE *stream, const char *text, size_t length);

struct wrap_line {
	const char *at;
	size_t length;
	size_t columns;
};

/*
 * Takes the next line of at most `width` columns off `*rest`: up to a newline, or else broken at
 * the last space that fits, or, if a word is wider than all of it, within the word. Returns false
 * at the end. The first line may be narrower than the others: pass its width first.
 */
bool wrap_next(const char **rest, size_t width, struct wrap_line *line);

#endif
