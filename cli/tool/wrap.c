/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/wrap.h"

#include <stdint.h>
#include <string.h>

size_t wrap_character(const char *text, size_t length, bool *shown)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = s[0];
	size_t bytes = 1;

	if (code >= 0xc2 && code < 0xe0)
		bytes = 2, code &= 0x1f;
	else if (code >= 0xe0 && code < 0xf0)
		bytes = 3, code &= 0xf;
	else if (code >= 0xf0 && code < 0xf5)
		bytes = 4, code &= 0x7;
	else if (code >= 0x80)
		goto bad;

	if (bytes > length)
		goto bad;
	for (size_t i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			goto bad;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < smallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		goto bad;

	/* C0 and C1 controls, and the marks that change the direction of the text around them. */
	*shown = !(code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		   (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069));
	return bytes;
bad:
	*shown = false;
	return 1;
}

size_t wrap_columns(const char *text, size_t length)
{
	size_t columns = 0;
	bool shown;

	for (size_t i = 0; i < length; columns++)
		i += wrap_character(text + i, length - i, &shown);
	return columns;
}

size_t wrap_complete(const char *text)
{
	size_t length = strlen(text), start = length;

	/* Go back over at most three continuation bytes to their lead byte. */
	for (int i = 0; i < 3 && start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80; i++)
		start--;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xc0) {
		bool shown;

		start--;
		if (wrap_character(text + start, length - start, &shown) == 1)
			return start;
	}
	return length;
}

void wrap_put(FILE *stream, const char *text, size_t length)
{
	size_t plain = 0;

	while (length > 0) {
		bool shown;
		size_t bytes = wrap_character(text + plain, length, &shown);

		length -= bytes;
		if (shown) {
			plain += bytes;
			continue;
		}
		fwrite(text, 1, plain, stream);
		fputc('?', stream);
		text += plain + bytes;
		plain = 0;
	}
	fwrite(text, 1, plain, stream);
}

bool wrap_next(const char **rest, size_t width, struct wrap_line *line)
{
	const char *text = *rest;
	size_t length = 0, at = 0, columns = 0, fits = 0, fits_columns = 0;
	bool shown;

	if (*text == '\0')
		return false;
	if (width == 0)
		width = 1;
	/* Look at no more bytes than one line can hold, so that the cost is linear in the text. */
	while (length < 4 * width + 4 && text[length] && text[length] != '\n')
		length++;

	while (at < length && columns < width) {
		if (text[at] == ' ' && (at == 0 || text[at - 1] != ' '))
			fits = at, fits_columns = columns;
		at += wrap_character(text + at, length - at, &shown);
		columns++;
	}
	if (at < length && text[at] != ' ' && fits > 0)
		at = fits, columns = fits_columns;

	*line = (struct wrap_line){text, at, columns};
	while (line->length > 0 && text[line->length - 1] == ' ')
		line->length--, line->columns--;
	while (text[at] == ' ')
		at++;
	*rest = text + at + (text[at] == '\n');
	return true;
}
