/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile_hot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of the processors that perf runs on. */
#define HUGE_PAGE  ((size_t)2 << 20)
#define CODES_SIZE (sizeof(struct hot_code) << HOT_CODE_BITS)
/* Instructions that were added before it is clear whether blocks of them are of use. */
#define CODES_TO_JUDGE 1024
#define ROWS_SIZE      (sizeof(struct hot_row) << HOT_ROW_BITS)

static bool reserve(struct hot *hot, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	hot->memory = memory;
	hot->memory_size = size;
	return true;
}

bool hot_begin(struct hot *hot, bool by_block)
{
	const size_t size = CODES_SIZE + ROWS_SIZE;
	uint8_t *memory;

	if (!reserve(hot, size + HUGE_PAGE) && !reserve(hot, size))
		return false;
	hot->by_block = by_block;
	memory = hot->memory;
	if (hot->memory_size > size)
		memory += HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
	/* Entries are found all over the tables, which would take a page fault for nearly each of
	 * the first thousand. Without huge pages it works as well. */
	madvise(memory, size, MADV_HUGEPAGE);
	hot->codes = (struct hot_code *)(void *)memory;
	hot->rows = (struct hot_row *)(void *)(memory + CODES_SIZE);
	return true;
}

void hot_end(struct hot *hot)
{
	hot_forget_origins(hot);
	if (hot->memory)
		munmap(hot->memory, hot->memory_size);
	*hot = (struct hot){0};
}

void hot_forget(struct hot *hot)
{
	memset(hot->codes, 0, CODES_SIZE);
	memset(hot->rows, 0, ROWS_SIZE);
	hot_forget_origins(hot);
}

uint32_t *hot_rows_of_origin(struct hot *hot, uint32_t origin)
{
	struct hot_origin *free_origin = NULL;

	for (size_t i = 0; i < HOT_ORIGINS; i++) {
		if (hot->origins[i].origin == origin)
			return hot->origins[i].rows;
		if (!hot->origins[i].origin && !free_origin)
			free_origin = &hot->origins[i];
	}
	if (!free_origin)
		return NULL;
	/* Pages that are never touched take no memory. */
	free_origin->rows = calloc(CODES_MAX, sizeof(*free_origin->rows));
	if (free_origin->rows)
		free_origin->origin = origin;
	return free_origin->rows;
}

void hot_forget_origins(struct hot *hot)
{
	for (size_t i = 0; i < HOT_ORIGINS; i++)
		free(hot->origins[i].rows);
	memset(hot->origins, 0, sizeof(hot->origins));
}

uint32_t hot_find_further(const struct hot *hot, bool by_block, uint64_t pc, uint32_t space)
{
	const uint64_t block = pc & ~(uint64_t)(HOT_BLOCK_SIZE - 1);
	uint32_t code = 0;

	if (by_block)
		code = hot_search(hot, hot_block_home(pc, space), block, space, HOT_BLOCK);
	return code ? code : hot_search(hot, hot_code_home(pc, space), pc, space, 0);
}

/* Writes an entry that is not in the table, unless there is no room. */
static void add_entry(struct hot *hot, uint32_t home, const struct hot_code *entry, bool replace)
{
	struct hot_code *place = replace ? &hot->codes[home] : NULL;

	for (uint32_t way = 0; way < HOT_CODE_WAYS; way++) {
		if (!hot->codes[home ^ way].code) {
			place = &hot->codes[home ^ way];
			break;
		}
	}
	if (!place)
		return;
	__atomic_store_n(&place->pc, entry->pc, __ATOMIC_RELAXED);
	__atomic_store_n(&place->space, entry->space, __ATOMIC_RELAXED);
	__atomic_store_n(&place->code, entry->code, __ATOMIC_RELEASE);
}

void hot_add_code(struct hot *hot, const struct hot_code *entry, bool replace)
{
	add_entry(hot, hot_code_home(entry->pc, entry->space), entry, replace);
	/* A search for a block that is not there only takes time. */
	if (++hot->codes_added > CODES_TO_JUDGE && hot->codes_added > hot->blocks_added)
		__atomic_store_n(&hot->by_block, false, __ATOMIC_RELAXED);
}

bool hot_add_blocks(struct hot *hot, const struct hot_code *entry, uint64_t before, uint64_t after,
		    bool replace)
{
	const uint64_t in_line = entry->pc % HOT_LINE_SIZE, line = entry->pc - in_line;
	bool own = false;

	for (uint64_t at = 0; hot->by_block && at < HOT_LINE_SIZE; at += HOT_BLOCK_SIZE) {
		const struct hot_code block = {line + at, entry->space, entry->code | HOT_BLOCK};
		const uint32_t home = hot_block_home(block.pc, block.space);
		const bool is_own = in_line / HOT_BLOCK_SIZE == at / HOT_BLOCK_SIZE;

		if ((at < in_line && in_line - at > before) ||
		    (at + HOT_BLOCK_SIZE > in_line && at + HOT_BLOCK_SIZE - in_line > after) ||
		    hot_search(hot, home, block.pc, block.space, HOT_BLOCK))
			continue;
		add_entry(hot, home, &block, replace && is_own);
		hot->blocks_added++;
		own |= is_own;
	}
	return own;
}

void hot_add_row(struct hot *hot, uint32_t home, const struct hot_row *entry, bool replace)
{
	struct hot_row *place = replace ? &hot->rows[home] : NULL;

	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		if (!hot->rows[home ^ way].row) {
			place = &hot->rows[home ^ way];
			break;
		}
	}
	if (!place)
		return;
	hot->has_rows = true;
	place->key = entry->key;
	__atomic_store_n(&place->row, entry->row, __ATOMIC_RELEASE);
}

/* Entries that share their ways: those of a home are in a block of as many. */
static void renumber_block(struct hot *hot, uint32_t block, const uint32_t *renumbered,
			   size_t count)
{
	struct hot_row kept[HOT_ROW_WAYS];
	size_t left = 0;

	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		struct hot_row *entry = &hot->rows[block + way];

		if (entry->row && entry->row <= count &&
		    renumbered[entry->row - 1] != HOT_ROW_GONE) {
			kept[left] = *entry;
			kept[left++].row = renumbered[entry->row - 1] + 1;
		}
		entry->row = 0;
	}
	/* In the place of an entry that is gone, another one could not be found. */
	for (size_t i = 0; i < left; i++)
		hot_add_row(hot, hot_row_home(&kept[i].key), &kept[i], false);
}

static void renumber_origin(uint32_t *rows, const uint32_t *renumbered, size_t count)
{
	for (size_t i = 0; i < CODES_MAX; i++) {
		const bool kept = rows[i] && rows[i] <= count;

		if (rows[i])
			rows[i] = kept && renumbered[rows[i] - 1] != HOT_ROW_GONE
					  ? renumbered[rows[i] - 1] + 1
					  : 0;
	}
}

void hot_renumber_rows(struct hot *hot, const uint32_t *renumbered, size_t count)
{
	for (size_t i = 0; i < HOT_ORIGINS; i++)
		if (hot->origins[i].origin)
			renumber_origin(hot->origins[i].rows, renumbered, count);
	for (uint32_t block = 0; hot->has_rows && block < 1u << HOT_ROW_BITS; block += HOT_ROW_WAYS)
		renumber_block(hot, block, renumbered, count);
}
