/* SPDX-License-Identifier: Apache-2.0 */
/* Prints rows and columns: aligned and wrapped for people, or one line per row for programs. */
#ifndef RENDER_TABLE_H
#define RENDER_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "render/output.h"
#include "render/pen.h"

struct table_column {
	const char *heading;
	const char *brief; /* the heading where a terminal lacks room for spare columns; NULL: the
			      same */
	enum style style;
	bool right; /* a number */
	bool wraps; /* becomes narrower, with more lines, if the row is too wide, before others go
		     */
	/* Wraps before others do, between words; within them only when others wrap, too. */
	bool words;
	bool branches; /* cells may begin with the branches of a tree (render/pen.h) */
	/* If a terminal is too narrow for the rows, and all of them have the same cell here, a line
	 * above them says so instead. */
	bool common;
	bool drops; /* also wraps, and is left out if the row is too wide even so */
	/*
	 * 0: never; else a terminal shows the table without it, and says so, if the row is too
	 * wide. The highest are left out first; of equal ones, the last. Elsewhere, rows of tables
	 * with spare columns are as wide as they are.
	 */
	unsigned char spare;
	/* A spare column whose values hardly matter: it goes before others lose `extra`. */
	bool trifling;
	unsigned least; /* how wide it is at least, if there is room */
	unsigned room;  /* what names are given before spare columns beside them are left out; 0:
			   18 */
	/*
	 * What cells have after their first blank. On a terminal where the row is too wide, a
	 * percentage with half its interval, "54.0% ±5.1", first becomes "54±6%". Where that is not
	 * enough, cells lose it, before other spare columns are left out. NULL: they lose nothing.
	 */
	const char *extra;
};

#define TABLE_COLUMNS_MAX 40

/* Columns, and cells row by row. If only its columns are set, the table is empty. */
struct table {
	const struct table_column *columns;
	size_t column_count;
	const char **cells;
	size_t cell_count, cell_room;
	/* Of large tables the length of each cell that is simple: up to 255 visible characters of
	 * ASCII, without a space at either end; 0: it may be anything. NULL: that is not known. */
	uint8_t *simple;
	struct arena texts; /* of the cells */
	/* How many columns the widest cell of each takes, if that was measured. */
	size_t widest[TABLE_COLUMNS_MAX];
	bool measured;
	/* Marks each row before it is printed (render/marks.h); NULL: none is marked. */
	void (*mark)(void *user, struct output *out, size_t row);
	void *user;
};

/* Adds the next cell, one line: a newline becomes '?'. NULL is an empty cell, printed as '-'. */
void table_cell(struct table *table, const char *text);
void table_cell_bytes(struct table *table, const char *text, size_t length);
/* Likewise adds a text that is simple, such as a figure; or one that outlives the table. */
void table_cell_simple(struct table *table, const char *text, size_t length);
void table_cell_kept(struct table *table, const char *text);
/* Likewise adds a cell that is there already and simple; and returns the length of the last one
 * that was added, 0 if it may not be simple. */
void table_cell_again(struct table *table, const char *cell, size_t length);
size_t table_last_simple(const struct table *table);
void table_cell_format(struct table *table, const char *format, ...) PLUMB_PRINTF(2, 3);

/* Measures the widest cells of each column, of which no more are added. table_print() does so
 * otherwise. */
void table_measure(struct table *table);

/*
 * Makes a copy with this pen's sign between estimates and half their intervals, for table_free().
 * `table` must outlive it.
 */
void table_copy_plain(struct table *copy, const struct table *table, const struct pen *pen);

/*
 * On a terminal, a name takes at most FIT_NAME_LINES lines (render/fit.h), or one behind branches.
 *
 * Prints the table after `indent` spaces, with a line of headings unless every heading is NULL.
 */
void table_print(const struct table *table, struct output *out, size_t indent);

/*
 * Prints one line per row, with fields separated by `separator`, which is not empty. Quotes fields
 * that contain it or a double quote, as in RFC 4180.
 */
void table_print_separated(const struct table *table, struct output *out, const char *separator);

/* Prints CSV (RFC 4180), after a line with a name per column: `keys`, or its heading in lower case
 * if that is NULL. */
void table_print_csv(const struct table *table, struct output *out, const char *const *keys);

void table_free(struct table *table);

#endif
