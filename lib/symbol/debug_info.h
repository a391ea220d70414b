/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DWARF says about a mapped file: lines of source, inlined functions, and how to unwind a
 * frame. libdw reads it when the first address is looked up.
 */
#ifndef SYMBOL_DEBUG_INFO_H
#define SYMBOL_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "symbol/cfi.h"
#include "symbol/files.h"

/*
 * Finds the frames of source at `place`, a plumb_location.address in `file`, the innermost function
 * first. Returns how many were written, at most `room`; 0 if nothing is known. The file owns the
 * strings. `symbol`, the name in the symbol table or NULL, is that of the function that contains
 * the others if DWARF has no linkage name for it, as for static functions in C++ by GCC 14.
 */
size_t debug_info_source(struct plumb_symbol_file *file, uint64_t place, const char *symbol,
			 struct plumb_source_frame *frames, size_t room);

/*
 * Finds where the functions of the frames at `place` are declared, the innermost first: files
 * and lines, without names. Returns how many were written, at most `room`.
 * Answers are not kept, so ask once for each function.
 */
size_t debug_info_declarations(struct plumb_symbol_file *file, uint64_t place,
			       struct plumb_source_frame *declarations, size_t room);

/* Returns the folder that relative names of source files at `place` belong to, or NULL. */
const char *debug_info_folder(struct plumb_symbol_file *file, uint64_t place);

/* Finds the rules that unwind the frame at `place`. Returns false if there are none. */
bool debug_info_frame(struct plumb_symbol_file *file, uint64_t place, struct cfi_row *row);

void debug_info_free(struct debug_info *debug);

#endif
