/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a perf map, and as a jitdump: symbols must be sorted and not overlap, and each must
 * be found by where it begins.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/files.h"
#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(struct symbol_table *table)
{
	require(symbol_table_finish(table, false) == 0);
	for (size_t i = 0; i < table->count; i++) {
		const struct plumb_symbol *symbol = &table->at[i];

		require(i == 0 || symbol[-1].start < symbol->start);
		require(symbol_table_find(table, symbol->start) == symbol);
	}
}

static void check_dump(const struct jitdump *dump)
{
	struct symbol_table table = {.raw_names = true};
	struct plumb_source_frame frame;

	require(jitdump_symbols(dump, &table) == 0);
	check(&table);
	for (size_t i = 0; i < table.count; i++) {
		const struct plumb_symbol *symbol = &table.at[i];

		require(symbol->end > symbol->start);
		require(i == 0 || symbol[-1].end <= symbol->start);
		if (jitdump_source(dump, symbol->start, &frame))
			require(strcmp(frame.function, symbol->name) == 0 &&
				strlen(frame.file) < SIZE_MAX);
	}
	symbol_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbol_table table = {.raw_names = true};
	struct jitdump *dump;
	uint8_t *copy;
	FILE *in;

	if (size == 0)
		return 0;
	copy = malloc(size);
	require(copy != NULL);
	memcpy(copy, data, size);
	in = fmemopen(copy, size, "r");
	require(in != NULL);
	require(perf_map_read(&table, in) == 0);
	check(&table);
	symbol_table_free(&table);
	require(fseek(in, 0, SEEK_SET) == 0);
	if (jitdump_read(in, &dump) == 0) {
		check_dump(dump);
		jitdump_free(dump);
	}
	fclose(in);
	free(copy);
	return 0;
}
