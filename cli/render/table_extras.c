/* SPDX-License-Identifier: Apache-2.0 */
#include "render/table_extras.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/memory.h"

/* The longest cell that is shortened. */
#define ROOM 64

/*
 * Writes "54±6%" for "54.0% ±5.1", whatever the sign is; half an interval is rounded up, so that it
 * does not become too narrow. Returns false for a cell of another form.
 */
static bool shorten(const char *cell, char room[ROOM])
{
	const char *sign, *half;
	double value, wide;
	char *end;

	value = strtod(cell, &end);
	if (end == cell || strncmp(end, "% ", 2) != 0 || strlen(cell) + 8 > ROOM)
		return false;
	sign = end + 2;
	half = sign + strcspn(sign, "0123456789?");
	wide = strtod(half, &end);
	if (strcmp(half, "?") == 0)
		snprintf(room, ROOM, "%.0f%s%%", value, sign);
	else if (end > half && !*end)
		snprintf(room, ROOM, "%.0f%.*s%.0f%%", value, (int)(half - sign), sign, ceil(wide));
	else
		return false;
	return true;
}

bool table_shorten_extras(struct table *table, const struct table *original, struct arena *copies)
{
	bool any = false;
	char room[ROOM];

	for (size_t i = 0; i < table->cell_count; i++) {
		const char *cell = original->cells[i];

		if (!table->columns[i % table->column_count].extra || !cell || !shorten(cell, room))
			continue;
		table->cells[i] = memory_given(arena_copy(copies, room, strlen(room)));
		any = true;
	}
	return any;
}

const char *table_cut_extras(struct table *table, const struct table *original,
			     struct arena *copies)
{
	const char *extra = NULL;

	for (size_t i = 0; i < table->cell_count; i++) {
		const struct table_column *column = &table->columns[i % table->column_count];
		const char *cell = original->cells[i], *blank = cell ? strchr(cell, ' ') : NULL;

		if (!column->extra || !blank)
			continue;
		table->cells[i] = memory_given(arena_copy(copies, cell, (size_t)(blank - cell)));
		extra = column->extra;
	}
	return extra;
}
