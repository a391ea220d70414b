/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/percent.h"

#include <math.h>
#include <string.h>

#include "tool/complain.h"

#define PERCENT_DEFAULT 2.0
#define PERCENT_LEAST   0.01
#define PERCENT_MOST    50.0

/* Reads percent: digits, perhaps with a point, perhaps followed by %. */
static bool read_percent(const char *text, double *percent)
{
	const size_t whole = strspn(text, "0123456789");
	const bool point = text[whole] == '.';
	const size_t part = point ? strspn(text + whole + 1, "0123456789") : 0;
	const char *end = text + whole + point + part;

	if (whole == 0 || whole + part > 15 || (point && !part) || (*end && strcmp(end, "%") != 0))
		return false;
	*percent = 0;
	for (size_t i = 0; i < whole; i++)
		*percent = 10 * *percent + (text[i] - '0');
	for (size_t i = 0; i < part; i++)
		*percent += (text[whole + 1 + i] - '0') / pow(10, (double)i + 1);
	return *percent >= PERCENT_LEAST && *percent <= PERCENT_MOST;
}

bool percent_read_sampled(const char *text, const char *other, double *error)
{
	double percent = PERCENT_DEFAULT;

	if (*text && !read_percent(text, &percent)) {
		complain("invalid value '%s' for --sampled", text);
		advise("use the error to reach, in percent of the cycles: %g to %g%s",
		       PERCENT_LEAST, PERCENT_MOST, other);
		return false;
	}
	*error = percent / 100;
	return true;
}
