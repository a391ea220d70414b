/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a file's debug information, their functions, and the addresses that these cover. */
#ifndef SYMBOL_DEBUG_UNITS_H
#define SYMBOL_DEBUG_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DIEs nested deeper than this mean that the file is damaged. */
#define DEBUG_DEPTH_MAX 256

/* Addresses of the file, [start, end), that a unit or a function covers. */
struct debug_range {
	Dwarf_Addr start, end;
	Dwarf_Off die; /* the function's offset in .debug_info, or in the split unit */
	uint32_t unit; /* functions: which of the units */
};

struct debug_ranges {
	struct debug_range *at;
	size_t count, room;
};

/* A compilation unit, and its functions once one was looked up. */
struct debug_unit {
	Dwarf_Die die;   /* the skeleton's, if it is split: it has the lines */
	Dwarf_Die split; /* has its functions, once read; the same if it is not split */
	bool is_skeleton;
	struct debug_ranges functions;
	bool read;
};

struct debug_units {
	struct debug_unit *at;
	size_t count;
	struct debug_ranges ranges; /* of all units */
	size_t ranges_left;         /* more than this is damage */
};

/*
 * Finds the units of `dwarf` and the addresses they cover. .debug_aranges, which has the same, may
 * be missing. Returns 0, NO_MEMORY, or LIMIT if there are too many addresses; what was read before
 * is correct. Free it in any case.
 */
int debug_units_read(struct debug_units *units, Dwarf *dwarf);
void debug_units_free(struct debug_units *units);

/* Finds the functions of a unit, in its `split` part. Returns as debug_units_read(). */
int debug_units_read_functions(struct debug_units *units, struct debug_unit *unit);

/* Finds the last range that begins at or before `address`, if it reaches that far; NULL: none. */
const struct debug_range *debug_ranges_find(const struct debug_ranges *ranges, Dwarf_Addr address);

#endif
