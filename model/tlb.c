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

/* Two at a time: the host need not wait for the first half's result. */
static unsigned find_oldest(const struct tlb_first *tlb)
{
	uint64_t oldest = tlb->used[0], other = tlb->used[tlb->entries - 1];

	for (unsigned i = 1; i + 1 < tlb->entries; i += 2) {
		const uint64_t a = tlb->used[i], b = tlb->used[i + 1];

		oldest = a < oldest ? a : oldest;
		other = b < other ? b : other;
	}
	return (other < oldest ? other : oldest) % TLB_FIRST_MAX;
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
