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

/* Each function is at its place, has lines of its own name, and is found by an address or not at
 * all, whatever the time. */
static void check_dump(struct jitdump *dump)
{
	struct symbol_table table = {.raw_names = true};
	struct plumb_source_frame frame;
	struct jitdump_place place;
	uint64_t address, left, time = 0;

	require(jitdump_symbols(dump, &table) == 0);
	check(&table);
	for (size_t i = 0; i < table.count; i++) {
		const struct plumb_symbol *symbol = &table.at[i];

		require(symbol->end > symbol->start);
		require(i == 0 || symbol[-1].end <= symbol->start);
		if (jitdump_source(dump, symbol->start, &frame))
			require(strcmp(frame.function, symbol->name) == 0 &&
				strlen(frame.file) < SIZE_MAX);
		require(jitdump_address(dump, symbol->start, &address, &left));
		require(left == symbol->end - symbol->start);
		if (jitdump_locate(dump, address, &place))
			require(place.from <= address && address < place.to);
		require(time <= jitdump_next_change(dump));
		time = jitdump_next_change(dump);
		jitdump_advance(dump, time);
	}
	jitdump_return(dump, 0);
	symbol_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct jitdump_clock clock = {.monotonic = true};
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
	if (jitdump_read(in, &clock, &dump) == 0) {
		check_dump(dump);
		jitdump_free(dump);
	}
	fclose(in);
	free(copy);
	return 0;
}
