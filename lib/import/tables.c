/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV with headings: topdown-tool's, and tables with a column per event. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "import/reader.h"

static size_t column_of(const struct fields *headings, const char *name)
{
	size_t i = 0;

	while (i < headings->count && text_compare(headings->at[i], name) != 0)
		i++;
	return i;
}

static const char *field_of(const struct fields *f, size_t column)
{
	return column < f->count ? f->at[column] : "";
}

/* ---- topdown-tool ---------------------------------------------------------------------------- */

/* topdown-tool(1): README.CPU.md, "CSV output". */
struct topdown {
	size_t metric, event, value, group, time, run;
};

static struct topdown topdown_columns(const struct fields *headings)
{
	return (struct topdown){
		column_of(headings, "metric"), column_of(headings, "event"),
		column_of(headings, "value"),  column_of(headings, "group"),
		column_of(headings, "time"),   column_of(headings, "run"),
	};
}

bool topdown_is_heading(const char *line)
{
	struct fields f;
	struct topdown columns;
	char *copy = strdup(line);
	bool is = false;

	if (copy && fields_cut(&f, copy, ",")) {
		columns = topdown_columns(&f);
		is = columns.value < f.count &&
		     (columns.metric < f.count || columns.event < f.count);
	}
	free(copy);
	return is;
}

static int topdown_row(struct reader *reader, const struct topdown *columns, struct fields *f)
{
	struct addition a = {
		.value = NAN, .time = NAN, .running_ns = NAN, .percent = NAN, .deviation = NAN};
	const char *value = field_of(f, columns->value), *time = field_of(f, columns->time);
	double run = NAN;

	a.metric = columns->metric < f->count;
	a.name = field_of(f, a.metric ? columns->metric : columns->event);
	if (a.metric && *field_of(f, columns->group))
		a.group = field_of(f, columns->group);
	if (*value && !fields_number(value, &a.value))
		return reader_refuse(reader, PLUMB_ERR_INVALID, "invalid value \"%s\" of %s", value,
				     a.name);
	if (*time && !fields_number(time, &a.time))
		return reader_refuse(reader, PLUMB_ERR_INVALID, "invalid time \"%s\"", time);
	/* The intervals of two runs do not coincide. */
	if (fields_number(field_of(f, columns->run), &run) && run > 1 && !isnan(a.time))
		return reader_refuse(reader, PLUMB_ERR_INVALID,
				     "intervals of several runs cannot be combined");
	return import_add(reader, &a);
}

