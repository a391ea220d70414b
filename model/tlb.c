/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb.h"

#include <stdlib.h>
#include <string.h>

#include "sets.h"

void tlb_first_set_up(struct tlb_first *tlb, unsigned entries)
{
	memset(tlb, 0, sizeof(*tlb));
	tlb->entries = entries < TLB_FIRST_MAX ? entries : TLB_FIRST_MAX;
	if (!tlb->entries)
		tlb->entries = 1;
	tlb->empty = tlb->entries;
}

bool tlb_first_find_slow(struct tlb_first *tlb, uint64_t page, uint64_t *frame)
{
	if (!tlb->alike[tlb_first_hash(page)])
		return false;
	for (unsigned i = 0; i < tlb->entries; i++)
		if (tlb->pages[i] == page + 1) {
			tlb_first_note(tlb, i);
			*tlb_first_hint(tlb, page) = (uint8_t)i;
			*frame = tlb->frames[i];
			return true;
		}
	return false;
}

static unsigned first_empty(struct tlb_first *tlb)
{
	unsigned i = 0;

	while (tlb->pages[i])
		i++;
	tlb->empty--;
	return i;
}

/* Finds the entries that were used least recently, as many as there is room for. */
static void find_aged(struct tlb_first *tlb)
{
	unsigned count = 0;

	for (unsigned i = 0; i < tlb->entries; i++) {
		const uint64_t used = tlb->used[i];
		unsigned at;

		if (count < TLB_AGED)
			count++;
		else if (used > tlb->aged[TLB_AGED - 1])
			continue;
		for (at = count - 1; at > 0 && tlb->aged[at - 1] > used; at--)
			tlb->aged[at] = tlb->aged[at - 1];
		tlb->aged[at] = used;
	}
	tlb->aged_count = count;
	tlb->aged_next = 0;
}

/*
 * Returns the entry that was used least recently, if none is empty. Whatever was used since entries
 * were found is younger than all of these, so the first of them that was not is the one.
 */
static unsigned find_oldest(struct tlb_first *tlb)
{
	for (;;) {
		while (tlb->aged_next < tlb->aged_count) {
			const uint64_t used = tlb->aged[tlb->aged_next++];

			if (tlb->used[used % TLB_FIRST_MAX] == used)
				return used % TLB_FIRST_MAX;
		}
		find_aged(tlb);
	}
}

void tlb_first_insert(struct tlb_first *tlb, uint64_t page, uint64_t frame)
{
	unsigned oldest = tlb->empty ? first_empty(tlb) : find_oldest(tlb);

	if (tlb->pages[oldest])
		tlb->alike[tlb_first_hash(tlb->pages[oldest] - 1)]--;
	tlb->alike[tlb_first_hash(page)]++;
	tlb->pages[oldest] = page + 1;
	tlb->frames[oldest] = frame;
	tlb_first_note(tlb, oldest);
	*tlb_first_hint(tlb, page) = (uint8_t)oldest;
}

void tlb_first_remove(struct tlb_first *tlb, uint64_t first, uint64_t end)
{
	for (unsigned i = 0; i < tlb->entries; i++)
		if (tlb->pages[i] > first && tlb->pages[i] <= end) {
			tlb->alike[tlb_first_hash(tlb->pages[i] - 1)]--;
			tlb->pages[i] = 0;
			tlb->empty++;
		}
}

bool tlb_second_set_up(struct tlb_second *tlb, unsigned entries, unsigned ways)
{
	tlb->ways = ways ? ways : 1;
	tlb->set_mask = sets_within(entries, tlb->ways, TLB_SETS_MAX) - 1;
	tlb->pairs = calloc(((size_t)tlb->set_mask + 1) * tlb->ways, sizeof(*tlb->pairs));
	return tlb->pairs != NULL;
}

void tlb_second_clean_up(struct tlb_second *tlb)
{
	free(tlb->pairs);
}

void tlb_second_clear(struct tlb_second *tlb)
{
	memset(tlb->pairs, 0, ((size_t)tlb->set_mask + 1) * tlb->ways * sizeof(*tlb->pairs));
}

bool tlb_second_find(struct tlb_second *tlb, uint64_t page, uint64_t *frame)
{
	struct tlb_pair *set = &tlb->pairs[(page & tlb->set_mask) * tlb->ways];

	for (unsigned way = 0; way < tlb->ways; way++) {
		struct tlb_pair found = set[way];

		if (found.page != page + 1)
			continue;
		for (; way > 0; way--)
			set[way] = set[way - 1];
		set[0] = found;
		*frame = found.frame;
		return true;
	}
	return false;
}

void tlb_second_insert(struct tlb_second *tlb, uint64_t page, uint64_t frame)
{
	struct tlb_pair *set = &tlb->pairs[(page & tlb->set_mask) * tlb->ways];

	for (unsigned way = tlb->ways - 1; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = (struct tlb_pair){.page = page + 1, .frame = frame};
}

/* Removes those of a set, and closes the gaps: what is oldest is last. */
static void remove_from_set(const struct tlb_second *tlb, struct tlb_pair *set, uint64_t first,
			    uint64_t end)
{
	unsigned kept = 0;

	for (unsigned way = 0; way < tlb->ways; way++)
		if (set[way].page <= first || set[way].page > end)
			set[kept++] = set[way];
	while (kept < tlb->ways)
		set[kept++] = (struct tlb_pair){0};
}

void tlb_second_remove(struct tlb_second *tlb, uint64_t first, uint64_t end)
{
	const uint64_t sets = (uint64_t)tlb->set_mask + 1;

	for (uint64_t i = 0; i < sets && i < end - first; i++)
		remove_from_set(tlb, &tlb->pairs[((first + i) & tlb->set_mask) * tlb->ways], first,
				end);
}
