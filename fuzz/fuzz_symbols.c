/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ELF file: its symbols must be sorted, and each be found by where it begins. */
#include <stdlib.h>
#include <string.h>

#include "symbol/elf_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct plumb_symbol *symbol = &table->at[i], *found;

		require(symbol->end >= symbol->start || i + 1 == table->count);
		require(i == 0 || symbol[-1].start < symbol->start);
		found = symbol_table_find(table, symbol->start);
		require(found == symbol && strlen(found->name) < SIZE_MAX);
	}
	symbol_table_find(table, 0);
	symbol_table_find(table, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	uint32_t crc;
	struct symbol_table table = {0};
	struct elf_file file;
	char *copy = malloc(size + 1);

	elf_notes_build_id(data, size, id);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (elf_file_open_memory(&file, copy, size) == 0) {
		require(elf_file_build_id(&file, id) <= ELF_BUILD_ID_MAX);
		elf_file_debuglink(&file, &crc);
		if (elf_file_symbols(&table, &file, &file) == 0)
			check(&table);
		symbol_table_free(&table);
		elf_file_close(&file);
	}
	free(copy);
	return 0;
}
