/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/pattern.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

/* Whether `text` contains the `length` bytes of `word`, ignoring case. */
static bool has_word(const char *text, const char *word, size_t length)
{
	for (; *text; text++)
		if (strncasecmp(text, word, length) == 0)
			return true;
	return false;
}

static bool fits(const char *pattern, const char *name, const char *title)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0 ||
		       fnmatch(pattern, title, FNM_CASEFOLD) == 0;
	for (;;) {
		size_t length;

		pattern += strspn(pattern, " ");
		length = strcspn(pattern, " ");
		if (length == 0)
			return true;
		if (!has_word(name, pattern, length) && !has_word(title, pattern, length))
			return false;
		pattern += length;
	}
}

bool pattern_wants(const struct operands *patterns, const char *name, const char *title)
{
	for (int i = 0; i < patterns->count; i++)
		if (fits(patterns->at[i], name, title))
			return true;
	return patterns->count == 0;
}
