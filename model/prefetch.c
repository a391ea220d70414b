/* SPDX-License-Identifier: Apache-2.0 */
#include "prefetch.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
	lead = (int64_t)(entry->ahead - line);
	if (stride != 1) /* most are, and the host takes long to divide */
		lead /= stride;
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
	prefetcher->order = 0x0123456789abcdef; /* so the first one is taken first */
	prefetcher->lines = distance ? lines : 0;
	prefetcher->distance = distance;
}

/* Returns a bit for each stream that may be near a line, or go on with it: by the low bits alone.
 */
static inline unsigned may_be_near(const struct stream_prefetcher *prefetcher, uint64_t line)
{
	unsigned streams = 0;
#ifdef __SSE2__
	const __m128i low = _mm_set1_epi16((short)line), reach = _mm_set1_epi16(STREAM_REACH);
	__m128i near[STREAM_ENTRIES / 8];

	for (unsigned i = 0; i < STREAM_ENTRIES / 8; i++) {
		const __m128i *last = (const __m128i *)(const void *)prefetcher->last + i;
		const __m128i *next = (const __m128i *)(const void *)prefetcher->next + i;
		const __m128i away =
			_mm_add_epi16(_mm_sub_epi16(low, _mm_loadu_si128(last)), reach);
		const __m128i beyond = _mm_subs_epu16(away, _mm_add_epi16(reach, reach));

		near[i] = _mm_or_si128(_mm_cmpeq_epi16(low, _mm_loadu_si128(next)),
				       _mm_cmpeq_epi16(beyond, _mm_setzero_si128()));
	}
	_Static_assert(STREAM_ENTRIES == 16, "a bit for each byte");
	streams = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(near[0], near[1]));
#else
	for (unsigned i = 0; i < STREAM_ENTRIES; i++)
		streams |= (unsigned)(((uint16_t)(line - prefetcher->last[i] + STREAM_REACH) <=
				       2 * STREAM_REACH) |
				      ((uint16_t)line == prefetcher->next[i]))
			   << i;
#endif
	return streams & prefetcher->used;
}

/* Returns the stream that goes on with `line`, or is nearest; NULL if there is none. */
static struct stream_entry *find_near(struct stream_prefetcher *prefetcher, uint64_t line)
{
	struct stream_entry *found = NULL;
	uint64_t nearest = STREAM_REACH + 1;
	unsigned streams = may_be_near(prefetcher, line);

	for (; streams && nearest; streams &= streams - 1) {
		const unsigned i = (unsigned)__builtin_ctz(streams);
		struct stream_entry *entry = &prefetcher->entries[i];
		uint64_t away = line > entry->last ? line - entry->last : entry->last - line;

		if (entry->last + (uint64_t)entry->step == line && entry->confidence)
			away = 0;
		if (away < nearest) {
			nearest = away;
			found = entry;
		}
	}
	return found;
}

/* Makes an entry the one that was used last. */
static void use_entry(struct stream_prefetcher *prefetcher, unsigned entry)
{
	const uint64_t ones = 0x1111111111111111, order = prefetcher->order;
	const uint64_t others = order ^ entry * ones; /* 0 in its place */
	const uint64_t place = (others - ones) & ~others & 8 * ones;
	/* The bits below its place, and those of it: the lowest bit of `place` is the right one. */
	const uint64_t below = (place & -place) / 8 - 1, those = 16 * below | 15;

	prefetcher->order = (order & ~those) | (order & below) << 4 | entry;
}

/* Returns the stream that goes on with `line`, or is nearest; a new one if there is none. */
static struct stream_entry *find_stream(struct stream_prefetcher *prefetcher, uint64_t line)
{
	struct stream_entry *found;

	found = find_near(prefetcher, line);
	if (!found) {
		found = &prefetcher->entries[prefetcher->order >> (64 - 4)];
		*found = (struct stream_entry){.last = line, .ahead = line};
	}
	return found;
}

/* A stream has got its line: notes what may_be_near() needs. */
static void note_stream(struct stream_prefetcher *prefetcher, const struct stream_entry *entry)
{
	const unsigned i = (unsigned)(entry - prefetcher->entries);

	use_entry(prefetcher, i);
	prefetcher->used |= 1u << i;
	prefetcher->last[i] = (uint16_t)entry->last;
	prefetcher->next[i] = (uint16_t)(entry->last + (uint64_t)entry->step);
}

/* A stream gets `line`: returns whether it goes on as before, and sets `*wish` to what to fetch. */
static inline bool go_on(const struct stream_prefetcher *prefetcher, struct stream_entry *entry,
			 uint64_t line, struct prefetch_wish *wish)
{
	int64_t step = (int64_t)(line - entry->last), lead, steps;

	entry->last = line;
	if (!step)
		return false;
	if (step != entry->step) {
		if (entry->confidence) {
			entry->confidence--;
		} else {
			entry->step = step;
			entry->ahead = line;
		}
		return false;
	}
	if (entry->confidence < CONFIDENT_MAX)
		entry->confidence++;
	if (entry->confidence < CONFIDENT)
		return false;
	/* As the first level's, but so many lines ahead, however long a step is. */
	steps = (int64_t)prefetcher->distance;
	if (step != 1)
		steps /= step;
	if (steps < 0)
		steps = -steps;
	steps += !steps;
	lead = (int64_t)(entry->ahead - line);
	if (step != 1)
		lead /= step;
	if (lead < 0 || lead > steps) {
		lead = 0;
		entry->ahead = line;
	}
	*wish = (struct prefetch_wish){
		.step = step,
		.first = entry->ahead + (uint64_t)step,
		.count = (unsigned)(steps - lead),
		.most = prefetcher->lines,
		.ahead = &entry->ahead,
	};
	return true;
}

bool stream_train(struct stream_prefetcher *prefetcher, uint64_t line, struct prefetch_wish *wish)
{
	struct stream_entry *entry;
	bool wishes;

	if (!prefetcher->lines)
		return false;
	entry = find_stream(prefetcher, line);
	wishes = go_on(prefetcher, entry, line, wish);
	note_stream(prefetcher, entry);
	return wishes;
}
