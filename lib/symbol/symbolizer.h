/* SPDX-License-Identifier: Apache-2.0 */
/* What other parts of the library need from a symbolizer. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include "symbol/files.h"

/* The recorded machine, as far as unwinding needs it. */
enum symbol_machine { MACHINE_OTHER, MACHINE_AARCH64, MACHINE_X86_64 };

enum symbol_machine symbolizer_machine(const struct plumb_symbolizer *symbolizer);

/* Returns where to look for files. */
struct files *symbolizer_files(struct plumb_symbolizer *symbolizer);

/*
 * Reads up to `size` bytes of A64 code of a mapped file into `bytes`, from plumb_location.address
 * `address` on, and sets `*virtual_address` to the address that disassemblers show for it. Returns
 * how many bytes were read: fewer at the end of the code; none if it is not AArch64's, or if the
 * file is missing or has changed. Code of the kernel, of [vdso] and made at run time without a
 * jitdump cannot be read.
 */
size_t symbolizer_code(struct plumb_symbolizer *symbolizer, struct plumb_symbol_file *file,
		       uint64_t address, void *bytes, size_t size, uint64_t *virtual_address);

/*
 * Returns the function that a mapped file's code at plumb_location.address `address` is in, by the
 * file's call frame information, which stripping leaves there. Code that has none, such as assembly
 * and .plt, is one function from one that has some to the next, within its section. The name is
 * "FILE+0xADDRESS", as objdump takes it. NULL: unknown.
 */
const struct plumb_symbol *symbolizer_bounds(struct plumb_symbolizer *symbolizer,
					     struct plumb_symbol_file *file, uint64_t address);

/*
 * Sets the addresses in memory from `*from` up to `*to` that have the symbol of `location`, which
 * plumb_symbolizer_locate() found for .ip, and are in the same mapping. Returns false if that is
 * unknown.
 */
bool symbolizer_extent(const struct plumb_symbolizer *symbolizer,
		       const struct plumb_location *location, uint64_t *from, uint64_t *to);

/*
 * Finds where the functions at `location` are declared, in the order of plumb_symbolizer_source():
 * files and lines, without names.
 * Returns how many were written, at most `room`; 0 if that is unknown. This is slow: ask once for
 * each function.
 */
size_t symbolizer_declarations(struct plumb_symbolizer *symbolizer,
			       const struct plumb_location *location,
			       struct plumb_source_frame *declarations, size_t room);

/*
 * Returns the folder that the compiler ran in for the code at `location`: plumb_source_frame.file
 * may be relative to it. NULL: unknown.
 */
const char *symbolizer_source_folder(struct plumb_symbolizer *symbolizer,
				     const struct plumb_location *location);

/*
 * Finds the variable of a mapped file that the data address `address` of `task` is in: a file's
 * data follows its code, whose mapping is known. Sets `location`, with a symbol. Returns false if
 * there is none, as for memory from malloc().
 */
bool symbolizer_object(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		       uint64_t address, struct plumb_location *location);

#endif
