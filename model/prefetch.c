/* SPDX-License-Identifier: Apache-2.0 */
#include "prefetch.h"

#include <string.h>

#define CONFIDENT     2
#define CONFIDENT_MAX 3

void stride_set_up(struct stride_prefetcher *prefetcher, unsigned entries, unsigned distance)
{
	memset(prefetcher, 0, sizeof(*prefetcher));
	while (2 * (prefetcher->count ? prefetcher->count : 1) <= entries &&
	       prefetcher->count < STRIDE_ENTRIES_MAX)
		prefetcher->count = prefetcher->count ? 2 * prefetcher->count : 1;
	prefetcher->distance = distance;
}

struct prefetch_wish stride_train(struct stride_prefetcher *prefetcher, uint64_t pc, uint64_t line)
{
	struct prefetch_wish wish = {0};
	struct stride_entry *entry;
	int64_t stride, lead;

	if (!prefetcher->count)
		return wish;
	entry = &prefetcher->entries[(pc >> 2 ^ pc >> 8) & (prefetcher->count - 1)];
	if (entry->pc != pc) {
		*entry = (struct stride_entry){.pc = pc, .last = line, .ahead = line};
		return wish;
	}
	stride = (int64_t)(line - entry->last);
	entry->last = line;
	if (!stride)
		return wish;
	if (stride != entry->stride) {
		if (entry->confidence) {
			entry->confidence--;
		} else {
			entry->stride = stride;
			entry->ahead = line;
		}
		return wish;
	}
	if (entry->confidence < CONFIDENT_MAX)
		entry->confidence++;
	if (entry->confidence < CONFIDENT)
		return wish;
	/* Continue from the furthest line requested, but never from behind the access itself. */
	lead = (int64_t)(entry->ahead - line) / stride;
	if (lead < 0 || lead > prefetcher->distance) {
		lead = 0;
		entry->ahead = line;
	}
	wish.step = stride;
	wish.first = entry->ahead + (uint64_t)stride;
	wish.count = prefetcher->distance - (unsigned)lead;
	wish.ahead = &entry->ahead;
	return wish;
}

void stream_set_up(struct stream_prefetcher *prefetcher, unsigned lines)
{
	memset(prefetcher, 0, sizeof(*prefetcher));
	prefetcher->lines = lines;
}

struct prefetch_wish stream_train(struct stream_prefetcher *prefetcher, uint64_t line,
				  unsigned lines_a_page)
{
	uint64_t page = line / lines_a_page;
	uint8_t offset = (uint8_t)(line & (lines_a_page - 1));
	struct prefetch_wish wish = {0};
	struct stream_entry *entry = NULL, *oldest = &prefetcher->entries[0];
	int step;

	if (!prefetcher->lines)
		return wish;
	prefetcher->clock++;
	for (unsigned i = 0; i < STREAM_ENTRIES && !entry; i++) {
		struct stream_entry *candidate = &prefetcher->entries[i];

		if (candidate->page == page + 1)
			entry = candidate;
		else if (prefetcher->clock - candidate->used > prefetcher->clock - oldest->used)
			oldest = candidate;
	}
	if (!entry) {
		*oldest = (struct stream_entry){
			.page = page + 1, .used = prefetcher->clock, .last = offset};
		return wish;
	}
	entry->used = prefetcher->clock;
	step = offset - entry->last;
	entry->last = offset;
	if (step != 1 && step != -1) {
		entry->matches = 0;
		return wish;
	}
	if (step != entry->direction) {
		entry->direction = (int8_t)step;
		entry->matches = 0;
	}
	if (entry->matches < 2 && ++entry->matches < 2)
		return wish;
	wish.first = line + (uint64_t)step;
	wish.step = step;
	wish.count = prefetcher->lines;
	/* A stream ends at the end of its page: the next physical page may be unrelated. */
	if (step > 0 && wish.count > lines_a_page - 1u - offset)
		wish.count = lines_a_page - 1u - offset;
	if (step < 0 && wish.count > offset)
		wish.count = offset;
	return wish;
}
