/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include <stdlib.h>

#include "host_table.h"

#define BLOCK_LOG2  16 /* 64 KiB */
#define FIRST_BLOCK 16 /* the bottom of physical memory is not used, as on real machines */

/* A hash table of blocks, which have one page or more: open addressing, at most half full. */
struct page_table {
	struct block_frame {
		uint64_t block; /* virtual, plus one */
		uint64_t frame; /* physical block */
	} * slots;
	unsigned log2_slots;
	uint64_t count;
};

static struct block_frame *find_slot(const struct page_table *table, uint64_t block)
{
	uint64_t mask = (1ull << table->log2_slots) - 1;
	uint64_t i = block * 0x9e3779b97f4a7c15ull >> (64 - table->log2_slots);

	while (table->slots[i].block && table->slots[i].block != block + 1)
		i = (i + 1) & mask;
	return &table->slots[i];
}

static bool grow(struct page_table *table)
{
	struct page_table larger = {.log2_slots = table->log2_slots + 1, .count = table->count};

	larger.slots = calloc(1ull << larger.log2_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < 1ull << table->log2_slots; i++)
		if (table->slots[i].block)
			*find_slot(&larger, table->slots[i].block - 1) = table->slots[i];
	free(table->slots);
	*table = larger;
	return true;
}

uint64_t system_translate(struct memory_system *system, uint64_t page)
{
	const unsigned log2_pages = system->log2_block_pages;
	struct page_table *table = system->pages;
	uint64_t block = page >> log2_pages, frame;
	struct block_frame *slot;

	pthread_mutex_lock(&system->lock);
	slot = find_slot(table, block);
	if (!slot->block && 2 * (table->count + 1) > 1ull << table->log2_slots) {
		if (grow(table))
			slot = find_slot(table, block);
		else if (table->count + 2 >= 1ull << table->log2_slots) {
			/* No memory for the map: use virtual addresses as physical ones. */
			pthread_mutex_unlock(&system->lock);
			return page;
		}
	}
	if (!slot->block)
		*slot = (struct block_frame){block + 1, FIRST_BLOCK + table->count++};
	frame = slot->frame << log2_pages | (page & ((1ull << log2_pages) - 1));
	pthread_mutex_unlock(&system->lock);
	return frame;
}

bool system_read(struct memory_system *system, uint64_t line, bool *wrote_back)
{
	bool hit;

	pthread_mutex_lock(&system->lock);
	hit = tags_use(&system->llc, line, false, wrote_back);
	pthread_mutex_unlock(&system->lock);
	return hit;
}

uint64_t system_dram_take(struct memory_system *system, uint64_t time)
{
	pthread_mutex_lock(&system->lock);
	time = bandwidth_take(&system->dram_path, time);
	pthread_mutex_unlock(&system->lock);
	return time;
}

void system_write(struct memory_system *system, uint64_t line, bool *wrote_back)
{
	pthread_mutex_lock(&system->lock);
	tags_use(&system->llc, line, true, wrote_back);
	pthread_mutex_unlock(&system->lock);
}

struct memory_system *memory_system_new(const struct core_params *params)
{
	struct memory_system *system = calloc(1, sizeof(*system));

	if (!system)
		return NULL;
	system->params = params;
	while (params->page_bytes << system->log2_block_pages < 1 << BLOCK_LOG2)
		system->log2_block_pages++;
	pthread_mutex_init(&system->lock, NULL);
	system->ownership = host_table(OWNERSHIP_LINES * sizeof(*system->ownership));
	system->arrivals = calloc(OWNERSHIP_LINES, sizeof(*system->arrivals));
	system->moved_lines = calloc(OWNERSHIP_LINES / 8, sizeof(*system->moved_lines));
	bandwidth_set_up(&system->dram_path, params->dram_cycles_per_line);
	system->pages = calloc(1, sizeof(*system->pages));
	if (system->pages) {
		system->pages->log2_slots = 12;
		system->pages->slots = calloc(1u << 12, sizeof(*system->pages->slots));
	}
	if (!system->ownership || !system->arrivals || !system->moved_lines || !system->pages ||
	    !system->pages->slots ||
	    !tags_set_up(&system->llc, params->llc.bytes, params->llc.ways,
			 params->llc.line_bytes)) {
		memory_system_free(system);
		return NULL;
	}
	return system;
}

void memory_system_free(struct memory_system *system)
{
	if (!system)
		return;
	tags_clean_up(&system->llc);
	if (system->pages)
		free(system->pages->slots);
	free(system->pages);
	host_table_free((void *)(uintptr_t)system->ownership);
	free(system->arrivals);
	free((void *)(uintptr_t)system->moved_lines);
	pthread_mutex_destroy(&system->lock);
	free(system);
}