int topdown_read(struct reader *reader, char *text)
{
	struct fields *f = malloc(sizeof(*f));
	struct topdown columns;
	int error = 0;
	char *line;

	if (!f)
		return PLUMB_ERR_NO_MEMORY;
	if (!fields_next_line(&text, &line) || !fields_cut(f, line, ","))
		line = NULL;
	reader->line++;
	columns = line ? topdown_columns(f) : (struct topdown){0};
	if (!line || columns.value >= f->count ||
	    (columns.metric >= f->count && columns.event >= f->count))
		error = reader_refuse(reader, PLUMB_ERR_SYNTAX,
				      "no heading \"value\" with \"metric\" or \"event\"");
	while (error == 0 && fields_next_line(&text, &line)) {
		reader->line++;
		if (!*line)
			continue;
		error = fields_cut(f, line, ",")
				? topdown_row(reader, &columns, f)
				: reader_refuse(reader, PLUMB_ERR_LIMIT, "too many fields");
	}
	free(f);
	return error;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct table {
	struct fields headings, row;
	const char *separator;
	char point; /* of decimals, where fields are not cut at commas; '\0': unknown */
	double sums[FIELDS_MAX]; /* NaN: no number yet */
	bool text[FIELDS_MAX];   /* the column has something else, too, such as "N/A" */
	size_t rows[FIELDS_MAX]; /* with a number in the column */
	size_t row_count;        /* with any number */
};

/* Returns the separator that cuts the headings into most fields, in `found`. */
static const char *table_separator(const char *headings, char found[2])
{
	static const char usual[] = ",;\t";
	size_t most = 0;

	found[1] = '\0';
	for (const char *c = usual; *c; c++) {
		const char separator[] = {*c, '\0'};
		char *copy = strdup(headings);
		struct fields f;

		if (!copy)
			return NULL;
		if (fields_cut(&f, copy, separator) && f.count > most) {
			most = f.count;
			*found = *c;
		}
		free(copy);
	}
	return most > 0 ? found : ",";
}

bool table_is_heading(const char *line, const char *separator)
{
	char *copy = strdup(line);
	bool is = false, ambiguous;
	struct fields f;
	double number;

	if (copy && fields_cut(&f, copy, separator)) {
		is = f.count > 1;
		for (size_t i = 0; i < f.count; i++)
			is = is && *f.at[i] != '<' &&
			     !fields_thousands(f.at[i], &number, &ambiguous);
	}
	free(copy);
	return is;
}

/* Tells whether a heading ends with a word in parentheses, and sets how long it is without. */
static bool is_part(const char *heading, const char *word, size_t *length)
{
	const size_t all = strlen(heading), end = strlen(word);

	*length = all - end;
	return all > end && text_compare(heading + *length, word) == 0;
}

/*
 * Tells whether a table has call paths, whose counts are in the rows of all callers, too: as Arm's
 * sl-analyze writes them, a column for the row of the caller, or counts "(self)" and "(total)".
 */
static bool has_call_paths(const struct fields *headings)
{
	for (size_t i = 0; i < headings->count; i++) {
		size_t self, total;

		if (text_compare_bytes(headings->at[i], strcspn(headings->at[i], " _"), "parent") ==
		    0)
			return true;
		for (size_t k = 0; is_part(headings->at[i], "(self)", &self) && k < headings->count;
		     k++)
			if (is_part(headings->at[k], "(total)", &total) && self == total &&
			    strncmp(headings->at[i], headings->at[k], self) == 0)
				return true;
	}
	return false;
}

/* Finds the decimal point in all rows: '\0' if none shows it, or they contradict each other. */
static int find_point(struct table *t, const char *rows)
{
	char *copy = strdup(rows), *text = copy, *line, point = '\0';
	bool contradicted = false;

	if (!copy)
		return PLUMB_ERR_NO_MEMORY;
	while (fields_next_line(&text, &line)) {
		if (!fields_cut(&t->row, line, t->separator))
			break; /* table_row() says so */
		for (size_t i = 0; i < t->headings.count && i < t->row.count; i++) {
			const char shown = fields_decimal_point(t->row.at[i]);

			contradicted |= shown && point && shown != point;
			point = shown ? shown : point;
		}
	}
	t->point = contradicted ? '\0' : point;
	free(copy);
	return 0;
}

static int table_row(struct reader *reader, struct table *t, char *line)
{
	const bool commas = strcmp(t->separator, ",") == 0;
	bool any = false;

	if (!fields_cut(&t->row, line, t->separator))
		return reader_refuse(reader, PLUMB_ERR_LIMIT, "too many fields");
	for (size_t i = 0; i < t->headings.count && i < t->row.count; i++) {
		bool ambiguous;
		double number;

		if (commas ? fields_thousands(t->row.at[i], &number, &ambiguous)
			   : fields_local(t->row.at[i], t->point, &number, &ambiguous)) {
			t->sums[i] = isnan(t->sums[i]) ? number : t->sums[i] + number;
			t->rows[i]++;
			any = true;
		} else if (ambiguous) {
			return reader_refuse(
				reader, PLUMB_ERR_INVALID, "ambiguous number \"%s\" of %s: %s",
				t->row.at[i], t->headings.at[i],
				commas ? "commas may only separate groups of three digits"
				       : "\",\" and \".\" may each be the decimal point");
		} else if (*t->row.at[i]) {
			t->text[i] = true;
		}
	}
	t->row_count += any;
	return 0;
}

/*
 * Adds the columns with numbers. Those below 0 are no counts. Those with gaps have no sum: rows
 * with nothing, or with something else than a number.
 */
static int add_columns(struct reader *reader, const struct table *t)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < t->headings.count; i++) {
		const bool gaps = t->rows[i] < t->row_count || t->text[i];
		const struct addition a = {.name = t->headings.at[i],
					   .value = gaps ? (double)NAN : t->sums[i],
					   .gaps = gaps,
					   .time = NAN,
					   .running_ns = NAN,
					   .percent = NAN,
					   .deviation = NAN,
					   .column = true};

		if (t->sums[i] >= 0 && isfinite(t->sums[i]) && *a.name)
			error = import_add(reader, &a);
	}
	return error;
}

int table_read(struct reader *reader, char *text)
{
	struct table *t = calloc(1, sizeof(*t));
	int error = 0;
	char *line = NULL, found[2];

	if (!t)
		return PLUMB_ERR_NO_MEMORY;
	reader->line++;
	if (fields_next_line(&text, &line)) {
		t->separator = reader->separator ? reader->separator : table_separator(line, found);
		if (!t->separator)
			error = PLUMB_ERR_NO_MEMORY;
	}
	if (error == 0 && (!t->separator || !fields_cut(&t->headings, line, t->separator) ||
			   t->headings.count < 2))
		error = reader_refuse(reader, PLUMB_ERR_SYNTAX, "no headings of columns");
	if (error == 0 && has_call_paths(&t->headings))
		error = reader_refuse(reader, PLUMB_ERR_UNSUPPORTED,
				      "a table of call paths: each count is in several rows");
	if (error == 0)
		error = find_point(t, text);
	for (size_t i = 0; i < FIELDS_MAX; i++)
		t->sums[i] = NAN;
	while (error == 0 && fields_next_line(&text, &line)) {
		reader->line++;
		if (*line)
			error = table_row(reader, t, line);
	}
	if (error == 0)
		error = add_columns(reader, t);
	free(t);
	return error;
}
