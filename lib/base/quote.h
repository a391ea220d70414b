/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes untrusted text safe for a message: short, on one line, and without control characters that
 * could manipulate the terminal.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include <stddef.h>

/* The maximum of quoted text in a message, in bytes. */
#define QUOTE_MAX 160

/* Enough for any quoted text: every byte as an escape, "..." and a NUL. */
#define QUOTE_ROOM (6 * QUOTE_MAX + 4)

/*
 * Writes `length` bytes of `text` to `out`, with a NUL. What a terminal must not get (visible.h)
 * becomes \uXXXX as in JSON; a byte that is not UTF-8, \xXX. Text longer than QUOTE_MAX bytes is
 * cut and ends in "..."; UTF-8 sequences are not split. Returns the length written.
 */
size_t quote_bytes(char out[QUOTE_ROOM], const char *text, size_t length);

/* Likewise for a string; returns `out`, for use as an argument of printf. */
const char *quote(char out[QUOTE_ROOM], const char *text);

#endif
