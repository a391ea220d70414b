/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables of which every cell is visible ASCII, not indented, and fits its column. Most rows
 * are; large reports would spend most of their time on looking at each cell closely. */
#ifndef RENDER_TABLE_ROWS_H
#define RENDER_TABLE_ROWS_H

#include "render/table.h"

#define TABLE_GAP         2    /* spaces between columns */
#define TABLE_SIMPLE_ROOM 2048 /* characters of a row that is printed at once */

/* Returns what a cell shows. */
static inline const char *table_shown(const char *cell)
{
	return cell && *cell ? cell : "-";
}

/*
 * Writes a row with these widths of its columns, as other rows are printed. Returns its length; 0,
 * if it is not like that, or takes more than `room`.
 */
size_t table_write_simple(const struct table *table, size_t indent, const size_t *widths,
			  const char *const *cells, char *line, size_t room);

/* Prints the first rows in threads, if there are many, up to one that is not like that. Returns how
 * many were printed. */
size_t table_print_many(const struct table *table, struct output *out, size_t indent,
			const size_t *widths);

#endif
