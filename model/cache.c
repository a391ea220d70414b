/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <stdlib.h>

bool cache_set_up(struct cache *cache, uint32_t bytes, unsigned ways, unsigned line_bytes,
		  bool versions)
{
	cache->ways = ways ? ways : 1;
	cache->sets = bytes / (line_bytes * cache->ways);
	if (!cache->sets)
		cache->sets = 1;
	cache->power_of_two = (cache->sets & (cache->sets - 1)) == 0;
	cache->lines = calloc((size_t)cache->sets * cache->ways, sizeof(*cache->lines));
	cache->versions =
		versions ? calloc((size_t)cache->sets * cache->ways, sizeof(*cache->versions))
			 : NULL;
	return cache->lines && (cache->versions || !versions);
}

void cache_clean_up(struct cache *cache)
{
	free(cache->lines);
	free(cache->versions);
}

void cache_swap_versions(const struct cache *cache, const struct cache_line *set, unsigned way)
{
	uint32_t *versions = cache_version(cache, set);
	uint32_t version = versions[way];

	for (; way > 0; way--)
		versions[way] = versions[way - 1];
	versions[0] = version;
}

/* Makes the line in a way the most recent one of its set. */
static inline void move_to_front(const struct cache *cache, struct cache_line *set, unsigned way)
{
	const struct cache_line found = set[way];

	if (__builtin_expect(cache->versioned, 0))
		cache_swap_versions(cache, set, way);
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = found;
}

struct cache_line *cache_find_slow(const struct cache *cache, struct cache_line *set, uint64_t line)
{
	for (unsigned way = 0; way < cache->ways; way++)
		if (cache_is_line(&set[way], line)) {
			move_to_front(cache, set, way);
			return set;
		}
	return NULL;
}

struct cache_line *cache_peek(const struct cache *cache, uint64_t line)
{
	struct cache_line *set = cache_set_of(cache, line);

	for (unsigned way = 0; way < cache->ways; way++)
		if (cache_is_line(&set[way], line))
			return &set[way];
	return NULL;
}

bool cache_has(const struct cache *cache, uint64_t line)
{
	return cache_peek(cache, line) != NULL;
}

bool cache_remove(struct cache *cache, uint64_t line)
{
	struct cache_line *set = cache_set_of(cache, line);

	for (unsigned way = 0; way < cache->ways; way++)
		if (cache_is_line(&set[way], line)) {
			set[way].key = 0;
			cache->gaps = true;
			return true;
		}
	return false;
}
