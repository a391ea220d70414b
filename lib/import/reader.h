/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the readers of the formats share. */
#ifndef IMPORT_READER_H
#define IMPORT_READER_H

#include "import/import.h"

#define FIELDS_MAX 512

struct reader {
	struct import *import;
	const char *path;
	struct plumb_diagnostics *diagnostics;
	const char *separator; /* as given, or as recognized */
	unsigned line;         /* the current one, from 1 */
};

/* Adds a finding about the current line. Returns `error`. */
int reader_refuse(const struct reader *reader, int error, const char *format, ...)
	PLUMB_PRINTF(3, 4);

/* ---- fields.c -------------------------------------------------------------------------------- */

/* The text of a line, cut into fields. */
struct fields {
	char *at[FIELDS_MAX];
	size_t count;
};

/* Takes the next line off the text, without its end; false if there is none. The line ends in NUL.
 */
bool fields_next_line(char **text, char **line);
/*
 * Cuts a line where the separator is. A field in double quotes may contain it; two quotes stand for
 * one. Changes the line. Returns false if there are too many fields.
 */
bool fields_cut(struct fields *fields, char *line, const char *separator);
/* Reads a whole field as a finite decimal number; blanks around it are ignored. */
bool fields_number(const char *field, double *number);
/*
 * Reads a field of a table as fields_number() does, but commas separate thousands: "1,234,567".
 * Sets `ambiguous` if it has only digits and commas, or points, but may be either kind of number.
 */
bool fields_thousands(const char *field, double *number, bool *ambiguous);
/*
 * Returns which of ',' and '.' a field shows to be the decimal point: "1,5" and "1.234,5" do for
 * the comma. Returns '\0' if it is no number, or shows nothing: "1,234" may be either.
 */
char fields_decimal_point(const char *field);
/*
 * Reads a field of a table whose decimal point is `point`; the other of ',' and '.' separates
 * groups of three digits. '\0': the point is unknown. Sets `ambiguous` as fields_thousands() does.
 */
bool fields_local(const char *field, char point, double *number, bool *ambiguous);

/* ---- add.c ----------------------------------------------------------------------------------- */

/* A value to add. */
struct addition {
	const char *name, *group, *unit, *cgroup; /* NULL: none */
	unsigned cpus;
	double time, value, running_ns, percent, deviation; /* NaN: unknown */
	bool metric, column, gaps, msec;
};

/* Returns 0, or an error as import_read() does. */
int import_add(struct reader *reader, const struct addition *addition);

/* ---- the formats ----------------------------------------------------------------------------- */

/* Each reads a text that it may change. */
int perf_json_read(struct reader *reader, char *text);
int perf_csv_read(struct reader *reader, char *text);
int topdown_read(struct reader *reader, char *text);
int table_read(struct reader *reader, char *text);

/* Returns the separator of perf stat -x that makes sense of a line, in `found`; or NULL. */
const char *perf_csv_separator(const char *line, char found[2]);
/* Tells whether a line may have a table's headings: several fields, and no number. */
bool table_is_heading(const char *line, const char *separator);
/* Tells whether a line has topdown-tool's headings. */
bool topdown_is_heading(const char *line);

#endif
