/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/wrap.h"

#include <stdint.h>
#include <string.h>

#include "base/visible.h"

size_t wrap_character(const char *text, size_t length)
{
	uint32_t code;

	return visible_character(text, length, &code);
}

size_t wrap_columns(const char *text, size_t length)
{
	size_t columns = 0;

	/* Nearly all text is ASCII. */
	for (size_t i = 0; i < length; columns++)
		i += (unsigned char)text[i] < 0x80 ? 1 : wrap_character(text + i, length - i);
	return columns;
}

size_t wrap_complete(const char *text)
{
	size_t length = strlen(text), start = length;

	/* Go back over at most three continuation bytes to their lead byte. */
	for (int i = 0; i < 3 && start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80; i++)
		start--;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xc0) {
		start--;
		if (wrap_character(text + start, length - start) == 1)
			return start;
	}
	return length;
}

void wrap_put(FILE *stream, const char *text, size_t length)
{
	for (;;) {
		size_t plain = visible_length(text, length);

		fwrite(text, 1, plain, stream);
		text += plain;
		length -= plain;
		if (length == 0)
			return;
		fputc('?', stream);
		plain = wrap_character(text, length);
		text += plain;
		length -= plain;
	}
}

static bool is_joint(char byte)
{
	return byte && strchr(WRAP_JOINTS, byte);
}

bool wrap_next(const char **rest, size_t width, struct wrap_line *line)
{
	const char *text = *rest;
	size_t length = 0, at = 0, columns = 0, fits = 0, fits_columns = 0;
	size_t part = 0, part_columns = 0; /* where a name without spaces may be divided */

	if (*text == '\0')
		return false;
	if (width == 0)
		width = 1;
	/* Look at no more bytes than one line can hold, so that the cost is linear in the text. */
	while (length < 4 * width + 4 && text[length] && text[length] != '\n')
		length++;

	/* A text that fits is divided nowhere. */
	if (length <= width)
		at = length, columns = wrap_columns(text, length);
	while (at < length && columns < width) {
		if (text[at] == ' ' && (at == 0 || text[at - 1] != ' '))
			fits = at, fits_columns = columns;
		if (at > 0 && is_joint(text[at - 1]))
			part = at, part_columns = columns;
		at += wrap_character(text + at, length - at);
		columns++;
	}
	if (at < length && text[at] != ' ' && fits > 0)
		at = fits, columns = fits_columns;
	else if (at < length && text[at] != ' ' && part > 0 && !is_joint(text[at - 1]))
		at = part, columns = part_columns;

	*line = (struct wrap_line){text, at, columns};
	while (line->length > 0 && text[line->length - 1] == ' ')
		line->length--, line->columns--;
	while (text[at] == ' ')
		at++;
	*rest = text + at + (text[at] == '\n');
	return true;
}
