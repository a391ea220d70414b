/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that a DIE has itself, or by its references: also to a supplementary file by DWARF 5's
 * forms, which libdw 0.188 looks up in the file that refers to it.
 */
#ifndef SYMBOL_DWARF_REFS_H
#define SYMBOL_DWARF_REFS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Finds the DIE that an attribute refers to. Returns false if it is no valid reference; or NULL. */
bool dwarf_referenced(Dwarf_Attribute *attribute, Dwarf_Die *die);
/*
 * Finds an attribute of a DIE, or of what it is a copy or a definition of. `owner` becomes the DIE
 * that has it, unless NULL. Returns false if there is none.
 */
bool dwarf_find_attribute(const Dwarf_Die *die, unsigned name, Dwarf_Attribute *attribute,
			  Dwarf_Die *owner);
/* Returns the text of such an attribute, which belongs to its file, or NULL. */
const char *dwarf_find_text(const Dwarf_Die *die, unsigned name);

#endif
