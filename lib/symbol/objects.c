/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the variable that a data address belongs to. Recordings have no mappings of data: a file's
 * code says where the rest of it is. */
#include "recording/tasks.h"
#include "symbol/maps.h"
#include "symbol/symbolizer.h"

/* Finds how much higher a file's addresses are in memory, from a mapping of its code. */
static bool bias_of(const struct plumb_symbol_file *file, const struct map *map, uint64_t *bias)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const GElf_Phdr *s = &file->segments[i];

		if (!(s->p_flags & PF_X) || s->p_offset + s->p_filesz <= map->page_offset ||
		    s->p_offset >= map->page_offset + (map->end - map->start))
			continue;
		/* The mapping may begin before the segment, on the same page. */
		*bias = map->start + s->p_offset - map->page_offset - s->p_vaddr;
		return true;
	}
	return false;
}

/* Returns where in the file an address of its own is, if that is data. */
static bool place_of(const struct plumb_symbol_file *file, uint64_t address, uint64_t *place)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const GElf_Phdr *s = &file->segments[i];

		if (address < s->p_vaddr || address - s->p_vaddr >= s->p_memsz)
			continue;
		*place = address - s->p_vaddr + s->p_offset;
		return !(s->p_flags & PF_X);
	}
	return false;
}

bool symbolizer_object(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		       uint64_t address, struct plumb_location *location)
{
	const struct map_space *space = task ? task_process(task)->space : NULL;

	*location = (struct plumb_location){.ip = address, .address = address};
	for (size_t i = 0; space && i < space->count; i++) {
		const struct map *map = &space->at[i];
		struct plumb_symbol_file *file = map->file;
		uint64_t bias, place;

		if (map->identity || file->kind != FILE_USER)
			continue;
		file_load(symbolizer_files(symbolizer), file);
		if (!bias_of(file, map, &bias) || !place_of(file, address - bias, &place))
			continue;
		location->file = file;
		location->address = place;
		location->symbol = symbol_table_find(&file->symbols, place);
		return location->symbol;
	}
	return false;
}
