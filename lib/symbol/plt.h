/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the stubs through which a file calls functions of other files. */
#ifndef SYMBOL_PLT_H
#define SYMBOL_PLT_H

#include "symbol/elf_file.h"
#include "symbol/table.h"

/*
 * Adds the entries of a file's procedure linkage tables as "name@plt", at their places in the file.
 * Returns 0 or PLUMB_ERR_NO_MEMORY; skips what is damaged.
 */
int plt_symbols(struct symbol_table *table, const struct elf_file *file);

#endif
