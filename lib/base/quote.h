/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of unknown origin made fit for a message: short, on one line, and without the control
 * characters by which a file could command the reader's terminal.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include <stddef.h>

/* The longest piece of foreign text that a message shows, in bytes. */
#define QUOTE_MAX 160

/* Room for any quoted text: every byte as an escape, "..." and the NUL. */
#define QUOTE_ROOM (6 * QUOTE_MAX + 4)

/*
 * Writes `length` bytes of `text` to `out`, NUL-terminated, control characters (ASCII's and those
 * of U+0080 to U+009F) as \u00XX as JSON spells them; past QUOTE_MAX bytes "..." follows. UTF-8
 * sequences are not torn apart. Returns the length written.
 */
size_t quote_bytes(char out[QUOTE_ROOM], const char *text, size_t length);

/* The same of a string; returns `out`, for use among the arguments of a printf. */
const char *quote(char out[QUOTE_ROOM], const char *text);

#endif
