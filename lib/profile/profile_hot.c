/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile_hot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of the processors that perf runs on. */
#define HUGE_PAGE ((size_t)2 << 20)
/* Instructions that were added before it is clear whether blocks of them are of use. */
#define CODES_TO_JUDGE 1024
/* Entries that an instruction may take: its own, and blocks around it. */
#define CODE_ENTRIES (1 + HOT_PIECE_SIZE / HOT_BLOCK_SIZE)

static size_t codes_size(unsigned bits)
{
	return sizeof(struct hot_code) << bits;
}

static size_t rows_size(unsigned bits)
{
	return sizeof(struct hot_row) << bits;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool map(struct hot_memory *memory, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	*memory = (struct hot_memory){at, size};
	return true;
}

/* Returns memory for a large table, or NULL. Entries are found all over it, which would take a page
 * fault for nearly each of the first thousand. Without huge pages it works as well. */
static void *map_large(struct hot_memory *memory, size_t size)
{
	uint8_t *at;

	if (!map(memory, size + HUGE_PAGE))
		return map(memory, size) ? memory->at : NULL;
	at = memory->at;
	at += HUGE_PAGE - (uintptr_t)at % HUGE_PAGE;
	madvise(at, size, MADV_HUGEPAGE);
	return at;
}

/* Takes all pages of a small table at once: one that is read before it is written costs two faults,
 * and the second one interrupts all threads. Without that it works as well. */
static void take_pages(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	madvise(memory, size, MADV_POPULATE_WRITE);
#else
	(void)memory;
	(void)size;
#endif
}

bool hot_begin(struct hot *hot, bool by_block)
{
	const size_t size = codes_size(HOT_CODE_BITS_SMALL);
	uint8_t *memory;

	if (!map(&hot->memory[0], size + rows_size(HOT_ROW_BITS_SMALL)))
		return false;
	memory = hot->memory[0].at;
	take_pages(memory, size);
	hot->small_codes.at = (struct hot_code *)(void *)memory;
	hot->small_codes.bits = HOT_CODE_BITS_SMALL;
	hot->small_rows.at = (struct hot_row *)(void *)(memory + size);
	hot->small_rows.bits = HOT_ROW_BITS_SMALL;
	hot->codes = &hot->small_codes;
	hot->rows = &hot->small_rows;
	hot->by_block = by_block;
	return true;
}

void hot_end(struct hot *hot)
{
	hot_forget_origins(hot);
	for (size_t i = 0; i < sizeof(hot->memory) / sizeof(hot->memory[0]); i++)
		if (hot->memory[i].at)
			munmap(hot->memory[i].at, hot->memory[i].size);
	*hot = (struct hot){0};
}

void hot_forget(struct hot *hot)
{
	memset(hot->codes->at, 0, codes_size(hot->codes->bits));
	memset(hot->rows->at, 0, rows_size(hot->rows->bits));
	hot->code_count = hot->row_count = 0;
	hot_forget_origins(hot);
}

/* ---- Rows of origins ------------------------------------------------------------------------- */

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

/* ---- Codes ----------------------------------------------------------------------------------- */

uint32_t hot_find_further(const struct hot_codes *codes, bool by_block, uint64_t pc, uint32_t space)
{
	const uint64_t block = pc & ~(uint64_t)(HOT_BLOCK_SIZE - 1);
	uint32_t code = 0;

	if (by_block)
		code = hot_search(codes, hot_block_home(codes, pc, space), block, space, HOT_BLOCK);
	return code ? code : hot_search(codes, hot_code_home(codes, pc, space), pc, space, 0);
}

/* Writes an entry that is not in the table, unless there is no room. */
static void add_entry(const struct hot_codes *codes, uint32_t home, const struct hot_code *entry,
		      bool replace)
{
	struct hot_code *place = replace ? &codes->at[home] : NULL;

	for (uint32_t way = 0; way < HOT_CODE_WAYS; way++) {
		if (!codes->at[home ^ way].code) {
			place = &codes->at[home ^ way];
			break;
		}
	}
	if (!place)
		return;
	__atomic_store_n(&place->pc, entry->pc, __ATOMIC_RELAXED);
	__atomic_store_n(&place->space, entry->space, __ATOMIC_RELAXED);
	__atomic_store_n(&place->code, entry->code, __ATOMIC_RELEASE);
}

void hot_reserve_codes(struct hot *hot, size_t count)
{
	const struct hot_codes *small = hot->codes;
	struct hot_codes *large = &hot->large_codes;

	if (small != &hot->small_codes ||
	    hot->code_count + count * CODE_ENTRIES <= (size_t)1 << (HOT_CODE_BITS_SMALL - 1))
		return;
	large->bits = HOT_CODE_BITS_LARGE;
	large->at = map_large(&hot->memory[1], codes_size(large->bits));
	if (!large->at)
		return;
	for (size_t i = 0; i < (size_t)1 << small->bits; i++) {
		const struct hot_code *entry = &small->at[i];
		const bool block = entry->code & HOT_BLOCK;

		if (entry->code)
			add_entry(large, hot_home(large, block, entry->pc, entry->space), entry,
				  false);
	}
	__atomic_store_n(&hot->codes, large, __ATOMIC_RELEASE);
	/* Who still reads it finds free entries. */
	madvise(small->at, codes_size(small->bits), MADV_DONTNEED);
}

void hot_add_code(struct hot *hot, const struct hot_code *entry, bool replace)
{
	add_entry(hot->codes, hot_code_home(hot->codes, entry->pc, entry->space), entry, replace);
	hot->code_count++;
	/* A search for a block that is not there only takes time. */
	if (++hot->codes_added > CODES_TO_JUDGE && hot->codes_added > hot->blocks_added)
		__atomic_store_n(&hot->by_block, false, __ATOMIC_RELAXED);
}

bool hot_add_blocks(struct hot *hot, const struct hot_code *entry, uint64_t before, uint64_t after,
		    bool replace)
{
	const uint64_t in_piece = entry->pc % HOT_PIECE_SIZE, piece = entry->pc - in_piece;
	bool own = false;

	for (uint64_t at = 0; hot->by_block && at < HOT_PIECE_SIZE; at += HOT_BLOCK_SIZE) {
		const struct hot_code block = {piece + at, entry->space, entry->code | HOT_BLOCK};
		const uint32_t home = hot_block_home(hot->codes, block.pc, block.space);
		const bool is_own = in_piece / HOT_BLOCK_SIZE == at / HOT_BLOCK_SIZE;

		if ((at < in_piece && in_piece - at > before) ||
		    (at + HOT_BLOCK_SIZE > in_piece && at + HOT_BLOCK_SIZE - in_piece > after) ||
		    hot_search(hot->codes, home, block.pc, block.space, HOT_BLOCK))
			continue;
		add_entry(hot->codes, home, &block, replace && is_own);
		hot->code_count++;
		hot->blocks_added++;
		own |= is_own;
	}
	return own;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void add_row(const struct hot_rows *rows, const struct hot_row *entry, bool replace)
{
	const uint32_t home = hot_row_home(rows, &entry->key);
	struct hot_row *place = replace ? &rows->at[home] : NULL;

	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		if (!rows->at[home ^ way].row) {
			place = &rows->at[home ^ way];
			break;
		}
	}
	if (!place)
		return;
	place->key = entry->key;
	__atomic_store_n(&place->row, entry->row, __ATOMIC_RELEASE);
}

void hot_add_row(struct hot *hot, const struct hot_row *entry, bool replace)
{
	if (hot->row_count++ == 0)
		take_pages(hot->small_rows.at, rows_size(hot->small_rows.bits));
	add_row(hot->rows, entry, replace);
}

void hot_reserve_rows(struct hot *hot, size_t count)
{
	const struct hot_rows *small = hot->rows;
	struct hot_rows *large = &hot->large_rows;

	if (small != &hot->small_rows ||
	    hot->row_count + count <= (size_t)1 << (HOT_ROW_BITS_SMALL - 1))
		return;
	large->bits = HOT_ROW_BITS_LARGE;
	large->at = map_large(&hot->memory[2], rows_size(large->bits));
	if (!large->at)
		return;
	for (size_t i = 0; i < (size_t)1 << small->bits; i++)
		if (small->at[i].row)
			add_row(large, &small->at[i], false);
	__atomic_store_n(&hot->rows, large, __ATOMIC_RELEASE);
	madvise(small->at, rows_size(small->bits), MADV_DONTNEED);
}

/* Entries that share their ways: those of a home are in a block of as many. */
static void renumber_block(const struct hot_rows *rows, uint32_t block, const uint32_t *renumbered,
			   size_t count)
{
	struct hot_row kept[HOT_ROW_WAYS];
	size_t left = 0;

	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		struct hot_row *entry = &rows->at[block + way];

		if (entry->row && entry->row <= count &&
		    renumbered[entry->row - 1] != HOT_ROW_GONE) {
			kept[left] = *entry;
			kept[left++].row = renumbered[entry->row - 1] + 1;
		}
		entry->row = 0;
	}
	/* In the place of an entry that is gone, another one could not be found. */
	for (size_t i = 0; i < left; i++)
		add_row(rows, &kept[i], false);
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
	for (uint32_t block = 0; hot->row_count && block < 1u << hot->rows->bits;
	     block += HOT_ROW_WAYS)
		renumber_block(hot->rows, block, renumbered, count);
}
