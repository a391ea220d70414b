/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem_text.h"

#include "base/mem_source.h"

void mem_text_add(struct mem_text *text, const char *word)
{
	while (*word && text->length < MEM_TEXT_ROOM - 1)
		text->bytes[text->length++] = *word++;
	text->bytes[text->length] = '\0';
}

unsigned mem_text_add_bits(struct mem_text *text, uint64_t bits, const char *const *words,
			   unsigned count, unsigned before)
{
	for (unsigned i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			continue;
		if (before++)
			mem_text_add(text, " or ");
		mem_text_add(text, words[i]);
	}
	return before;
}

void mem_text_snoop(struct mem_text *text, uint64_t source)
{
	static const char *const words[] = {"N/A", "None", "Hit", "Miss", "HitM"};
	static const char *const more[] = {"Fwd", "Peer"};
	unsigned count = mem_text_add_bits(text, mem_get(source, MEM_SNOOP), words, 5, 0);

	if (mem_text_add_bits(text, mem_get(source, MEM_SNOOPX), more, 2, count) == 0)
		mem_text_add(text, "N/A");
}

void mem_text_tlb(struct mem_text *text, uint64_t source)
{
	static const char *const words[] = {"N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault"};
	const unsigned tlb = mem_get(source, MEM_TLB);

	if (mem_text_add_bits(text, tlb & ~(unsigned)(MEM_TLB_HIT | MEM_TLB_MISS), words, 7, 0) ==
	    0)
		mem_text_add(text, "N/A");
	if (tlb & MEM_TLB_HIT)
		mem_text_add(text, " hit");
	if (tlb & MEM_TLB_MISS)
		mem_text_add(text, " miss");
}

void mem_text_lock(struct mem_text *text, uint64_t source)
{
	const unsigned lock = mem_get(source, MEM_LOCK);

	if (lock & MEM_LOCK_NA)
		mem_text_add(text, "N/A");
	else
		mem_text_add(text, lock & MEM_LOCK_LOCKED ? "Yes" : "No");
}

void mem_text_block(struct mem_text *text, uint64_t source)
{
	const unsigned block = mem_get(source, MEM_BLOCK);

	if (!block || block & 1)
		mem_text_add(text, " N/A");
	else if (block == 2)
		mem_text_add(text, " Data");
	else
		mem_text_add(text, block == 4 ? " Addr" : " Data Addr");
}
