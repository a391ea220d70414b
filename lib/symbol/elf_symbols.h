/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of an ELF file. */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include "symbol/elf_file.h"
#include "symbol/table.h"

/*
 * Adds what `symbols` names, its addresses made places in `runtime`: the file that was mapped,
 * which may be the same; a file of debug information lacks the sections themselves. PLT entries
 * are called "name@plt". Returns 0 or PLUMB_ERR_NO_MEMORY; what is damaged is passed over.
 */
int elf_file_symbols(struct symbol_table *table, const struct elf_file *symbols,
		     const struct elf_file *runtime);

/*
 * Adds what `file`, an image of the kernel or one of its modules, names, as addresses in memory:
 * `bias` more than in the file. Of a module, which is linked when it is loaded, only functions of
 * .text are known: `bias` is where that is. Returns 0 or NO_MEMORY.
 */
int elf_kernel_symbols(struct symbol_table *table, const struct elf_file *file, uint64_t bias);

/* Finds the address of a symbol by its name. */
bool elf_symbol_address(const struct elf_file *file, const char *name, uint64_t *address);

#endif
