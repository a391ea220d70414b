/* SPDX-License-Identifier: Apache-2.0 */
/* Reads data compressed as files of their own: MiniDebugInfo, and modules of the kernel. */
#ifndef SYMBOL_UNPACK_H
#define SYMBOL_UNPACK_H

#include "symbol/elf_symbols.h"

/*
 * Opens the ELF file in .gnu_debugdata of `file`: the symbols that a distribution leaves in a
 * stripped file. Returns 0, NOT_FOUND, NO_MEMORY, LIMIT (larger than any such file) or SYNTAX.
 */
int elf_file_open_mini(struct elf_file *mini, const struct elf_file *file);

/*
 * Opens a file that may be compressed with xz or zstd, like modules of the kernel. Returns LIMIT,
 * or what elf_file_open() returns.
 */
int elf_file_open_packed(struct elf_file *file, const char *path);

#endif
