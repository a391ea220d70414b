/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the rows of an import into a table of parts, units and names. */
#include <math.h>
#include <stdlib.h>

#include "import/import.h"

static int by_time(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Collects the distinct times, in order. NaN, of whole runs, is the only one. */
static bool find_times(const struct import *import, struct import_table *table)
{
	size_t count = 0;

	table->times = calloc(import->row_count + 1, sizeof(*table->times));
	if (!table->times)
		return false;
	table->times[0] = NAN;
	table->part_count = 1;
	if (!import->row_count || isnan(import->rows[0].time))
		return true;
	for (size_t i = 0; i < import->row_count; i++)
		table->times[i] = import->rows[i].time;
	qsort(table->times, import->row_count, sizeof(*table->times), by_time);
	for (size_t i = 0; i < import->row_count; i++)
		if (!count || table->times[count - 1] < table->times[i])
			table->times[count++] = table->times[i];
	table->part_count = count;
	return true;
}

static size_t part_of(const struct import_table *table, double time)
{
	const double *found;

	if (isnan(time))
		return 0;
	found = bsearch(&time, table->times, table->part_count, sizeof(time), by_time);
	return (size_t)(found - table->times);
}

static void add_row(struct import_cell *cell, const struct import_row *row)
{
	const double running = isnan(row->running_ns) ? 0 : row->running_ns;

	cell->running_ns += running;
	/* What was never on a counter was not counted, for however long. */
	cell->enabled_ns += row->percent > 0 ? running / row->percent * 100 : running;
	if (isnan(row->value))
		return;
	cell->times++;
	cell->value = isnan(cell->value) ? row->value
					 : cell->value + (row->value - cell->value) / cell->times;
}

int import_combine(const struct import *import, struct import_table *table,
		   struct plumb_diagnostics *diagnostics)
{
	const size_t names = import->name_count, units = import->unit_count;
	size_t cells;

	*table = (struct import_table){.cells = NULL};
	if (!find_times(import, table))
		return PLUMB_ERR_NO_MEMORY;
	if (table->part_count > IMPORT_PARTS_MAX ||
	    __builtin_mul_overflow(table->part_count * units, names, &cells) ||
	    cells > IMPORT_CELLS_MAX) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "invalid-counts", NULL,
				      "too many counts: %zu intervals of %zu events on %zu CPUs or "
				      "threads",
				      table->part_count, names, units);
		return PLUMB_ERR_LIMIT;
	}
	table->cells = calloc(cells + 1, sizeof(*table->cells));
	if (!table->cells)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < cells; i++)
		table->cells[i].value = NAN;
	for (size_t i = 0; i < import->row_count; i++) {
		const struct import_row *row = &import->rows[i];

		add_row(&table->cells[(part_of(table, row->time) * units + row->unit) * names +
				      row->name],
			row);
	}
	return 0;
}

void import_table_free(struct import_table *table)
{
	free(table->cells);
	free(table->times);
}
