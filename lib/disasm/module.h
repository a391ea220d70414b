/* SPDX-License-Identifier: Apache-2.0 */
/* What the module with LLVM in it offers. The library loads it with dlopen(). */
#ifndef DISASM_MODULE_H
#define DISASM_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Increases with each change to this file: the library and its module belong together. */
#define DISASM_INTERFACE 1

/* The one symbol that the module exports, and its file's name. */
#define DISASM_SYMBOL "plumb_disasm_module"
#define DISASM_FILE   "plumb-llvm.so"

struct disasm_module {
	unsigned interface;  /* DISASM_INTERFACE */
	const char *version; /* of LLVM */
	/* Returns a context, or NULL if memory is short or LLVM lacks AArch64. */
	void *(*open)(void);
	void (*close)(void *context);
	/*
	 * Writes the text of an instruction; a remark follows " // ". Returns false if `word` is no
	 * instruction.
	 */
	bool (*disassemble)(void *context, uint64_t address, uint32_t word, char *text,
			    size_t size);
};

#endif
