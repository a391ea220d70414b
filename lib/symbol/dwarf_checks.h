/* SPDX-License-Identifier: Apache-2.0 */
/* What libdw takes on trust, checked before it is let near it. */
#ifndef SYMBOL_DWARF_CHECKS_H
#define SYMBOL_DWARF_CHECKS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Returns whether all sections of strings end with one's end: libdw reads on until there is one.
 * Call it when dwarf_begin_elf() has decompressed them.
 */
bool dwarf_strings_end(Elf *elf);

/*
 * Finds the unit that the skeleton `unit` was split from. False if there is none, or where libdw
 * would look for its file there is what never ends, such as a FIFO. `path` is the skeleton's file.
 */
bool dwarf_find_split(Dwarf_Die *unit, const char *path, Dwarf_Die *split);

#endif
