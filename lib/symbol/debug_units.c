/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/debug_units.h"

#include <dwarf.h>
#include <stdlib.h>

#include <plumb/error.h>

/* More units than this are ignored. */
#define UNITS_MAX (UINT32_C(1) << 20)
/* So are more address ranges in all: a damaged file may give each DIE a list of them. */
#define RANGES_MAX (UINT32_C(1) << 25)

static int add_range(struct debug_ranges *ranges, struct debug_range range)
{
	if (ranges->count == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 64;
		struct debug_range *grown = reallocarray(ranges->at, room, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		ranges->at = grown;
		ranges->room = room;
	}
	ranges->at[ranges->count++] = range;
	return 0;
}

static int add_ranges_of(struct debug_units *units, struct debug_ranges *ranges, Dwarf_Die *die,
			 uint32_t unit)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	int status = 0;

	while (status == 0 && (next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		if (units->ranges_left == 0)
			return PLUMB_ERR_LIMIT;
		units->ranges_left--;
		if (start < end)
			status = add_range(ranges, (struct debug_range){start, end, offset, unit});
	}
	return status;
}

static int by_start(const void *a, const void *b)
{
	const struct debug_range *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return (one->end > other->end) - (one->end < other->end);
}

static void sort_ranges(struct debug_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->at, ranges->count, sizeof(*ranges->at), by_start);
}

const struct debug_range *debug_ranges_find(const struct debug_ranges *ranges, Dwarf_Addr address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < ranges->at[low - 1].end ? &ranges->at[low - 1] : NULL;
}

int debug_units_read(struct debug_units *units, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int status = 0;
	size_t room = 0;

	units->ranges_left = RANGES_MAX;
	while (status == 0 && units->count < UNITS_MAX &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		struct debug_unit *unit;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (units->count == room) {
			room = room ? 2 * room : 16;
			unit = reallocarray(units->at, room, sizeof(*unit));
			if (!unit)
				return PLUMB_ERR_NO_MEMORY;
			units->at = unit;
		}
		unit = &units->at[units->count++];
		*unit = (struct debug_unit){
			.die = die, .split = die, .is_skeleton = type == DW_UT_skeleton};
		status = add_ranges_of(units, &units->ranges, &die, (uint32_t)(units->count - 1));
	}
	sort_ranges(&units->ranges);
	return status;
}

void debug_units_free(struct debug_units *units)
{
	for (size_t i = 0; i < units->count; i++)
		free(units->at[i].functions.at);
	free(units->at);
	free(units->ranges.at);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

/*
 * Finds the functions in a DIE and those within: in namespaces, in classes, and nested ones. DIEs
 * must come in the order of their offsets, `*last` being the last one's. Otherwise siblings could
 * also be children, and the number of paths would explode.
 */
static int read_functions(struct debug_units *units, struct debug_ranges *ranges, Dwarf_Die *parent,
			  unsigned depth, Dwarf_Off *last)
{
	Dwarf_Die die;
	int status = 0;

	if (depth == DEBUG_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (dwarf_dieoffset(&die) <= *last)
			return 0;
		*last = dwarf_dieoffset(&die);
		if (tag == DW_TAG_subprogram)
			status = add_ranges_of(units, ranges, &die, 0);
		if (status == 0 && may_hold_functions(tag))
			status = read_functions(units, ranges, &die, depth + 1, last);
	} while (status == 0 && dwarf_siblingof(&die, &die) == 0);
	return status;
}

int debug_units_read_functions(struct debug_units *units, struct debug_unit *unit)
{
	Dwarf_Off last = 0;
	int status = read_functions(units, &unit->functions, &unit->split, 0, &last);

	sort_ranges(&unit->functions);
	return status;
}
