/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <stdio.h>
#include <string.h>

#include "base/visible.h"

/* Shows the character at `text` by its number; a byte that is not UTF-8 as C has it. */
static size_t escape(char *out, const char *text, uint32_t code)
{
	if (code == VISIBLE_INVALID)
		return (size_t)sprintf(out, "\\x%02x", (unsigned char)*text);
	return (size_t)sprintf(out, "\\u%04x", code);
}

size_t quote_bytes(char out[QUOTE_ROOM], const char *text, size_t length)
{
	size_t shown = length, at = 0;

	if (length > QUOTE_MAX) {
		shown = QUOTE_MAX;
		while (shown > QUOTE_MAX - 4 && ((unsigned char)text[shown] & 0xc0) == 0x80)
			shown--;
	}
	for (size_t i = 0; i < shown;) {
		size_t plain = visible_length(text + i, shown - i);
		uint32_t code;

		memcpy(out + at, text + i, plain);
		at += plain;
		i += plain;
		if (i == shown)
			break;
		plain = visible_character(text + i, shown - i, &code);
		at += escape(out + at, text + i, code);
		i += plain;
	}
	if (shown < length) {
		memcpy(out + at, "...", 3);
		at += 3;
	}
	out[at] = '\0';
	return at;
}

const char *quote(char out[QUOTE_ROOM], const char *text)
{
	quote_bytes(out, text, strlen(text));
	return out;
}
