/* SPDX-License-Identifier: Apache-2.0 */
#include "tags.h"

#include <string.h>

#include "host_table.h"

bool tags_set_up(struct tags *tags, uint32_t bytes, unsigned ways, unsigned line_bytes)
{
	tags->ways = ways ? ways : 1;
	tags->sets = bytes / (line_bytes * tags->ways);
	if (!tags->sets)
		tags->sets = 1;
	tags->power_of_two = (tags->sets & (tags->sets - 1)) == 0;
	tags->entries = host_table((size_t)tags->sets * tags->ways * sizeof(*tags->entries));
	return tags->entries;
}

void tags_clean_up(struct tags *tags)
{
	host_table_free(tags->entries);
}

static inline uint32_t tag_of(uint64_t line)
{
	return (uint32_t)(line + 1 + (line >> 31) * 0x9e3779b1u) << 1;
}

bool tags_use(const struct tags *tags, uint64_t line, bool write, bool *wrote_back)
{
	uint32_t *set = tags_set_of(tags, line), tag = tag_of(line), entry;
	unsigned way = 0, last = tags->ways - 1;
	bool hit;

	while (way < last && (set[way] & ~TAG_DIRTY) != tag && set[way])
		way++; /* the line itself, an empty way, or the oldest */
	entry = set[way];
	hit = (entry & ~TAG_DIRTY) == tag;
	*wrote_back = !hit && entry & TAG_DIRTY;
	memmove(&set[1], set, way * sizeof(*set));
	set[0] = tag | (hit ? entry & TAG_DIRTY : 0) | (write ? TAG_DIRTY : 0);
	return hit;
}
