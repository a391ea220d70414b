/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts text into lines, and lines into fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"

bool fields_next_line(char **text, char **line)
{
	char *end;

	if (!**text)
		return false;
	*line = *text;
	end = *text + strcspn(*text, "\n");
	*text = *end ? end + 1 : end;
	*end = '\0';
	if (end > *line && end[-1] == '\r')
		end[-1] = '\0';
	return true;
}

/* Removes the quotes of a field that begins with one; returns what follows the last. */
static char *unquote(char *field)
{
	const char *from = field + 1;
	char *to = field;

	while (*from && (*from != '"' || from[1] == '"')) {
		from += *from == '"';
		*to++ = *from++;
	}
	from += *from == '"';
	/* What follows the closing quote belongs to the field, too. */
	return memmove(to, from, strlen(from) + 1);
}

bool fields_cut(struct fields *fields, char *line, const char *separator)
{
	const size_t length = strlen(separator);

	fields->count = 0;
	for (;;) {
		char *end;

		if (fields->count == FIELDS_MAX)
			return false;
		fields->at[fields->count++] = line;
		end = strstr(*line == '"' ? unquote(line) : line, separator);
		if (!end)
			return true;
		*end = '\0';
		line = end + length;
	}
}

bool fields_number(const char *field, double *number)
{
	static const char digits[] = "0123456789";
	char copy[64], *end, *comma;
	size_t length;

	field += strspn(field, " \t");
	length = strlen(field);
	while (length && strchr(" \t", field[length - 1]))
		length--;
	/* No "inf", "nan" or hexadecimal. */
	if (!length || length >= sizeof(copy) || !strpbrk(field, digits) ||
	    strspn(field, "0123456789+-.,eE") < length)
		return false;
	memcpy(copy, field, length);
	copy[length] = '\0';
	/* Some locales write 0,5. */
	comma = strchr(copy, ',');
	if (comma && !strchr(copy, '.') && strrchr(copy, ',') == comma)
		*comma = '.';
	*number = strtod(copy, &end);
	return !*end && isfinite(*number);
}

bool fields_thousands(const char *field, double *number, bool *ambiguous)
{
	size_t length, i;
	char copy[64];

	*ambiguous = false;
	if (!strchr(field, ','))
		return fields_number(field, number);
	field += strspn(field, " \t");
	i = *field == '-' || *field == '+';
	length = i + strspn(field + i, "0123456789.,");
	if (length >= sizeof(copy) || !strpbrk(field, "0123456789") ||
	    strspn(field + length, " \t") < strlen(field + length))
		return false;
	memcpy(copy, field, length);
	copy[length] = '\0';
	/* "0,123" is 0.123 where the decimal point is a comma. */
	*ambiguous = copy[i] == '0';
	length = strspn(copy + i, "0123456789");
	*ambiguous = *ambiguous || length < 1 || length > 3;
	for (i += length; copy[i] == ','; i += 3) {
		memmove(copy + i, copy + i + 1, strlen(copy + i));
		if (strspn(copy + i, "0123456789") != 3) {
			*ambiguous = true;
			return false;
		}
	}
	*ambiguous = *ambiguous || strchr(copy, ',') || !fields_number(copy, number);
	return !*ambiguous;
}

/* Copies a field without blanks around it. Returns false if it is too long or not only digits, a
 * sign, commas and points.
 */
static bool copy_digits(const char *field, char copy[64])
{
	size_t length, sign;

	field += strspn(field, " \t");
	sign = *field == '-' || *field == '+';
	length = sign + strspn(field + sign, "0123456789.,");
	if (length >= 64 || !strpbrk(field, "0123456789") ||
	    strspn(field + length, " \t") < strlen(field + length))
		return false;
	memcpy(copy, field, length);
	copy[length] = '\0';
	return true;
}

/* Takes the separators of thousands out. Returns false if they do not separate groups of three. */
static bool drop_thousands(char *copy, char separator, char point)
{
	const char rejected[] = {separator, '\0'};
	char *at = copy + (*copy == '-' || *copy == '+');
	size_t length = strspn(at, "0123456789");
	const bool grouped = at[length] == separator;

	if (grouped && (length < 1 || length > 3 || *at == '0'))
		return false;
	for (at += length; *at == separator; at += 3) {
		memmove(at, at + 1, strlen(at));
		if (strspn(at, "0123456789") != 3)
			return false;
	}
	return (!*at || *at == point) && !strpbrk(at, rejected);
}

char fields_decimal_point(const char *field)
{
	const char *first, *last, *digits;
	char copy[64], other, at_last;

	if (!copy_digits(field, copy))
		return '\0';
	digits = copy + (*copy == '-' || *copy == '+');
	first = strpbrk(copy, ".,");
	if (!first)
		return '\0';
	last = first;
	for (const char *next = first; (next = strpbrk(next + 1, ".,"));)
		last = next;
	at_last = *last;
	other = at_last == ',' ? '.' : ',';
	if (strchr(copy, other)) { /* the last one, if the others are thousands */
		const bool single = strchr(copy, at_last) == last;

		return single && drop_thousands(copy, other, at_last) ? at_last : '\0';
	}
	if (first != last)
		return drop_thousands(copy, at_last, other) ? other : '\0';
	return strlen(last + 1) != 3 || first == digits || first - digits > 3 || *digits == '0'
		       ? at_last
		       : '\0';
}

bool fields_local(const char *field, char point, double *number, bool *ambiguous)
{
	char copy[64], *at;

	*ambiguous = false;
	if (!strpbrk(field, ".,"))
		return fields_number(field, number);
	if (!copy_digits(field, copy)) /* an exponent */
		return !strchr(field, ',') && fields_number(field, number);
	*ambiguous = true;
	if (!point || !drop_thousands(copy, point == ',' ? '.' : ',', point))
		return false;
	at = strchr(copy, point);
	if (at)
		*at = '.';
	*ambiguous = !fields_number(copy, number);
	return !*ambiguous;
}
