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

#endif
