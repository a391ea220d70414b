/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is mapped where in an address space. Spaces are shared until one user changes its own, like
 * memory after fork(2), so recordings of many processes take little memory.
 */
#ifndef SYMBOL_MAPS_H
#define SYMBOL_MAPS_H

#include <plumb/symbol.h>

struct map {
	uint64_t start, end; /* addresses; `end` is exclusive */
	uint64_t page_offset;
	struct plumb_symbol_file *file;
	bool identity; /* places in the file are addresses */
};

/* Sorted, without overlaps. NULL is an empty space. */
struct map_space {
	unsigned users;
	size_t count, room;
	struct map *at;
};

/*
 * Maps `map`. Maps that it overlaps are cut, split or removed. If `*space` is shared, replaces it
 * with a copy. Returns 0, or PLUMB_ERR_NO_MEMORY, which changes nothing.
 */
int maps_insert(struct map_space **space, const struct map *map);

/* Returns the map that `address` is in, valid until the next maps_insert(); NULL: none. */
const struct map *maps_find(const struct map_space *space, uint64_t address);

/* Cuts the addresses from `*from` up to `*to` to those around `address` that are in no map, as it
 * is itself. */
void maps_cut_to_gap(const struct map_space *space, uint64_t address, uint64_t *from, uint64_t *to);

/* Add and remove a user. */
struct map_space *maps_share(struct map_space *space);
void maps_release(struct map_space *space);

static inline uint64_t map_place(const struct map *map, uint64_t address)
{
	return map->identity ? address : address - map->start + map->page_offset;
}

#endif
