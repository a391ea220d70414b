/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly: A64 instructions as text, with all extensions that LLVM knows, SVE2 and SME
 * included.
 *
 * LLVM is not linked: a module loads it when the first disassembler is made. A build without LLVM
 * has no module; everything else works, and plumb_disassembler_new() says what to install.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_DISASM_H
#define PLUMB_DISASM_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_disassembler;

/*
 * Makes a disassembler. `module_dir` is the folder of the module; NULL: where it is installed. The
 * module is code that runs in this process, so name only folders that you trust. Returns 0 or
 * NO_MEMORY, or, with a finding, MACHINE if the module or LLVM is missing. Takes about 20 ms.
 *
 * Use a disassembler from one thread at a time. If memory runs out within LLVM, LLVM ends the
 * process.
 */
PLUMB_API int plumb_disassembler_new(const char *module_dir,
				     struct plumb_disassembler **disassembler,
				     struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_disassembler_free(struct plumb_disassembler *disassembler); /* accepts NULL */

/* Returns the version of LLVM, such as "19.1.7". */
PLUMB_API const char *plumb_disassembler_version(const struct plumb_disassembler *disassembler);

#define PLUMB_DISASSEMBLY_TEXT 192

struct plumb_disassembly {
	/* Mnemonic, tab and operands, as llvm-objdump prints them: "add\tx0, x1, #0x10". Addresses
	   are hexadecimal, without the name of a symbol. */
	char text[PLUMB_DISASSEMBLY_TEXT];
	/* LLVM's comment, such as the value of a shifted immediate: "=0x10000"; or "". */
	char remark[64];
};

/*
 * Disassembles the instruction `word` at `address`. Returns false if `word` is not an instruction;
 * then the text is ".word" and the number.
 */
PLUMB_API bool plumb_disassemble(struct plumb_disassembler *disassembler, uint64_t address,
				 uint32_t word, struct plumb_disassembly *disassembly);

#ifdef __cplusplus
}
#endif

#endif
