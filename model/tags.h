/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system cache's tags: nothing but which lines are there and which of them are dirty, in half a
 * word each. A set of 16 ways is one line of the host's caches, which is what the model waits for
 * when a program misses much. Within a set the newest used stands first; the last is the victim.
 */
#ifndef MODEL_TAGS_H
#define MODEL_TAGS_H

#include <stdbool.h>
#include <stdint.h>

struct tags {
	uint32_t *entries; /* line plus one, shifted left by one, and TAG_DIRTY; 0: empty */
	uint32_t sets;
	uint32_t ways;
	bool power_of_two; /* are the sets? */
};

#define TAG_DIRTY 1u

bool tags_set_up(struct tags *tags, uint32_t bytes, unsigned ways, unsigned line_bytes);
void tags_clean_up(struct tags *tags);

static inline uint32_t *tags_set_of(const struct tags *tags, uint64_t line)
{
	/* Sizes such as 48 MiB make no power of two of sets; hashing then spreads lines as well. */
	uint32_t set =
		tags->power_of_two
			? (uint32_t)line & (tags->sets - 1)
			: (uint32_t)(((line * 0x9e3779b97f4a7c15ull >> 32) * tags->sets) >> 32);

	return &tags->entries[(uint64_t)set * tags->ways];
}

/*
 * Makes a line the newest of its set, and dirty if it is written. Was it there? If not it is put
 * there, and `*wrote_back` says whether a dirty one had to go. Physical memory is given out from
 * the bottom, where lines' numbers fit in a tag; those of page tables, far above, are folded into
 * one, so that one in 2^31 may be taken for another.
 */
bool tags_use(const struct tags *tags, uint64_t line, bool write, bool *wrote_back);

#endif
