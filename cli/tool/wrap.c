/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/wrap.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/visible.h"

size_t wrap_character(const char *text, size_t length)
{
	uint32_t code;

	return visible_character(text, length, &code);
}

static locale_t unicode; /* 0: there is none */

static void find_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
}

/* Returns what the C library says of a character, whatever the locale. Threads may ask at once. */
static size_t library_columns(uint32_t code)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	int columns;

	pthread_once(&once, find_unicode);
	if (!unicode)
		return 1;
	before = uselocale(unicode);
	columns = wcwidth((wchar_t)code);
	uselocale(before);
	return columns < 0 ? 1 : (size_t)columns;
}

/* Sets how many columns the character at `text` takes. Returns its size. */
static size_t measure(const char *text, size_t length, size_t *columns)
{
	uint32_t code;
	size_t size = visible_character(text, length, &code);

	/* Letters of Latin, punctuation, and what trees and bars are drawn with: no locale needed.
	 */
	if (code < 0x300 || (code >= 0x2010 && code < 0x2060) ||
	    (code >= 0x2500 && code < 0x25fd) || code == VISIBLE_INVALID ||
	    visible_length(text, size) < size)
		*columns = 1;
	else
		*columns = library_columns(code);
	return size;
}

size_t wrap_columns(const char *text, size_t length)
{
	size_t columns, more = 1, i = 0;

	/* Nearly all text is ASCII. */
	for (; length - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t bytes;

		memcpy(&bytes, text + i, sizeof(bytes));
		if (bytes & UINT64_C(0x8080808080808080))
			break;
	}
	for (columns = i; i < length; columns += more) {
		more = 1;
		i += (unsigned char)text[i] < 0x80 ? 1 : measure(text + i, length - i, &more);
	}
	return columns;
}

size_t wrap_fit(const char *text, size_t length, size_t width)
{
	size_t at = 0, columns = 0, more;

	while (at < length) {
		const size_t size = measure(text + at, length - at, &more);

		if (columns + more > width)
			break;
		at += size;
		columns += more;
	}
	return at;
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

bool wrap_is_joint(const char *text, size_t at)
{
	const char before = at ? text[at - 1] : '\0';

	if (before == ':')
		return at > 1 && text[at - 2] == ':';
	return before && strchr("_-/,", before);
}

bool wrap_next(const char **rest, size_t width, struct wrap_line *line)
{
	const char *text = *rest;
	size_t length = 0, at = 0, columns = 0, fits = 0, fits_columns = 0;
	size_t wide = 0, part = 0,
	       part_columns = 0; /* where a name without spaces may be divided */

	if (*text == '\0')
		return false;
	if (width == 0)
		width = 1;
	/* Look at no more bytes than one line can hold, so that the cost is linear in the text. */
	while (length < 4 * width + 4 && text[length] && text[length] != '\n')
		length++;
	/* Characters without columns may fill it: do not divide one. */
	for (int i = 0; i < 3 && length > 4 * width && ((unsigned char)text[length] & 0xc0) == 0x80;
	     i++)
		length--;

	/* A text that fits is divided nowhere. */
	if (length <= width)
		at = length, columns = wrap_columns(text, length);
	while (at < length) {
		const size_t size = measure(text + at, length - at, &wide);

		if (at > 0 && columns + wide > width)
			break;
		/* A percent sign stays with its number. */
		if (text[at] == ' ' && text[at + 1] != '%' && (at == 0 || text[at - 1] != ' '))
			fits = at, fits_columns = columns;
		if (wrap_is_joint(text, at))
			part = at, part_columns = columns;
		at += size;
		columns += wide;
	}
	if (at < length && text[at] != ' ' && fits > 0)
		at = fits, columns = fits_columns;
	else if (at < length && text[at] != ' ' && part > 0 && !wrap_is_joint(text, at))
		at = part, columns = part_columns;

	*line = (struct wrap_line){text, at, columns};
	while (line->length > 0 && text[line->length - 1] == ' ')
		line->length--, line->columns--;
	while (text[at] == ' ')
		at++;
	*rest = text + at + (text[at] == '\n');
	return true;
}
