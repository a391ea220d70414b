/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the debug information of several files has in common, moved by dwz into a file of its own.
 * libdw would open whatever the name in .gnu_debugaltlink leads to, and trust it; this checks it
 * first.
 */
#ifndef SYMBOL_SUPPLEMENT_H
#define SYMBOL_SUPPLEMENT_H

#include <elfutils/libdw.h>

#include "symbol/files.h"

struct supplement {
	struct elf_file file;
	Dwarf *dwarf; /* NULL: none, or not found */
	struct elf_file empty_file;
	Dwarf *empty; /* stands for what is missing */
};

/*
 * Finds the file that `main`, the debug information of `elf` at `path`, refers to by
 * .gnu_debugaltlink or .debug_sup. Warns if it is missing. Returns 0, or SYNTAX or NO_MEMORY: then
 * do not use `main`.
 */
int supplement_open(struct supplement *supplement, struct files *files, Dwarf *main,
		    const struct elf_file *elf, const char *path);

/* Prevents libdw from opening files that `other`, for the same program, refers to. */
void supplement_forbid(const struct supplement *supplement, Dwarf *other);

/* Call it after dwarf_end() of `main`. */
void supplement_close(struct supplement *supplement);

#endif
