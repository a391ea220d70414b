/* SPDX-License-Identifier: Apache-2.0 */
/* Writes text from outside into formats without escapes. */
#ifndef RENDER_VISIBLE_WRITE_H
#define RENDER_VISIBLE_WRITE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes `text` as valid UTF-8 on one line. A line break would end a name, and a terminal obeys
 * other characters: each becomes "?", and each of the ASCII characters in `not_these` becomes "_".
 */
void visible_write(FILE *stream, const char *text, size_t length, const char *not_these);

#endif
