/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction does, by its code alone. */
#ifndef DISASM_WORD_OPERATION_H
#define DISASM_WORD_OPERATION_H

#include <stdint.h>

enum word_kind { WORD_OTHER, WORD_LOAD, WORD_STORE, WORD_BRANCH, WORD_UNKNOWN };

struct word_operation {
	enum word_kind kind; /* UNKNOWN: an unallocated word */
	/*
	 * Of branches "conditional", "direct", "indirect", "call", "return"; of loads and stores
	 * "general", "simd-fp", "sve", "atomic", "exclusive", "ordered", "tag"; of others
	 * "integer", "fp", "simd", "sve", "crypto", "barrier"; NULL: none. Static storage.
	 */
	const char *subclass;
};

/*
 * Says what `word` does. As in SPE's records, an atomic that returns a value is a load, another one
 * a store, and an instruction that generates an exception is no branch. Thread-safe.
 */
struct word_operation word_operation(uint32_t word);

/*
 * Returns the kind of work that `word` gives the core, as a noun that "waits for" can stand before:
 * "integer division", "loads". NULL: an unallocated word. Static storage. Thread-safe.
 */
const char *word_work(uint32_t word);

#endif
