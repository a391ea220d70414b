/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is mapped where in an address space. Spaces are shared until one of those who share it
 * changes, as fork(2) does it: a recording of many processes costs little.
 */
#ifndef SYMBOL_MAPS_H
#define SYMBOL_MAPS_H

#include <plumb/symbol.h>

struct map {
	uint64_t start, end; /* addresses; the end is not in it */
	uint64_t page_offset;
	struct plumb_symbol_file *file;
	bool identity; /* places in the file are addresses */
};

/* Sorted, none overlapping. NULL is an empty space. */
struct map_space {
	unsigned users;
	size_t count, room;
	struct map *at;
};

/*
 * Maps `map`. What it overlaps gives way: cut, split or gone. `*space` is replaced by one of its
 * own if it is shared. Returns 0 or PLUMB_ERR_NO_MEMORY, and then nothing has changed.
 */
int maps_insert(struct map_space **space, const struct map *map);

/* The map that `address` is in; NULL: none. Until the next maps_insert(). */
const struct map *maps_find(const struct map_space *space, uint64_t address);

/* One more user of it; and one fewer. */
struct map_space *maps_share(struct map_space *space);
void maps_release(struct map_space *space);

static inline uint64_t map_place(const struct map *map, uint64_t address)
{
	return map->identity ? address : address - map->start + map->page_offset;
}

#endif
