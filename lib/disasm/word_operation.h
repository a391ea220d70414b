/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction does, by its code alone. */
#ifndef DISASM_WORD_OPERATION_H
#define DISASM_WORD_OPERATION_H

#include <stdint.h>

enum word_kind { WORD_OTHER, WORD_LOAD, WORD_STORE, WORD_BRANCH, WORD_UNKNOWN };

/* Properties that SPE's operation packets have as well. */
enum word_trait {
	WORD_CONDITIONAL = 1 << 0, /* a branch, or a select */
	WORD_FP = 1 << 1,
	WORD_SIMD = 1 << 2, /* Advanced SIMD; not of loads and stores */
	WORD_PREDICATED = 1 << 3,
	WORD_GATHER_SCATTER = 1 << 4,
	WORD_ATOMIC = 1 << 5,
	WORD_EXCLUSIVE = 1 << 6,
	WORD_ACQUIRE_RELEASE = 1 << 7,
	WORD_CALL = 1 << 8,
	WORD_RETURN = 1 << 9,
};

struct word_operation {
	enum word_kind kind; /* UNKNOWN: an unallocated word */
	uint16_t traits;     /* bits of enum word_trait */
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
