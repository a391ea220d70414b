/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/maps.h"

#include <stdlib.h>
#include <string.h>

/* Finds the first map that ends after `address`. */
static size_t first_behind(const struct map_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->at[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct map *maps_find(const struct map_space *space, uint64_t address)
{
	size_t i;

	if (!space)
		return NULL;
	i = first_behind(space, address);
	return i < space->count && space->at[i].start <= address ? &space->at[i] : NULL;
}

void maps_cut_to_gap(const struct map_space *space, uint64_t address, uint64_t *from, uint64_t *to)
{
	const size_t next = space ? first_behind(space, address) : 0;

	if (next > 0 && *from < space->at[next - 1].end)
		*from = space->at[next - 1].end;
	if (space && next < space->count) {
		const uint64_t end = space->at[next].start;

		*to = *to > end ? end : *to;
	}
}

struct map_space *maps_share(struct map_space *space)
{
	if (space)
		space->users++;
	return space;
}

void maps_release(struct map_space *space)
{
	if (!space || --space->users > 0)
		return;
	free(space->at);
	free(space);
}

/* Makes `*space` unshared, with room for `more` maps. */
static int own(struct map_space **space, size_t more)
{
	struct map_space *old = *space, *new = old;
	size_t count = old ? old->count : 0;

	if (!old || old->users > 1) {
		new = calloc(1, sizeof(*new));
		if (!new)
			return PLUMB_ERR_NO_MEMORY;
		new->users = 1;
	}
	if (!new->at || new->room < count + more) {
		size_t room = count + count / 2 + more + 8;
		struct map *at = reallocarray(new->at, room, sizeof(*at));

		if (!at) {
			if (new != old)
				free(new);
			return PLUMB_ERR_NO_MEMORY;
		}
		new->at = at;
		new->room = room;
	}
	if (new != old) {
		if (count)
			memcpy(new->at, old->at, count * sizeof(*new->at));
		new->count = count;
		maps_release(old);
		*space = new;
	}
	return 0;
}

int maps_insert(struct map_space **space, const struct map *map)
{
	struct map pieces[3];
	size_t first, last, count = 0;
	struct map_space *s;

	if (map->end <= map->start)
		return 0;
	/* Room for the map, and for the second half of one that it splits. */
	if (own(space, 2) < 0 || !*space)
		return PLUMB_ERR_NO_MEMORY;
	s = *space;
	first = first_behind(s, map->start);
	for (last = first; last < s->count && s->at[last].start < map->end;)
		last++;
	if (last > first && s->at[first].start < map->start) {
		pieces[count] = s->at[first];
		pieces[count++].end = map->start;
	}
	pieces[count++] = *map;
	if (last > first && s->at[last - 1].end > map->end) {
		pieces[count] = s->at[last - 1];
		pieces[count].page_offset += map->end - pieces[count].start;
		pieces[count++].start = map->end;
	}
	memmove(&s->at[first + count], &s->at[last], (s->count - last) * sizeof(*s->at));
	memcpy(&s->at[first], pieces, count * sizeof(*s->at));
	s->count = s->count - (last - first) + count;
	return 0;
}
