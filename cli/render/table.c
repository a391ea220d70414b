/* SPDX-License-Identifier: Apache-2.0 */
#include "render/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

#define SIMPLE_MAX UINT8_MAX
#define EACH       (UINT64_MAX / UINT8_MAX) /* 1 in each byte */

/* Returns whether all of eight bytes are visible ASCII or spaces. */
static bool are_visible(const char *text)
{
	uint64_t bytes, controls, deletes;

	memcpy(&bytes, text, sizeof(bytes));
	controls = (bytes - EACH * ' ') & ~bytes;
	deletes = (bytes ^ EACH * 0x7f) - EACH;
	return !((bytes | controls | deletes) & EACH * 0x80);
}

/* Returns the length of what a cell shows if that is simple, or 0. */
static uint8_t simple_length(const char *text, size_t length)
{
	size_t at = 0;

	if (!text || length == 0)
		return 1;
	if (length > SIMPLE_MAX || text[0] == ' ' || text[length - 1] == ' ')
		return 0;
	while (length - at >= sizeof(uint64_t) && are_visible(text + at))
		at += sizeof(uint64_t);
	while (at < length && text[at] >= ' ' && text[at] < 0x7f)
		at++;
	return at == length ? (uint8_t)length : 0;
}

/* Adds a cell as it is. */
static void add(struct table *table, const char *text, uint8_t simple)
{
	if (table->cell_count == table->cell_room) {
		table->cell_room = table->cell_room ? 2 * table->cell_room : 256;
		table->cells = memory_resize(table->cells, table->cell_room, sizeof(char *));
		if (table->simple)
			table->simple = memory_resize(table->simple, table->cell_room, 1);
	}
	if (table->simple)
		table->simple[table->cell_count] = simple;
	table->cells[table->cell_count++] = text;
}

void table_cell_bytes(struct table *table, const char *text, size_t length)
{
	const uint8_t simple = simple_length(text, length);
	char *copy = text ? memory_given(arena_copy(&table->texts, text, length)) : NULL;

	/* A name from outside with a newline must not go on in a line of its own. */
	for (char *at = simple ? NULL : copy; at && (at = strchr(at, '\n')); at++)
		*at = '?';
	add(table, copy, simple);
}

void table_cell_simple(struct table *table, const char *text, size_t length)
{
	add(table, memory_given(arena_copy(&table->texts, text, length)),
	    length <= SIMPLE_MAX ? (uint8_t)length : 0);
}

void table_cell_again(struct table *table, const char *cell, size_t length)
{
	add(table, cell, (uint8_t)length);
}

size_t table_last_simple(const struct table *table)
{
	return table->simple ? table->simple[table->cell_count - 1] : 0;
}

void table_cell_kept(struct table *table, const char *text)
{
	const size_t length = text ? strlen(text) : 0;
	const uint8_t simple = simple_length(text, length);

	if (simple)
		add(table, text, simple);
	else
		table_cell_bytes(table, text, length);
}

void table_cell(struct table *table, const char *text)
{
	table_cell_bytes(table, text, text ? strlen(text) : 0);
}

void table_cell_format(struct table *table, const char *format, ...)
{
	char room[128], *text;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(room, sizeof(room), format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < sizeof(room)) {
		table_cell_bytes(table, room, (size_t)length);
		return;
	}
	va_start(arguments, format);
	text = memory_vformat(format, arguments);
	va_end(arguments);
	table_cell_bytes(table, text, strlen(text));
	free(text);
}

void table_free(struct table *table)
{
	arena_free(&table->texts);
	free(table->cells);
	free(table->simple);
	table->cells = NULL;
	table->simple = NULL;
	table->cell_count = table->cell_room = 0;
}

static void print_field(struct output *out, const char *cell, const char *separator)
{
	bool quoted = strstr(cell, separator) || strchr(cell, '"');

	if (quoted)
		fputc('"', out->stream);
	for (;;) {
		size_t length = strcspn(cell, "\"");

		output_bytes(out, STYLE_PLAIN, cell, length);
		cell += length;
		if (*cell++ == '\0')
			break;
		fputs("\"\"", out->stream);
	}
	if (quoted)
		fputc('"', out->stream);
}

void table_print_separated(const struct table *table, struct output *out, const char *separator)
{
	for (size_t i = 0, c = 1; i < table->cell_count; i++, c++) {
		print_field(out, table->cells[i] ? table->cells[i] : "", separator);
		if (c == table->column_count)
			c = 0;
		fputs(c == 0 ? "\n" : separator, out->stream);
	}
}

void table_print_csv(const struct table *table, struct output *out, const char *const *keys)
{
	for (size_t c = 0; c < table->column_count; c++) {
		char *name = memory_format("%s", keys ? keys[c] : table->columns[c].heading);

		for (char *at = name; *at; at++)
			*at = (char)(*at == ' ' ? '_' : tolower((unsigned char)*at));
		print_field(out, name, ",");
		fputs(c + 1 < table->column_count ? "," : "\n", out->stream);
		free(name);
	}
	table_print_separated(table, out, ",");
}

/* Returns a text with another sign between an estimate and half its interval. */
static const char *with_sign(const char *text, const char *sign, const char *other,
			     struct arena *texts)
{
	const char *found = text ? strstr(text, sign) : NULL;
	size_t size;
	char *copy;

	if (!found)
		return text;
	size = strlen(text) - strlen(sign) + strlen(other) + 1;
	copy = memory_given(arena_alloc(texts, size));
	snprintf(copy, size, "%.*s%s%s", (int)(found - text), text, other, found + strlen(sign));
	return copy;
}

void table_copy_plain(struct table *copy, const struct table *table, const struct pen *pen)
{
	*copy = *table;
	copy->texts = (struct arena){0};
	copy->measured = false;
	copy->simple = NULL;
	copy->cells = memory_resize(NULL, table->cell_count + 1, sizeof(*copy->cells));
	for (size_t i = 0; i < table->cell_count; i++)
		copy->cells[i] = with_sign(table->cells[i], pen_with_lines()->about, pen->about,
					   &copy->texts);
}
