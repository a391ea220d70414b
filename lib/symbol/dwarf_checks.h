/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what libdw would trust. */
#ifndef SYMBOL_DWARF_CHECKS_H
#define SYMBOL_DWARF_CHECKS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Returns whether each section of strings ends with NUL: libdw reads on until there is one. Call it
 * after dwarf_begin_elf() has decompressed them.
 */
bool dwarf_strings_end(Elf *elf);

/*
 * Finds the unit that the skeleton `unit` was split from. Returns false if there is none, or if
 * libdw would look for its file at something that is not a regular file, such as a FIFO. `path` is
 * the skeleton's file.
 */
bool dwarf_find_split(Dwarf_Die *unit, const char *path, Dwarf_Die *split);

/* Returns the name of the file that the skeleton `unit` was split into, or NULL. */
const char *dwarf_split_name(Dwarf_Die *unit);
/* Returns whether there is a package of what was split from `path`, named after it. */
bool dwarf_has_package(const char *path);

#endif
