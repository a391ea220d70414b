/* SPDX-License-Identifier: Apache-2.0 */
#include "base/visible.h"

#include <stdbool.h>
#include <string.h>

size_t visible_character(const char *text, size_t length, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	uint32_t value = s[0];
	size_t bytes = 1;

	*code = VISIBLE_INVALID;
	if (value >= 0xc2 && value < 0xe0)
		bytes = 2, value &= 0x1f;
	else if (value >= 0xe0 && value < 0xf0)
		bytes = 3, value &= 0xf;
	else if (value >= 0xf0 && value < 0xf5)
		bytes = 4, value &= 0x7;
	else if (value >= 0x80)
		return 1;

	if (bytes > length)
		return 1;
	for (size_t i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < smallest[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 1;
	*code = value;
	return bytes;
}

static bool is_visible(uint32_t code)
{
	return code != VISIBLE_INVALID && code >= 0x20 && !(code >= 0x7f && code < 0xa0) &&
	       !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

size_t visible_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		const unsigned char c = (unsigned char)text[at];
		uint32_t code;
		size_t bytes;

		/* Nearly all text is ASCII. */
		if (c >= 0x20 && c < 0x7f) {
			at++;
			continue;
		}
		bytes = visible_character(text + at, length - at, &code);
		if (!is_visible(code))
			break;
		at += bytes;
	}
	return at;
}

size_t visible_valid(const char *text, size_t length, char *copy)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t used = 0;

	while (length) {
		uint32_t code;
		const size_t bytes = visible_character(text, length, &code);
		const bool invalid = code == VISIBLE_INVALID;
		const size_t size = invalid ? sizeof(replacement) - 1 : bytes;

		if (copy)
			memcpy(copy + used, invalid ? replacement : text, size);
		used += size;
		text += bytes;
		length -= bytes;
	}
	return used;
}
