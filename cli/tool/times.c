/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/times.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"

#define NS_A_SECOND 1000000000u

bool times_need_bounds(const char *text)
{
	return strchr(text, '%');
}

/* "12.345678901" up to `end`: to nanoseconds. */
static bool parse_seconds(const char *text, const char *end, uint64_t *time)
{
	uint64_t seconds = 0, fraction = 0, unit = NS_A_SECOND;

	if (text == end)
		return true; /* left open */
	if (!isdigit((unsigned char)*text))
		return false;
	for (; text < end && isdigit((unsigned char)*text); text++) {
		if (seconds > UINT64_MAX / NS_A_SECOND / 10 - 10)
			return false;
		seconds = seconds * 10 + (uint64_t)(*text - '0');
	}
	if (text < end && *text == '.') {
		for (text++; text < end && isdigit((unsigned char)*text) && unit > 1; text++) {
			unit /= 10;
			fraction += unit * (uint64_t)(*text - '0');
		}
	}
	*time = seconds * NS_A_SECOND + fraction;
	return text == end;
}

/* "1.5,2.5" up to `end`. */
static bool parse_range(struct time_ranges *times, const char *text, const char *end)
{
	const char *comma = memchr(text, ',', (size_t)(end - text));
	uint64_t start = 0, stop = 0;

	if (times->count == TIMES_MAX || !comma || !parse_seconds(text, comma, &start) ||
	    !parse_seconds(comma + 1, end, &stop) || (stop && stop < start))
		return false;
	if (times->count && times->at[times->count - 1].end >= start)
		return false;
	times->at[times->count].start = start;
	times->at[times->count++].end = stop;
	return true;
}

/* "1,2 3,4": ranges with blanks between. */
static bool parse_ranges(struct time_ranges *times, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " \t");

		if (length && !parse_range(times, text, text + length))
			return false;
		text += length + strspn(text + length, " \t");
	}
	return times->count;
}

/* "10%" at *text, which is moved behind it. */
static bool parse_percentage(const char **text, double *part)
{
	char *end;

	if (!isdigit((unsigned char)**text) && **text != '.')
		return false;
	*part = strtod(*text, &end) / 100;
	if (*end != '%')
		return false;
	*text = end + 1;
	return true;
}

/* "10%", "10%/2" (the second tenth) or "10%-20%". */
static bool parse_part(struct time_ranges *times, const char **text, uint64_t first, uint64_t last)
{
	double start, end, total = (double)(last - first);
	uint64_t from, to;

	if (times->count == TIMES_MAX || !parse_percentage(text, &end))
		return false;
	start = 0;
	if (**text == '/') {
		char *behind;
		long which = strtol(*text + 1, &behind, 10);

		if (behind == *text + 1 || end <= 0)
			return false;
		*text = behind;
		start = end * (double)(which - 1);
		end *= (double)which;
	} else if (**text == '-') {
		(*text)++;
		start = end;
		if (!parse_percentage(text, &end))
			return false;
	}
	if (!(start >= 0 && start <= end && end <= 1))
		return false;
	from = first + (uint64_t)round(start * total);
	to = first + (uint64_t)round(end * total);
	/* Parts that touch have no sample in common. */
	if (to > from && to != last)
		to--;
	times->at[times->count].start = from;
	times->at[times->count++].end = to;
	return true;
}

static bool parse_parts(struct time_ranges *times, const char *text, uint64_t first, uint64_t last)
{
	while (parse_part(times, &text, first, last)) {
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

int times_parse(struct time_ranges *times, const char *text, uint64_t first, uint64_t last,
		struct plumb_diagnostics *diagnostics)
{
	char quoted[QUOTE_ROOM];

	times->count = 0;
	if (strchr(text, '%') ? parse_parts(times, text, first, last) : parse_ranges(times, text))
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "bad-time", NULL, "invalid time '%s'",
			      quote(quoted, text));
	plumb_diagnostics_hint(
		diagnostics,
		"use START,STOP in seconds (either may be left out), or 10%%, 10%%/2 or 10%%-20%%");
	return PLUMB_ERR_SYNTAX;
}

bool times_match(const struct time_ranges *times, uint64_t time)
{
	if (times->count == 0 || time == 0)
		return true;
	for (size_t i = 0; i < times->count; i++) {
		if (time >= times->at[i].start &&
		    (times->at[i].end == 0 || time <= times->at[i].end))
			return true;
	}
	return false;
}
