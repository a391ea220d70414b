/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <stdio.h>
#include <string.h>

static size_t escape(char *out, unsigned code)
{
	return (size_t)sprintf(out, "\\u%04x", code);
}

size_t quote_bytes(char out[QUOTE_ROOM], const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t shown = length, at = 0;

	if (length > QUOTE_MAX) {
		shown = QUOTE_MAX;
		while (shown > QUOTE_MAX - 4 && (bytes[shown] & 0xc0) == 0x80)
			shown--;
	}
	for (size_t i = 0; i < shown; i++) {
		if (bytes[i] < 0x20 || bytes[i] == 0x7f)
			at += escape(out + at, bytes[i]);
		else if (bytes[i] == 0xc2 && i + 1 < shown && bytes[i + 1] < 0xa0)
			at += escape(out + at, bytes[++i]);
		else
			out[at++] = text[i];
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
