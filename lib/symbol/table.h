/* SPDX-License-Identifier: Apache-2.0 */
/* A file's symbols, sorted by address. */
#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include <plumb/symbol.h>

#include "base/arena.h"

struct plumb_symbol {
	uint64_t start, end; /* as plumb_location.address */
	const char *name;
	uint32_t order;
	uint8_t binding; /* STB_* of ELF */
	bool mangled;
};

struct symbol_table {
	struct plumb_symbol *at;
	uint64_t *reach; /* the farthest end of the symbols up to this one */
	size_t count, room;
	struct arena names;
	bool raw_names, signatures;
};

/* No file has more symbols than this; the rest is skipped. */
#define SYMBOL_TABLE_MAX (UINT32_C(1) << 26)

/* Adds a symbol; `name` is copied. Returns 0, PLUMB_ERR_NO_MEMORY or PLUMB_ERR_LIMIT. */
int symbol_table_add(struct symbol_table *table, const struct plumb_symbol *symbol);

/*
 * Reads a text of symbols, and calls `add_line` with each whole line, without its newline; the line
 * may be changed. Stops at the first error. Returns 0, or an error of `add_line` or of file_read().
 */
int symbol_table_read(struct symbol_table *table, const char *path,
		      int (*add_line)(struct symbol_table *table, char *line));

/*
 * Sorts the symbols, extends those without a size to the next one, and keeps one of those with the
 * same address. Call it before looking anything up, and again after adding more. `kernel`: they are
 * kallsyms' symbols. Returns 0 or PLUMB_ERR_NO_MEMORY.
 */
int symbol_table_finish(struct symbol_table *table, bool kernel);

/* Returns the symbol that `address` is in, its name demangled; NULL: none. */
const struct plumb_symbol *symbol_table_find(struct symbol_table *table, uint64_t address);

/*
 * Sets the addresses from `*from` up to `*to`, `address` among them, for which symbol_table_find()
 * returns `symbol`, as it did for `address`. Returns false if that is too much to tell, as where
 * symbols are nested, or if the symbol is of another table.
 */
bool symbol_table_extent(const struct symbol_table *table, const struct plumb_symbol *symbol,
			 uint64_t address, uint64_t *from, uint64_t *to);

void symbol_table_free(struct symbol_table *table);

#endif
