/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include <stdlib.h>

#include "host_table.h"

#define BLOCK_LOG2  16 /* 64 KiB */
#define FIRST_BLOCK 16 /* the bottom of physical memory is not used, as on real machines */
/* Huge pages are where small ones never come to. */
#define HUGE_FRAMES_LOG2 44
#define FRAME_SMALL      UINT64_MAX

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

static struct page_table *new_table(void)
{
	struct page_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->log2_slots = 12;
	table->slots = calloc(1u << 12, sizeof(*table->slots));
	if (table->slots)
		return table;
	free(table);
	return NULL;
}

static void free_table(struct page_table *table)
{
	if (table)
		free(table->slots);
	free(table);
}

/* Returns the slot of a block, which is empty if `block` is not there; NULL: out of memory. */
static struct block_frame *slot_for(struct page_table *table, uint64_t block)
{
	struct block_frame *slot = find_slot(table, block);

	if (slot->block || 2 * (table->count + 1) <= 1ull << table->log2_slots)
		return slot;
	if (grow(table))
		return find_slot(table, block);
	return table->count + 2 >= 1ull << table->log2_slots ? NULL : slot;
}

/* Returns the first page of the huge page that a page belongs to, or FRAME_SMALL. */
static uint64_t find_huge(struct memory_system *system, uint64_t page)
{
	const unsigned log2_pages = system->log2_huge_pages;
	const uint64_t bytes = (uint64_t)system->params->page_bytes << log2_pages;
	uint64_t block = page >> log2_pages;
	struct block_frame *slot;

	slot = slot_for(system->huge, block);
	if (!slot)
		return FRAME_SMALL;
	if (!slot->block) {
		uint64_t first = (1ull << HUGE_FRAMES_LOG2) / system->params->page_bytes;

		*slot = (struct block_frame){block + 1, FRAME_SMALL};
		system->huge->count++;
		if (system->params->is_anonymous(block * bytes, bytes))
			slot->frame = first + (system->huge_count++ << log2_pages);
	}
	return slot->frame;
}

uint64_t system_translate(struct memory_system *system, uint64_t page)
{
	unsigned log2_pages = system->log2_block_pages;
	uint64_t frame = FRAME_SMALL;
	struct block_frame *slot;

	pthread_mutex_lock(&system->lock);
	if (system->log2_huge_pages)
		frame = find_huge(system, page);
	if (frame != FRAME_SMALL) {
		frame |= page & ((1ull << system->log2_huge_pages) - 1);
	} else if (!(slot = slot_for(system->pages, page >> log2_pages))) {
		frame = page; /* no memory for the map: use virtual addresses as physical ones */
	} else {
		if (!slot->block)
			*slot = (struct block_frame){(page >> log2_pages) + 1,
						     FIRST_BLOCK + system->pages->count++};
		frame = slot->frame << log2_pages | (page & ((1ull << log2_pages) - 1));
	}
	pthread_mutex_unlock(&system->lock);
	return frame;
}

bool system_is_huge(struct memory_system *system, uint64_t page)
{
	uint64_t frame;

	pthread_mutex_lock(&system->lock);
	frame = find_huge(system, page);
	pthread_mutex_unlock(&system->lock);
	return frame != FRAME_SMALL;
}

bool system_read(struct memory_system *system, uint64_t line, bool *wrote_back)
{
	bool hit;

	pthread_mutex_lock(&system->lock);
	hit = tags_use(&system->llc, line, false, wrote_back);
	pthread_mutex_unlock(&system->lock);
	return hit;
}

static uint64_t take(struct memory_system *system, struct bandwidth *path, uint64_t time)
{
	pthread_mutex_lock(&system->lock);
	time = bandwidth_take(path, time);
	pthread_mutex_unlock(&system->lock);
	return time;
}

uint64_t system_llc_take(struct memory_system *system, uint64_t time)
{
	return take(system, &system->llc_path, time);
}

uint64_t system_dram_take(struct memory_system *system, uint64_t time)
{
	return take(system, &system->dram_path, time);
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
	bandwidth_set_up(&system->llc_path, params->socket.llc_cycles_per_line);
	bandwidth_set_up(&system->dram_path, params->socket.dram_cycles_per_line);
	/* A huge page is what a page of entries in the tables maps. */
	if (params->is_anonymous)
		system->log2_huge_pages = (unsigned)__builtin_ctz(params->page_bytes) - 3;
	system->pages = new_table();
	system->huge = new_table();
	if (!system->ownership || !system->arrivals || !system->moved_lines || !system->pages ||
	    !system->huge ||
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
	free_table(system->pages);
	free_table(system->huge);
	host_table_free((void *)(uintptr_t)system->ownership);
	free(system->arrivals);
	free((void *)(uintptr_t)system->moved_lines);
	pthread_mutex_destroy(&system->lock);
	free(system);
}
