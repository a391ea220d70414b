/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads perf stat -x. perf-stat(1), "CSV FORMAT", gives the fields:
 *
 *     [TIME] [UNIT [CPUS]] COUNT MEASURE EVENT [CGROUP] [DEVIATION%] RUNTIME PERCENT [METRIC UNIT]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"

#define LEADING_MAX 3 /* fields before the count */

/* Tells whether a field is a count, or perf's reason why there is none. */
static bool is_count(const char *field)
{
	double number;

	field += strspn(field, " \t");
	return fields_number(field, &number) || strcmp(field, "<not counted>") == 0 ||
	       strcmp(field, "<not supported>") == 0;
}

static bool is_number(const char *field)
{
	double number;

	return fields_number(field, &number);
}

static bool is_event(const char *field)
{
	return *field && *field != '<' && !is_number(field) && !strchr(field, '%');
}

static bool is_summary(const char *field)
{
	return strcmp(field + strspn(field, " "), "summary") == 0;
}

/* Returns how many fields precede the count; SIZE_MAX: this is no line of perf's. */
static size_t leading(const struct fields *f)
{
	for (size_t i = 0; i <= LEADING_MAX && i + 2 < f->count; i++) {
		const char *measure = f->at[i + 1];

		if (!is_count(f->at[i]) || is_number(measure) || *measure == '<' ||
		    !is_event(f->at[i + 2]))
			continue;
		/* The first of several is the time or a name; the last of three is how many. */
		if ((i == 0 || *f->at[0]) && (i < 3 || is_number(f->at[2])) &&
		    (i != 2 || is_number(f->at[0]) || is_summary(f->at[0]) || is_number(f->at[1])))
			return i;
	}
	return SIZE_MAX;
}

/* A line with only the second metric of an event. */
static bool is_only_metric(const struct fields *f)
{
	size_t empty = 0, longest = 0;

	for (size_t i = 0; i < f->count; i++) {
		empty = *f->at[i] ? 0 : empty + 1;
		longest = empty > longest ? empty : longest;
	}
	return longest >= 3;
}

/* Joins the fields of an event whose terms contain the separator: "cpu/event=1,long/". */
static void join_terms(struct fields *f, size_t event, const char *separator)
{
	for (;;) {
		size_t slashes = 0;
		char *end = f->at[event] + strlen(f->at[event]);

		for (const char *c = f->at[event]; *c; c++)
			slashes += *c == '/';
		if (slashes % 2 == 0 || event + 1 >= f->count)
			return;
		/* Where it was cut. */
		if (end + strlen(separator) != f->at[event + 1])
			return;
		for (const char *c = separator; *c; c++)
			*end++ = *c;
		memmove(&f->at[event + 1], &f->at[event + 2],
			(f->count - event - 2) * sizeof(*f->at));
		f->count--;
	}
}

/* Reads what follows the event. */
static void read_rest(const struct fields *f, size_t i, struct addition *a)
{
	if (i < f->count && *f->at[i] && !is_number(f->at[i]) && !strchr(f->at[i], '%'))
		a->cgroup = f->at[i++];
	if (i < f->count && strchr(f->at[i], '%')) {
		*strchr(f->at[i], '%') = '\0';
		if (!fields_number(f->at[i], &a->deviation))
			a->deviation = NAN;
		i++;
	}
	if (i < f->count && !fields_number(f->at[i], &a->running_ns))
		a->running_ns = NAN;
	if (i + 1 < f->count && !fields_number(f->at[i + 1], &a->percent))
		a->percent = NAN;
}

static int read_line(struct reader *reader, char *line)
{
	struct addition a = {
		.time = NAN, .value = NAN, .running_ns = NAN, .percent = NAN, .deviation = NAN};
	struct fields f;
	size_t count, first = 0;
	double number;

	if (!line[strspn(line, " \t")] || *line == '#')
		return 0;
	if (!fields_cut(&f, line, reader->separator))
		return reader_refuse(reader, PLUMB_ERR_LIMIT, "too many fields");
	count = leading(&f);
	if (count == SIZE_MAX && is_only_metric(&f))
		return 0;
	if (count == SIZE_MAX)
		return reader_refuse(reader, PLUMB_ERR_SYNTAX,
				     "not a line of perf stat -x with the separator '%s'",
				     reader->separator);
	if (count && is_summary(f.at[0])) {
		reader->import->summary = true;
		return 0;
	}
	if (count && fields_number(f.at[0], &a.time))
		first = 1;
	if (first < count)
		a.unit = f.at[first];
	if (first + 1 < count && fields_number(f.at[first + 1], &number) && number >= 1 &&
	    number <= 1e6)
		a.cpus = (unsigned)number;
	if (!fields_number(f.at[count], &a.value))
		a.value = NAN;
	a.msec = strcmp(f.at[count + 1], "msec") == 0;
	if (a.msec)
		a.value *= 1e6;
	join_terms(&f, count + 2, reader->separator);
	a.name = f.at[count + 2];
	read_rest(&f, count + 3, &a);
	reader->import->repeats |= !isnan(a.deviation);
	return import_add(reader, &a);
}

int perf_csv_read(struct reader *reader, char *text)
{
	int error = 0;
	char *line;

	while (error == 0 && fields_next_line(&text, &line)) {
		reader->line++;
		error = read_line(reader, line);
	}
	return error;
}

const char *perf_csv_separator(const char *line, char found[2])
{
	static const char usual[] = ",;\t|:!@#$^&*~ ";

	for (const char *c = usual; *c; c++) {
		struct fields f;
		char *copy;
		bool fits;

		if (!strchr(line, *c))
			continue;
		copy = strdup(line);
		if (!copy)
			return NULL;
		found[0] = *c;
		found[1] = '\0';
		fits = fields_cut(&f, copy, found) && leading(&f) != SIZE_MAX;
		free(copy);
		if (fits)
			return found;
	}
	return NULL;
}
