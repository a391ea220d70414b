/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set-associative cache. Each line has the cycle at which its data arrived or will arrive, so
 * lines in flight are found like any other: this is a miss buffer and a cache in one. Each set is
 * ordered by use, most recent first; the last line is the victim.
 */
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum cache_flag {
	CACHE_DIRTY = 1 << 0,
	CACHE_PREFETCHED = 1 << 1, /* prefetched, not yet used */
	CACHE_LEVEL_SHIFT = 2,     /* its source: enum memory_level, 3 bits */
	CACHE_LEVEL_MASK = 7 << CACHE_LEVEL_SHIFT,
	CACHE_VALID = 1 << 7,
};

struct cache_line {
	uint64_t key;   /* line number << 8 | flags; 0 if empty */
	uint64_t ready; /* cycle */
};

struct cache {
	struct cache_line *lines;
	uint32_t *versions; /* version of each line when filled; NULL without sharing */
	bool versioned;     /* any version has ever been another one than 0 */
	uint32_t sets;
	uint32_t ways;
	bool power_of_two; /* the number of sets is */
	bool gaps;         /* lines were removed, so that empty ones may be before others */
};

bool cache_set_up(struct cache *cache, uint32_t bytes, unsigned ways, unsigned line_bytes,
		  bool versions);
void cache_clean_up(struct cache *cache);

static inline struct cache_line *cache_set_of(const struct cache *cache, uint64_t line)
{
	/* Sizes such as 48 MiB have no power of two of sets; then lines are hashed. */
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

/* Whether this is the line, in any state. */
static inline bool cache_is_line(const struct cache_line *found, uint64_t line)
{
	return (found->key ^ (line << 8 | CACHE_VALID)) < CACHE_VALID;
}

/* Finds a line and makes it the most recent of its set; NULL if absent. */
struct cache_line *cache_find_slow(const struct cache *cache, struct cache_line *set,
				   uint64_t line);

static inline struct cache_line *cache_find(const struct cache *cache, uint64_t line)
{
	struct cache_line *set = cache_set_of(cache, line);

	if (cache_is_line(set, line))
		return set;
	return cache_find_slow(cache, set, line);
}

static inline uint32_t *cache_version(const struct cache *cache, const struct cache_line *line)
{
	return &cache->versions[line - cache->lines];
}

/* While all versions are 0, as those of a lone core are, nobody has to fetch and to move them. */
static inline void cache_set_version(struct cache *cache, const struct cache_line *line,
				     uint32_t version)
{
	if (__builtin_expect(version || cache->versioned, 0)) {
		cache->versioned = true;
		*cache_version(cache, line) = version;
	}
}

/* Swaps the two most recent lines of a set. */
static inline void cache_swap(const struct cache *cache, struct cache_line *set)
{
	const struct cache_line second = set[1];

	if (__builtin_expect(cache->versioned, 0)) {
		uint32_t *versions = cache_version(cache, set), version = versions[1];

		versions[1] = versions[0];
		versions[0] = version;
	}
	set[1] = set[0];
	set[0] = second;
}

/* Whether this is the line, in any state but that it was prefetched and not used. */
static inline bool cache_is_plain(const struct cache_line *found, uint64_t line)
{
	const uint64_t others = CACHE_DIRTY | CACHE_LEVEL_MASK;

	return (found->key & ~others) == (line << 8 | CACHE_VALID);
}

/*
 * Uses a line that has its data by `cycle`, and was not just prefetched, if it is one of the two
 * that its set used last: that changes nothing but the order. Otherwise returns false, and changes
 * nothing.
 */
static inline bool cache_use(const struct cache *cache, uint64_t line, uint64_t cycle)
{
	struct cache_line *set = cache_set_of(cache, line);

	if (__builtin_expect(cache_is_plain(set, line), 1))
		return set->ready <= cycle;
	if (cache->ways < 2 || !cache_is_plain(&set[1], line) || set[1].ready > cycle)
		return false;
	cache_swap(cache, set);
	return true;
}

/* Whether cache_use() would. */
static inline bool cache_may_use(const struct cache *cache, uint64_t line, uint64_t cycle)
{
	const struct cache_line *set = cache_set_of(cache, line);

	if (__builtin_expect(cache_is_plain(set, line), 1))
		return set->ready <= cycle;
	return cache->ways >= 2 && cache_is_plain(&set[1], line) && set[1].ready <= cycle;
}

/* Finds a line as cache_find() does, or whether it is there, but does not change the order. */
struct cache_line *cache_peek(const struct cache *cache, uint64_t line);
bool cache_has(const struct cache *cache, uint64_t line);

/* Makes the version of a way the first one of its set. Only if several cores share memory. */
void cache_swap_versions(const struct cache *cache, const struct cache_line *set, unsigned way)
	__attribute__((cold));

/* Inserts an absent line as the most recent of its set; returns the victim (key 0: none). */
static inline struct cache_line *cache_insert(const struct cache *cache, uint64_t line,
					      unsigned flags, uint64_t ready,
					      struct cache_line *victim)
{
	struct cache_line *set = cache_set_of(cache, line);
	unsigned way = cache->ways - 1;

	if (!set[way].key || cache->gaps)
		for (way = 0; way < cache->ways - 1 && set[way].key;)
			way++; /* an empty way, else the oldest */
	*victim = set[way];
	if (__builtin_expect(cache->versioned, 0))
		cache_swap_versions(cache, set, way);
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0].key = line << 8 | CACHE_VALID | flags;
	set[0].ready = ready;
	return set;
}

/* Removes a line; returns whether it was present. */
bool cache_remove(struct cache *cache, uint64_t line);

#endif
