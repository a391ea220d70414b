/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of perf's data_src in its words, those of tools/perf/util/mem-events.c. */
#ifndef BASE_MEM_TEXT_H
#define BASE_MEM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* perf's buffers have 100 bytes; longer text is cut off. */
#define MEM_TEXT_ROOM 100

/* Begins empty: {.length = 0}. */
struct mem_text {
	char bytes[MEM_TEXT_ROOM];
	size_t length;
};

void mem_text_add(struct mem_text *text, const char *word);
/* Adds the words of the bits that are set, " or " between and after `before` others. Returns how
 * many there are then. */
unsigned mem_text_add_bits(struct mem_text *text, uint64_t bits, const char *const *words,
			   unsigned count, unsigned before);

/* Add a field of a data source: "HitM", "Walker miss", "Yes", " N/A". */
void mem_text_snoop(struct mem_text *text, uint64_t source);
void mem_text_tlb(struct mem_text *text, uint64_t source);
void mem_text_lock(struct mem_text *text, uint64_t source);
void mem_text_block(struct mem_text *text, uint64_t source);

#endif
