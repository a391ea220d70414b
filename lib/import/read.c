/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes the format of a file and reads it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"

const char *import_format_name(enum import_format format)
{
	static const char *const names[] = {
		[IMPORT_ANY] = "any",
		[IMPORT_PERF_JSON] = "perf stat -j",
		[IMPORT_PERF_CSV] = "perf stat -x",
		[IMPORT_TOPDOWN_TOOL] = "topdown-tool",
		[IMPORT_TABLE] = "table",
	};

	return names[format];
}

/* Copies the first line that is neither blank nor a comment; "" if there is none. */
static char *first_line(const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, "\n"), blank = strspn(text, " \t\r");

		if (blank < length && *text != '#')
			return strndup(text,
				       length && text[length - 1] == '\r' ? length - 1 : length);
		if (!text[length])
			return strdup("");
		text += length + 1;
	}
}

/* Tells whether perf stat printed this for people; with intervals, it prints a heading. */
static bool is_plain(const char *text, const char *line)
{
	static const char first[] = "Performance counter stats for ";

	return strncmp(line + strspn(line, " \t"), first, strlen(first)) == 0 ||
	       (*text == '#' && strstr(text, " counts unit events"));
}

/* Recognizes the format, and the separator of perf's; IMPORT_ANY: it is unknown. */
static enum import_format recognize(struct reader *reader, const char *line, char found[2])
{
	const char *start = line + strspn(line, " \t");

	if (*start == '{')
		return IMPORT_PERF_JSON;
	if (topdown_is_heading(line))
		return IMPORT_TOPDOWN_TOOL;
	if (reader->separator && table_is_heading(line, reader->separator))
		return IMPORT_TABLE;
	if (!reader->separator)
		reader->separator = perf_csv_separator(line, found);
	if (reader->separator)
		return IMPORT_PERF_CSV;
	return strpbrk(line, ",;\t") ? IMPORT_TABLE : IMPORT_ANY;
}

static int read_as(struct reader *reader, enum import_format format, char *text)
{
	switch (format) {
	case IMPORT_PERF_JSON:
		return perf_json_read(reader, text);
	case IMPORT_PERF_CSV:
		return perf_csv_read(reader, text);
	case IMPORT_TOPDOWN_TOOL:
		return topdown_read(reader, text);
	case IMPORT_TABLE:
		return table_read(reader, text);
	default:
		if (reader->import->plain)
			return reader_refuse(reader, PLUMB_ERR_SYNTAX,
					     "perf stat's text for people is not supported");
		return reader_refuse(reader, PLUMB_ERR_SYNTAX,
				     "neither perf stat -j or -x, nor a CSV table");
	}
}

/* Counts how often perf stat -o or --append began to write. */
static size_t count_starts(const char *text)
{
	static const char start[] = "# started on ";
	size_t count = strncmp(text, start, strlen(start)) == 0;

	for (text = strstr(text, "\n# started on "); text;
	     text = strstr(text + 1, "\n# started on "))
		count++;
	return count;
}

/* Counts what perf started, before the text is cut. */
static size_t note_starts(struct import *import, const char *text)
{
	const size_t starts = count_starts(text);

	import->starts += starts;
	if (starts > import->starts_most)
		import->starts_most = starts;
	return starts;
}

int import_read(struct import *import, enum import_format format, const char *separator,
		const char *path, const char *bytes, size_t size,
		struct plumb_diagnostics *diagnostics)
{
	struct reader reader = {
		.import = import, .path = path, .diagnostics = diagnostics, .separator = separator};
	const size_t before = import->row_count;
	size_t starts;
	char *text, *line, found[2];
	int error;

	/* Windows' programs put a byte order mark first. */
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
		bytes += 3;
		size -= 3;
	}
	if (size > IMPORT_BYTES_MAX)
		return reader_refuse(&reader, PLUMB_ERR_LIMIT, "larger than %zu bytes",
				     IMPORT_BYTES_MAX);
	if (memchr(bytes, 0, size))
		return reader_refuse(&reader, PLUMB_ERR_SYNTAX, "not a text file");
	text = malloc(size + 1); /* no strndup(): `bytes` may end without a NUL */
	if (text) {
		memcpy(text, bytes, size);
		text[size] = '\0';
	}
	line = text ? first_line(text) : NULL;
	if (!line) {
		free(text);
		return PLUMB_ERR_NO_MEMORY;
	}
	import->plain = format == IMPORT_ANY && is_plain(text, line);
	if (format == IMPORT_ANY && *line && !import->plain)
		format = recognize(&reader, line, found);
	if (format == IMPORT_PERF_CSV && !reader.separator)
		reader.separator = perf_csv_separator(line, found);
	if (format == IMPORT_PERF_CSV && !reader.separator)
		reader.separator = ",";
	if (import->format == IMPORT_ANY)
		import->format = format;
	starts = note_starts(import, text);
	error = *line ? read_as(&reader, format, text) : 0;
	free(line);
	free(text);
	reader.line = 0;
	if (error == 0 && starts > 1 && import->row_count > before &&
	    !isnan(import->rows[before].time))
		error = reader_refuse(&reader, PLUMB_ERR_INVALID,
				      "intervals of several runs cannot be combined");
	if (error == 0 && import->row_count == before)
		error = reader_refuse(&reader, PLUMB_ERR_INVALID, "no counts");
	return error;
}
