/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the many rows of large tables that need no closer look at their cells, in threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "render/table_rows.h"

/* Returns the length of what a cell shows if that is simple, as in struct table, or 0. */
static size_t simple_length(const char *shown)
{
	size_t length = 0;

	while (shown[length] >= ' ' && shown[length] < 0x7f)
		length++;
	return shown[length] || length == 0 || shown[0] == ' ' || shown[length - 1] == ' ' ? 0
											   : length;
}

size_t table_write_simple(const struct table *table, size_t indent, const size_t *widths,
			  const char *const *cells, char *line, size_t room)
{
	const uint8_t *simple = table->simple ? table->simple + (cells - table->cells) : NULL;
	size_t start = indent, end = indent;

	for (size_t c = 0; c < table->column_count; c++)
		end += widths[c] ? widths[c] + TABLE_GAP : 0;
	if (end + 1 > room)
		return 0;
	memset(line, ' ', end);
	for (size_t c = 0; c < table->column_count; c++) {
		const char *cell = table_shown(cells[c]);
		size_t length = simple ? simple[c] : 0, at = start;

		if (widths[c] == 0)
			continue;
		if (!length)
			length = simple_length(cell);
		if (length == 0 || length > widths[c])
			return 0;
		if (table->columns[c].right)
			at += widths[c] - length;
		memcpy(line + at, cell, length);
		end = at + length;
		start += widths[c] + TABLE_GAP;
	}
	line[end++] = '\n';
	return end;
}

/* Rows that a thread writes before they are printed. */
#define ROWS_WRITTEN ((size_t)2048)

/* The text of some rows; up to the first one that is not simple. */
struct written {
	const struct table *table;
	const size_t *widths;
	size_t indent, first, end; /* rows */
	char *text;
	size_t room, used;
	pthread_t thread;
	bool started;
};

static void *write_rows(void *user)
{
	struct written *part = user;
	const struct table *table = part->table;

	part->used = 0;
	for (; part->first < part->end; part->first++) {
		const size_t length =
			table_write_simple(table, part->indent, part->widths,
					   table->cells + part->first * table->column_count,
					   part->text + part->used, part->room - part->used);

		if (!length)
			break;
		part->used += length;
	}
	return NULL;
}

/* Prints rows from `first` on, each thread some of them, up to one that is not simple. Returns its
 * index, or that behind the last one. */
static size_t print_parts(struct written *parts, size_t part_count, struct output *out,
			  size_t first, size_t count)
{
	bool simple = true;

	while (simple && first < count) {
		for (size_t i = 0; i < part_count; i++) {
			const size_t begin = first + i * ROWS_WRITTEN;

			parts[i].first = begin < count ? begin : count;
			parts[i].end = begin + ROWS_WRITTEN < count ? begin + ROWS_WRITTEN : count;
			parts[i].started = i && begin < count &&
					   threads_start(&parts[i].thread, write_rows, &parts[i]);
		}
		for (size_t i = 0; i < part_count; i++) {
			if (parts[i].started)
				pthread_join(parts[i].thread, NULL);
			else
				write_rows(&parts[i]);
			if (!simple)
				continue;
			fwrite(parts[i].text, 1, parts[i].used, out->stream);
			first = parts[i].first;
			simple = first == parts[i].end;
		}
	}
	return first;
}

size_t table_print_many(const struct table *table, struct output *out, size_t indent,
			const size_t *widths)
{
	const size_t count = table->cell_count / table->column_count;
	const size_t part_count = threads_to_use(0);
	struct written parts[THREADS_MAX];
	size_t room = indent + 1, printed = 0, made = 0;

	for (size_t c = 0; c < table->column_count; c++)
		room += widths[c] + TABLE_GAP;
	if (part_count < 2 || count < 2 * ROWS_WRITTEN || room > TABLE_SIMPLE_ROOM)
		return 0;
	for (; made < part_count; made++) {
		parts[made] = (struct written){.table = table,
					       .widths = widths,
					       .indent = indent,
					       .text = malloc(ROWS_WRITTEN * room),
					       .room = ROWS_WRITTEN * room};
		if (!parts[made].text)
			break;
	}
	if (made)
		printed = print_parts(parts, made, out, 0, count);
	while (made)
		free(parts[--made].text);
	return printed;
}
