/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns: aligned and wrapped for people, or a line a row for programs. */
#ifndef RENDER_TABLE_H
#define RENDER_TABLE_H

#include "render/output.h"

struct table_column {
	const char *heading;
	enum style style;
	bool right; /* a number */
	bool wraps; /* gives way when the row is too wide, and takes more lines */
	bool drops; /* is left out altogether when the row is too wide */
};

#define TABLE_COLUMNS_MAX 12

/* Columns, then cells, row by row. Zero but for its columns, it is an empty table. */
struct table {
	const struct table_column *columns;
	size_t column_count;
	char **cells;
	size_t cell_count, cell_room;
};

/* Adds the next cell. NULL counts as empty, printed as '-'. */
void table_cell(struct table *table, const char *text);
void table_cell_format(struct table *table, const char *format, ...) PLUMB_PRINTF(2, 3);

/* Prints it `indent` spaces in, with a line of headings unless every heading is NULL. */
void table_print(const struct table *table, struct output *out, size_t indent);

/*
 * Prints a line a row, fields separated by `separator`, which is not empty; a field that contains
 * it or a double quote is quoted as RFC 4180 has it.
 */
void table_print_separated(const struct table *table, struct output *out, const char *separator);

void table_free(struct table *table);

#endif
