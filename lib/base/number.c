/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* Reads the number at the beginning of `text`. Returns false if there is no room for it. */
static bool read_first(const char *text, uint64_t *number, char **end)
{
	static const struct {
		char letter;
		uint64_t factor;
	} units[] = {{'k', 1000}, {'K', 1000}, {'M', 1000000}, {'G', 1000000000}};
	const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;

	errno = 0;
	*number = strtoull(text, end, base);
	for (unsigned i = 0; base == 10 && i < sizeof(units) / sizeof(*units); i++) {
		if (**end != units[i].letter)
			continue;
		++*end;
		return !errno && !__builtin_mul_overflow(*number, units[i].factor, number);
	}
	return !errno;
}

bool number_read_digits(const char *text, uint64_t most, uint64_t *number, const char **end)
{
	char *rest;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &rest, 10);
	if (end)
		*end = rest;
	return !errno && *number <= most && (end || !*rest);
}

bool number_read(const char *text, uint64_t most, uint64_t *number)
{
	uint64_t value;
	char *end;

	/* strtoull() takes signs and blanks, too; "0x" alone ends at its x. */
	if (!strspn(text, DIGITS) || !read_first(text, &value, &end) || *end || value > most)
		return false;
	*number = value;
	return true;
}

bool number_too_large(const char *text, uint64_t most)
{
	char *end;

	for (text += strcspn(text, DIGITS); *text; text = end + strcspn(end, DIGITS)) {
		uint64_t value;

		if (!read_first(text, &value, &end) || value > most)
			return true;
	}
	return false;
}
