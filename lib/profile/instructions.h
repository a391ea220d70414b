/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the instructions of samples do, by their code: samples of exact profiles are of one
 * instruction each, so that a filter's conditions on operations can be checked without a record.
 */
#ifndef PROFILE_INSTRUCTIONS_H
#define PROFILE_INSTRUCTIONS_H

#include <plumb/spe_filter.h>
#include <plumb/symbol.h>

#include "disasm/word_operation.h"

/* Code that was read last: that of neighbours is asked for one after the other. Zeroed: none. */
#define CODE_BYTES 4096
struct code_reader {
	struct plumb_symbol_file *file; /* NULL: none */
	uint64_t address;               /* of the first byte read */
	size_t count;                   /* bytes read */
	uint32_t words[CODE_BYTES / sizeof(uint32_t)];
};

/* Returns what the instruction at a location does; WORD_UNKNOWN if its code cannot be read. */
struct word_operation code_operation(struct code_reader *reader,
				     struct plumb_symbolizer *symbolizer,
				     const struct plumb_location *location);

/* Returns whether a filter has conditions that an instruction decides: "load", "atomic". */
bool instructions_decide(const struct plumb_spe_filter *filter);
/*
 * Returns what a filter asks for that neither an instruction nor an exact profile's sample has:
 * "latencies"; NULL: nothing.
 */
const char *instructions_lack(const struct plumb_spe_filter *filter);
/*
 * Returns whether an operation fulfils those conditions. An unknown one never does.
 */
bool instructions_match(const struct plumb_spe_filter *filter,
			const struct word_operation *operation);

#endif
