/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: how to find a frame's caller (DWARF 5, section 6.4; for .eh_frame, the
 * Linux Standard Base, Core, section 10.6). It comes from a file that may be hostile, which libdw
 * does not expect: the number of a register there is the size of an array, and its stack of rows
 * has no limit. Here all of a row has a fixed size.
 */
#ifndef SYMBOL_CFI_H
#define SYMBOL_CFI_H

#include "symbol/cfi_row.h"

struct cfi;

/*
 * Lists the functions in a section, .eh_frame or .debug_frame, that is loaded at `address`. What is
 * malformed or unsupported is left out. The bytes must stay. Returns 0 or NO_MEMORY, or LIMIT for
 * more than 2^24 functions.
 */
int cfi_new(const void *bytes, size_t size, uint64_t address, bool is_eh_frame, struct cfi **cfi);
void cfi_free(struct cfi *cfi); /* accepts NULL */

/* Finds the rules at `address`. Returns false if there are none, or none that can be followed. */
bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_row *row);

/* Sets where function `i` starts and ends, in address order. Returns false after the last one. */
bool cfi_function(const struct cfi *cfi, size_t i, uint64_t *start, uint64_t *end);

#endif
