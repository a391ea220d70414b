/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the call frame information in an ELF file. */
#ifndef SYMBOL_CFI_FILE_H
#define SYMBOL_CFI_FILE_H

#include "symbol/cfi.h"
#include "symbol/elf_file.h"

/*
 * Opens the call frame information in .eh_frame or .debug_frame of a file for 64-bit little-endian
 * code. Without a section .eh_frame, uses what the program header PT_GNU_EH_FRAME leads to: it is
 * there even if the section headers were stripped. Sets `*cfi` to NULL if there is none. Its bytes
 * belong to the file. Errors: as of cfi_new().
 */
int cfi_open_eh_frame(const struct elf_file *elf, struct cfi **cfi);
int cfi_open_debug_frame(const struct elf_file *elf, struct cfi **cfi);

#endif
