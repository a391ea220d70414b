/* SPDX-License-Identifier: Apache-2.0 */
/* The call chains of recent blocks: chains.h. */
#include "qemu/chains.h"

#include <string.h>

#include "qemu/guest.h"

#define ADDRESS_BITS 0x0000ffffffffffffull /* without a pointer's signature */
#define LINK_WORDS   64                    /* of a block: a later operation's x30 is unknown */

/* Reads the frame record at `frame`. Returns false at the end of the chain. */
static bool read_record(uint64_t frame, uint64_t record[2])
{
	return frame && !(frame & 7) && guest_read(frame, record, 2 * sizeof(record[0])) &&
	       record[1] & ADDRESS_BITS;
}

void chains_note(struct chains *chains, uint64_t sequence, uint64_t pc, uint64_t frame_pointer,
		 uint64_t link)
{
	const struct chain_start *last = &chains->at[(chains->count - 1) % OVERFLOW_RECENT];
	const bool same = chains->count && last->frame_pointer == frame_pointer;
	struct chain_start *start = &chains->at[chains->count++ % OVERFLOW_RECENT];
	uint64_t frame = frame_pointer;

	start->sequence = sequence;
	start->pc = pc;
	start->frame_pointer = frame_pointer;
	start->link = link;
	start->count = same ? last->count : 0;
	/* A function's frame record stays as it is while the function runs. */
	if (same) {
		memcpy(start->records, last->records, start->count * sizeof(start->records[0]));
		return;
	}
	while (start->count < CHAINS_KEPT && read_record(frame, start->records[start->count])) {
		const uint64_t outer = start->records[start->count++][0];

		if (outer <= frame)
			break;
		frame = outer;
	}
}

/* Finds what was noted last before or at an operation; NULL: nothing is known of it. */
static const struct chain_start *find(const struct chains *chains, uint64_t sequence)
{
	const uint64_t kept = chains->count < OVERFLOW_RECENT ? chains->count : OVERFLOW_RECENT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct chain_start *start =
			&chains->at[(chains->count - i) % OVERFLOW_RECENT];

		if (start->sequence <= sequence)
			return start;
	}
	return NULL;
}

/*
 * Reads the instructions of a block before the one at `pc`. Returns how many; negative: they are
 * unknown.
 */
static int read_words(const struct chain_start *start, uint64_t pc, uint32_t words[LINK_WORDS])
{
	const uint64_t bytes = start ? pc - start->pc : 0;

	if (!start || pc < start->pc || bytes > LINK_WORDS * sizeof(words[0]) ||
	    (bytes && !guest_read(start->pc, words, bytes)))
		return -1;
	return (int)(bytes / sizeof(words[0]));
}

/* Tells whether an instruction makes a frame record: STP of x29 and x30. */
static bool makes_record(uint32_t word)
{
	return (word & 0xfe407c1f) == 0xa800781d;
}

/*
 * Returns where the function returns to that makes its frame record in the block, before the
 * operation at `pc`; 0: none does, or it is unknown.
 */
static uint64_t new_record(const struct chain_start *start, uint64_t pc)
{
	uint32_t words[LINK_WORDS];
	int count = read_words(start, pc, words);

	for (int i = 0; i < count; i++)
		if (makes_record(words[i]))
			return start->link & ADDRESS_BITS;
	return 0;
}

size_t chains_walk(const struct chains *chains, uint64_t sequence, uint64_t pc, uint64_t *addresses,
		   size_t most)
{
	const struct chain_start *start = find(chains, sequence);
	uint64_t frame = start ? start->frame_pointer : 0, record[2];
	size_t count = 0;

	/* x29 was noted when the block began. */
	if (most && new_record(start, pc))
		addresses[count++] = new_record(start, pc);
	for (size_t i = 0; count < most; i++) {
		const bool kept = start && i < start->count;

		if (!kept && !read_record(frame, record))
			break;
		if (kept) {
			record[0] = start->records[i][0];
			record[1] = start->records[i][1];
		}
		addresses[count++] = record[1] & ADDRESS_BITS;
		if (record[0] <= frame)
			break;
		frame = record[0];
	}
	return count;
}

/* Tells whether an instruction loads x30, and whether it does so with x29. */
static bool loads_link(uint32_t word, bool *with_frame_pointer)
{
	const unsigned first = word & 31, second = word >> 10 & 31;

	*with_frame_pointer = false;
	/* LDP and LDNP of 64 bits. */
	if ((word & 0xfe400000) == 0xa8400000) {
		*with_frame_pointer = first == 29 && second == 30;
		return first == 30 || second == 30;
	}
	/* LDUR, LDR before and after its index, and with an offset. */
	return first == 30 &&
	       ((word & 0xffe00000) == 0xf8400000 || (word & 0xffc00000) == 0xf9400000);
}

uint64_t chains_link(const struct chains *chains, uint64_t sequence, uint64_t pc)
{
	const struct chain_start *start = find(chains, sequence);
	uint32_t words[LINK_WORDS];
	int count = read_words(start, pc, words);
	uint64_t link = count < 0 ? 0 : start->link;

	/* Before it returns, a function takes its caller's from its frame record. */
	for (int i = 0; i < count; i++) {
		bool with_frame_pointer;

		if (loads_link(words[i], &with_frame_pointer))
			link = with_frame_pointer && start->count ? start->records[0][1] : 0;
	}
	return link & ADDRESS_BITS;
}
