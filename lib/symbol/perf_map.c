/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of code that a process made itself, as its run-time system wrote them for perf: lines
 * "START SIZE NAME", numbers in hexadecimal (tools/perf/Documentation/jit-interface.txt).
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/files.h"

static int add_line(struct symbol_table *table, char *line)
{
	struct plumb_symbol symbol = {.binding = STB_GLOBAL};
	char *rest, *name;
	uint64_t size;

	symbol.start = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		return 0;
	size = strtoull(rest + 1, &name, 16);
	if (name == rest + 1 || *name != ' ' || name[1] == '\0')
		return 0;
	symbol.name = name + 1;
	symbol.end = symbol.start + size < symbol.start ? UINT64_MAX : symbol.start + size;
	return symbol_table_add(table, &symbol);
}

int perf_map_read(struct symbol_table *table, const char *path)
{
	int status = symbol_table_read(table, path, add_line);

	return status == 0 ? symbol_table_finish(table, false) : status;
}
