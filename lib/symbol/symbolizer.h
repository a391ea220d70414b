/* SPDX-License-Identifier: Apache-2.0 */
/* What other files of lib/symbol/ may ask of a symbolizer. */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include "symbol/files.h"

/* The machine that was recorded, as far as unwinding goes. */
enum symbol_machine { MACHINE_OTHER, MACHINE_AARCH64, MACHINE_X86_64 };

enum symbol_machine symbolizer_machine(const struct plumb_symbolizer *symbolizer);

/* Returns where files are looked for. */
struct files *symbolizer_files(struct plumb_symbolizer *symbolizer);

#endif
