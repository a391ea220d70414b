/* SPDX-License-Identifier: Apache-2.0 */
/* What other parts of the library may ask of a symbolizer. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <plumb/symbol.h>

/* The machine that was recorded, as far as unwinding goes. */
enum symbol_machine { MACHINE_OTHER, MACHINE_AARCH64, MACHINE_X86_64 };

enum symbol_machine symbolizer_machine(const struct plumb_symbolizer *symbolizer);

/*
 * Writes the address of `location` as its ELF file has it, which objdump and addr2line take. An
 * address of the kernel stays what it is. Returns false if the file is unknown or was not found.
 */
bool symbolizer_link_address(struct plumb_symbolizer *symbolizer,
			     const struct plumb_location *location, uint64_t *address);

#endif
