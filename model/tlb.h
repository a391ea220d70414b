/* SPDX-License-Identifier: Apache-2.0 */
/* Translation lookaside buffers: a fully associative first level, a set-associative second. */
#ifndef MODEL_TLB_H
#define MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define TLB_FIRST_MAX 128
#define TLB_HINTS     256
#define TLB_AGED      8
#define TLB_SETS_MAX  65536 /* of the second */

/* The first level. Pages are numbers: address / page size. */
struct tlb_first {
	uint64_t pages[TLB_FIRST_MAX]; /* virtual, plus one; 0 if empty */
	uint64_t frames[TLB_FIRST_MAX];
	/* Time of use, by a clock of accesses that change the page; in its low bits, the entry. */
	uint64_t used[TLB_FIRST_MAX];
	uint64_t clock;
	/* Of the entries that were used least recently when it was looked, the oldest first. */
	uint64_t aged[TLB_AGED];
	unsigned aged_count, aged_next; /* how many there are, and were looked at again */
	unsigned entries;
	unsigned empty;           /* how many of them */
	unsigned last;            /* entry of the last page accessed */
	uint8_t hints[TLB_HINTS]; /* by page: the entry that it was in; at most one entry has it */
	uint8_t alike[TLB_HINTS]; /* how many pages there are with this hint */
};

struct tlb_second {
	struct tlb_pair {
		uint64_t page; /* plus one */
		uint64_t frame;
	} * pairs;
	uint32_t set_mask;
	unsigned ways;
};

void tlb_first_set_up(struct tlb_first *tlb, unsigned entries);
bool tlb_first_find_slow(struct tlb_first *tlb, uint64_t page, uint64_t *frame);
void tlb_first_insert(struct tlb_first *tlb, uint64_t page, uint64_t frame);

/* Removes the translations of the pages from `first` to `end`. */
void tlb_first_remove(struct tlb_first *tlb, uint64_t first, uint64_t end);

static inline unsigned tlb_first_hash(uint64_t page)
{
	return (page ^ page >> 8) % TLB_HINTS;
}

static inline uint8_t *tlb_first_hint(struct tlb_first *tlb, uint64_t page)
{
	return &tlb->hints[tlb_first_hash(page)];
}

static inline void tlb_first_note(struct tlb_first *tlb, unsigned entry)
{
	tlb->clock += TLB_FIRST_MAX;
	tlb->used[entry] = tlb->clock | entry;
	tlb->last = entry;
}

/* Makes an entry the one of the last page accessed. */
static inline void tlb_first_use(struct tlb_first *tlb, unsigned entry)
{
	if (entry != tlb->last)
		tlb_first_note(tlb, entry);
}

static inline bool tlb_first_find(struct tlb_first *tlb, uint64_t page, uint64_t *frame)
{
	unsigned entry = tlb->last;

	if (tlb->pages[entry] != page + 1) {
		entry = *tlb_first_hint(tlb, page);
		if (tlb->pages[entry] != page + 1)
			return tlb_first_find_slow(tlb, page, frame);
		tlb_first_use(tlb, entry);
	}
	*frame = tlb->frames[entry];
	return true;
}

bool tlb_second_set_up(struct tlb_second *tlb, unsigned entries, unsigned ways);
void tlb_second_clean_up(struct tlb_second *tlb);
void tlb_second_clear(struct tlb_second *tlb);
bool tlb_second_find(struct tlb_second *tlb, uint64_t page, uint64_t *frame);
void tlb_second_insert(struct tlb_second *tlb, uint64_t page, uint64_t frame);
void tlb_second_remove(struct tlb_second *tlb, uint64_t first, uint64_t end);

#endif
