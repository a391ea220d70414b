/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set-associative cache of lines, each with the cycle at which its data came or will come, so
 * that a line on its way is found like any other: a miss buffer and a cache in one. Within a set
 * the newest used stands first; the last is the victim.
 */
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum cache_flag {
	CACHE_DIRTY = 1 << 0,
	CACHE_PREFETCHED = 1 << 1, /* brought by a prefetcher, not used yet */
	CACHE_LEVEL_SHIFT = 2,     /* where it came from: enum memory_level, 3 bits */
	CACHE_LEVEL_MASK = 7 << CACHE_LEVEL_SHIFT,
	CACHE_VALID = 1 << 7,
};

struct cache_line {
	uint64_t key;   /* line number << 8, and flags; 0: empty */
	uint64_t ready; /* cycle */
};

struct cache {
	struct cache_line *lines;
	uint32_t *versions; /* of each line when it was filled; NULL where there is no sharing */
	uint32_t sets;
	uint32_t ways;
	bool power_of_two; /* are the sets? */
};

bool cache_set_up(struct cache *cache, uint32_t bytes, unsigned ways, unsigned line_bytes,
		  bool versions);
void cache_clean_up(struct cache *cache);

static inline struct cache_line *cache_set_of(const struct cache *cache, uint64_t line)
{
	/* Sizes such as 48 MiB make no power of two of sets; hashing then spreads lines as well. */
	uint32_t set =
		cache->power_of_two
			? (uint32_t)line & (cache->sets - 1)
			: (uint32_t)(((line * 0x9e3779b97f4a7c15ull >> 32) * cache->sets) >> 32);

	return &cache->lines[(uint64_t)set * cache->ways];
}

static inline unsigned cache_level(const struct cache_line *line)
{
	return (unsigned)(line->key & CACHE_LEVEL_MASK) >> CACHE_LEVEL_SHIFT;
}

/* Finds a line and makes it the newest of its set; NULL if it is not there. */
struct cache_line *cache_find_slow(const struct cache *cache, struct cache_line *set,
				   uint64_t line);

static inline struct cache_line *cache_find(const struct cache *cache, uint64_t line)
{
	struct cache_line *set = cache_set_of(cache, line);

	if ((set->key >> 8) == line && set->key & CACHE_VALID)
		return set;
	return cache_find_slow(cache, set, line);
}

/* Is it there? Leaves the order alone. */
bool cache_has(const struct cache *cache, uint64_t line);

/* Puts a line that is not there in its set's first place; what it replaces (key 0: nothing). */
struct cache_line *cache_insert(const struct cache *cache, uint64_t line, unsigned flags,
				uint64_t ready, struct cache_line *victim);

/* Takes a line out; was it there? */
bool cache_remove(const struct cache *cache, uint64_t line);

static inline uint32_t *cache_version(const struct cache *cache, const struct cache_line *line)
{
	return &cache->versions[line - cache->lines];
}

#endif
