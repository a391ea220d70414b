/* SPDX-License-Identifier: Apache-2.0 */
/* The call chains of recent blocks: chains.h. */
#include "qemu/chains.h"

#include "qemu/guest.h"

#define ADDRESS_BITS 0x0000ffffffffffffull /* without a pointer's signature */

/* Reads the frame record at `frame`. Returns false at the end of the chain. */
static bool read_record(uint64_t frame, uint64_t record[2])
{
	return frame && !(frame & 7) && guest_read(frame, record, 2 * sizeof(record[0])) &&
	       record[1] & ADDRESS_BITS;
}

void chains_note(struct chains *chains, uint64_t sequence, uint64_t frame_pointer)
{
	const struct chain_start *last = &chains->at[(chains->count - 1) % OVERFLOW_RECENT];
	struct chain_start *start;
	uint64_t frame = frame_pointer;

	/* A function's frame record stays as it is while the function runs. */
	if (chains->count && last->frame_pointer == frame_pointer)
		return;
	start = &chains->at[chains->count++ % OVERFLOW_RECENT];
	start->sequence = sequence;
	start->frame_pointer = frame_pointer;
	start->count = 0;
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

size_t chains_walk(const struct chains *chains, uint64_t sequence, uint64_t *addresses, size_t most)
{
	const struct chain_start *start = find(chains, sequence);
	uint64_t frame = start ? start->frame_pointer : 0, record[2];
	size_t count = 0;

	while (count < most) {
		const bool kept = start && count < start->count;

		if (!kept && !read_record(frame, record))
			break;
		if (kept) {
			record[0] = start->records[count][0];
			record[1] = start->records[count][1];
		}
		addresses[count++] = record[1] & ADDRESS_BITS;
		if (record[0] <= frame)
			break;
		frame = record[0];
	}
	return count;
}
