/* SPDX-License-Identifier: Apache-2.0 */
#include "prefetch.h"

#include <string.h>

#define CONFIDENT     2
#define CONFIDENT_MAX 3
#define STREAM_REACH  64 /* lines: requests further apart are of different streams */

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
	wish.count = wish.most = prefetcher->distance - (unsigned)lead;
	wish.ahead = &entry->ahead;
	return wish;
}

void stream_set_up(struct stream_prefetcher *prefetcher, unsigned lines, unsigned distance)
{
	memset(prefetcher, 0, sizeof(*prefetcher));
	prefetcher->lines = distance ? lines : 0;
	prefetcher->distance = distance;
}

/* Returns the stream that goes on with `line`, or is nearest; a new one if there is none. */
static struct stream_entry *find_stream(struct stream_prefetcher *prefetcher, uint64_t line)
{
	struct stream_entry *found = NULL, *oldest = &prefetcher->entries[0];
	uint64_t nearest = STREAM_REACH + 1;

	prefetcher->clock++;
	for (unsigned i = 0; i < STREAM_ENTRIES && nearest; i++) {
		struct stream_entry *entry = &prefetcher->entries[i];
		uint64_t away = line > entry->last ? line - entry->last : entry->last - line;

		if (entry->last + (uint64_t)entry->step == line && entry->confidence)
			away = 0;
		if (entry->used && away < nearest) {
			nearest = away;
			found = entry;
		}
		if (prefetcher->clock - entry->used > prefetcher->clock - oldest->used)
			oldest = entry;
	}
	if (!found) {
		*oldest = (struct stream_entry){.last = line, .ahead = line};
		found = oldest;
	}
	found->used = prefetcher->clock;
	return found;
}

struct prefetch_wish stream_train(struct stream_prefetcher *prefetcher, uint64_t line)
{
	struct prefetch_wish wish = {0};
	struct stream_entry *entry;
	int64_t step, lead, steps;

	if (!prefetcher->lines)
		return wish;
	entry = find_stream(prefetcher, line);
	step = (int64_t)(line - entry->last);
	entry->last = line;
	if (!step)
		return wish;
	if (step != entry->step) {
		if (entry->confidence) {
			entry->confidence--;
		} else {
			entry->step = step;
			entry->ahead = line;
		}
		return wish;
	}
	if (entry->confidence < CONFIDENT_MAX)
		entry->confidence++;
	if (entry->confidence < CONFIDENT)
		return wish;
	/* As the first level's, but so many lines ahead, however long a step is. */
	steps = (int64_t)prefetcher->distance / step;
	if (steps < 0)
		steps = -steps;
	steps += !steps;
	lead = (int64_t)(entry->ahead - line) / step;
	if (lead < 0 || lead > steps) {
		lead = 0;
		entry->ahead = line;
	}
	wish.step = step;
	wish.first = entry->ahead + (uint64_t)step;
	wish.count = (unsigned)(steps - lead);
	wish.most = prefetcher->lines;
	wish.ahead = &entry->ahead;
	return wish;
}
