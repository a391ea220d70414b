/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tags of the system cache: which lines are present and which are dirty, in half a word each. A
 * set of 16 ways is one line of the host's caches, whose misses dominate the model's time when a
 * program misses often. Each set is ordered by use, most recent first; the last line is the victim.
 */
#ifndef MODEL_TAGS_H
#define MODEL_TAGS_H

#include <stdbool.h>
#include <stdint.h>

struct tags {
	uint32_t *entries; /* (line + 1) << 1 | TAG_DIRTY; 0 if empty */
	uint32_t sets;
	uint32_t ways;
	bool power_of_two; /* the number of sets is */
};

#define TAG_DIRTY 1u

bool tags_set_up(struct tags *tags, uint32_t bytes, unsigned ways, unsigned line_bytes);
void tags_clean_up(struct tags *tags);

static inline uint32_t *tags_set_of(const struct tags *tags, uint64_t line)
{
	/* Sizes such as 48 MiB have no power of two of sets; then lines are hashed. */
	uint32_t set =
		tags->power_of_two
			? (uint32_t)line & (tags->sets - 1)
			: (uint32_t)(((line * 0x9e3779b97f4a7c15ull >> 32) * tags->sets) >> 32);

	return &tags->entries[(uint64_t)set * tags->ways];
}

/*
 * Makes a line the most recent of its set, and dirty if written. Returns whether it was present.
 * Otherwise inserts it, and sets `*wrote_back` if a dirty line was evicted. Physical memory is
 * allocated from the bottom, so line numbers fit in a tag. Those of page tables, far above, are
 * folded, so that one in 2^31 may be confused with another.
 */
bool tags_use(const struct tags *tags, uint64_t line, bool write, bool *wrote_back);

#endif
