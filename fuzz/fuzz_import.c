/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of other tools: any text is read or refused with a finding, whatever the format, which the
 * first byte chooses.
 */
#include <math.h>
#include <stdlib.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct import *import)
{
	for (size_t i = 0; i < import->row_count; i++) {
		const struct import_row *row = &import->rows[i];

		require(row->name < import->name_count && row->unit < import->unit_count);
		require(isnan(row->value) || import->names[row->name].metric || row->value >= 0);
		require(isnan(row->time) == isnan(import->rows[0].time));
	}
}

static void combine(const struct import *import, struct plumb_diagnostics *diagnostics)
{
	struct import_table table;
	size_t values = 0, counted = 0;

	if (import_combine(import, &table, diagnostics) == 0) {
		for (size_t i = 0; i < import->row_count; i++)
			values += !isnan(import->rows[i].value);
		for (size_t i = 0; i < table.part_count * import->unit_count * import->name_count;
		     i++)
			counted += table.cells[i].times;
		require(counted == values);
	}
	import_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_diagnostics *diagnostics;
	struct import import;
	enum import_format format;
	int error;

	if (!size)
		return 0;
	diagnostics = plumb_diagnostics_new();
	format = (enum import_format)(*data % 5);
	import_begin(&import);
	error = import_read(&import, format, *data % 7 == 6 ? ";;" : NULL, "file",
			    (const char *)data + 1, size - 1, diagnostics);
	require((error < 0) == (plumb_diagnostics_errors(diagnostics) > 0));
	require(error < 0 || import.row_count > 0);
	check(&import);
	combine(&import, diagnostics);
	import_end(&import);
	plumb_diagnostics_free(diagnostics);
	return 0;
}
