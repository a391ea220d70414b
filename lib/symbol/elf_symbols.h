/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of an ELF file. */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include "symbol/elf_file.h"
#include "symbol/table.h"

/*
 * Adds the symbols of `symbols`, with addresses as places in `runtime`, the mapped file. They may
 * be the same file; a file of debug information lacks the sections' contents. PLT entries get names
 * "name@plt". Returns 0 or PLUMB_ERR_NO_MEMORY; skips what is damaged.
 */
int elf_file_symbols(struct symbol_table *table, const struct elf_file *symbols,
		     const struct elf_file *runtime);

/*
 * Adds the symbols of `file`, a kernel or one of its modules, with addresses in memory, which are
 * greater by `bias`. A module is linked when it is loaded: only its functions in .text are known,
 * and `bias` is where .text is. Returns 0 or NO_MEMORY.
 */
int elf_kernel_symbols(struct symbol_table *table, const struct elf_file *file, uint64_t bias);

/* Finds the address of a symbol by its name. */
bool elf_symbol_address(const struct elf_file *file, const char *name, uint64_t *address);

#endif
