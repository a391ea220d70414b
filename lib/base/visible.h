/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which text from outside may reach a terminal. Names in recordings and specifications come from
 * strangers, and a terminal obeys control characters. Every printer asks here.
 */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include <stddef.h>
#include <stdint.h>

/* The code of a byte that is not part of valid UTF-8. */
#define VISIBLE_INVALID UINT32_MAX

/*
 * Reads the character at `text`, which has `length` > 0 bytes. Sets `*code` to its Unicode code
 * point, or to VISIBLE_INVALID. Returns its size: 1 to 4 bytes, 1 if it is invalid.
 */
size_t visible_character(const char *text, size_t length, uint32_t *code);

/*
 * Returns how many bytes at `text` may be shown as they are, at most `length`. The character after
 * them is one of C0 (U+0000 to U+001F), U+007F, C1 (U+0080 to U+009F, of which U+009B begins a
 * control sequence), a separator of lines, a mark that reverses the direction of what is around it,
 * or invalid UTF-8, such as a single byte 0x9b.
 */
size_t visible_length(const char *text, size_t length);

/*
 * Copies text of any bytes to `copy` as valid UTF-8: each byte that is not part of it becomes
 * U+FFFD. Returns the length of the copy, which has no '\0'; NULL as `copy` only measures. At most
 * three times `length`.
 */
size_t visible_valid(const char *text, size_t length, char *copy);

#endif
