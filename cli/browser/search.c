/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/search.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "tool/wrap.h"

static bool has_capital(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

/* Returns the number of bytes of `text` that match, with escape sequences; 0: it differs. */
static size_t match(const char *text, size_t length, const char *wanted, bool exact)
{
	size_t at = 0;

	while (*wanted) {
		size_t escape = page_escape(text + at, length - at);

		if (escape) {
			at += escape;
			continue;
		}
		if (at == length)
			return 0;
		if (exact ? text[at] != *wanted
			  : tolower((unsigned char)text[at]) != tolower((unsigned char)*wanted))
			return 0;
		at++;
		wanted++;
	}
	return at;
}

long search_find(const char *text, size_t length, size_t from, const char *wanted, size_t *columns)
{
	const bool exact = has_capital(wanted);
	size_t column = 0, wide;
	uint32_t code;

	for (size_t at = 0; at < length && *wanted;) {
		const size_t escape = page_escape(text + at, length - at);

		if (escape) {
			at += escape;
			continue;
		}
		if (column >= from && match(text + at, length - at, wanted, exact)) {
			*columns = wrap_columns(wanted, strlen(wanted));
			/* What combines with the character before it is found with that. */
			*columns += !*columns;
			return (long)column;
		}
		at += page_character(text + at, length - at, &code, &wide);
		column += wide;
	}
	return -1;
}

bool page_line_matches(const struct page_line *line, const char *wanted)
{
	size_t columns;

	return search_find(line->text, line->length, 0, wanted, &columns) >= 0;
}

size_t page_matches(const struct page *page, const char *wanted, uint32_t group, double *share)
{
	const bool rows = page_has_rows(page);
	size_t count = 0;

	*share = 0;
	for (size_t at = 0; at < page->line_count; at++) {
		const struct page_line *line = &page->lines[at];

		if (!page_line_matches(line, wanted) ||
		    (rows && (!page_is_row(line) || line->mark->record.group != group)))
			continue;
		count++;
		*share += rows ? line->mark->record.share : 0;
	}
	return count;
}
