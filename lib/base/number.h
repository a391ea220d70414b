/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that people write: decimal, hexadecimal, in thousands. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a whole number, decimal or, with 0x, hexadecimal; a decimal one may end in k, M or G, for
 * 1,000 and so on. Returns false if the text is anything else or the number is above `most`.
 */
bool number_read(const char *text, uint64_t most, uint64_t *number);

/*
 * Reads decimal digits, a number up to `most`. Text may follow them only if `end` is given, and is
 * put there.
 */
bool number_read_digits(const char *text, uint64_t most, uint64_t *number, const char **end);

/* Returns whether `text` contains a number above `most`: what was wrong with it. */
bool number_too_large(const char *text, uint64_t most);

#endif
