/* SPDX-License-Identifier: Apache-2.0 */
#include "render/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

char *figure_count(const struct pen *pen, double count)
{
	char *plain, *text;
	size_t digits, used = 0;

	if (!isfinite(count) || count < 0)
		return memory_copy(pen->missing, strlen(pen->missing));
	/* Integers are printed in a tenth of the time, which every line of -I takes. */
	plain = count < 1e18 ? memory_format("%" PRIu64, (uint64_t)nearbyint(count))
			     : memory_format("%.0f", count);
	digits = strlen(plain);
	text = memory_alloc(digits + digits / 3 + 1);
	for (size_t i = 0; i < digits; i++) {
		if (i > 0 && (digits - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = plain[i];
	}
	free(plain);
	return text;
}

double figure_rounded(double number)
{
	double unit = 1;

	while (isfinite(number) && number / unit >= 99.5)
		unit *= 10;
	return round(number / unit) * unit;
}

char *figure_percentage(double percent)
{
	return percent >= 99.5 ? memory_format("%.0f", percent) : memory_format("%.2g", percent);
}

/* Decimal places: one for a percentage, otherwise enough for about four digits. */
static int places(double value, const char *units)
{
	return strncmp(units, "percent", 7) == 0 || fabs(value) >= 100 ? 1 : 3;
}

char *figure_value(const struct pen *pen, double value, const char *units)
{
	if (isnan(value))
		return memory_copy(pen->missing, strlen(pen->missing));
	return memory_format("%.*f", places(value, units), value);
}

bool figure_is_zero(double value, const char *units)
{
	return isnan(value) || fabs(value) < 0.5 * pow(10, -places(value, units));
}

char *figure_range(const struct pen *pen, const struct plumb_value *value, const char *units)
{
	char *low = figure_value(pen, value->low, units),
	     *high = figure_value(pen, value->high, units);
	char *text = isnan(value->low) ? memory_copy(low, strlen(low))
				       : memory_format("%s..%s", low, high);

	free(low);
	free(high);
	return text;
}

char *figure_duration(double seconds)
{
	/* A unit begins where rounding to three digits would reach it: 0.9996 s is 1 s. */
	static const struct {
		double least;
		double unit;
		const char *name;
	} scales[] = {
		{2 * 86400, 86400, "days"},
		{2 * 3600, 3600, "hours"},
		{2 * 60, 60, "minutes"},
		{0.9995, 1, "s"},
		{0.9995e-3, 1e-3, "ms"},
		{0.9995e-6, 1e-6, "us"},
		{0, 1e-9, "ns"},
	};
	size_t i = 0;
	double count;

	while (i + 1 < sizeof(scales) / sizeof(*scales) && !(seconds >= scales[i].least))
		i++;
	count = seconds / scales[i].unit;
	if (scales[i].unit <= 1)
		return memory_format("%.3g %s", count, scales[i].name);
	return memory_format("%.*f %s", count < 9.95 ? 1 : 0, count, scales[i].name);
}

char *figure_work(double seconds, double instructions)
{
	const double millions = instructions / 1e6;

	if (!(millions > 0.5) || !(millions / seconds >= 0.05))
		return memory_format("%.0f s", seconds);
	return memory_format("%.0f s: %.0f million instructions, %.1f million per second", seconds,
			     millions, millions / seconds);
}

char *figure_work_of(double seconds, double instructions, double most)
{
	const double millions = instructions / 1e6;
	char *all, *text;

	if (!(millions > 0.5) || !(millions / seconds >= 0.05) || !(most >= instructions))
		return figure_work(seconds, instructions);
	all = figure_duration(figure_rounded(seconds * most / instructions));
	/* With the end, there is no need for the number so far, nor room on a narrow terminal. */
	text = memory_format("%.0f s of about %s; %.1f million instructions per second", seconds,
			     all, millions / seconds);
	free(all);
	return text;
}
