/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile_hot.h"

#include <string.h>
#include <sys/mman.h>

/* Of the processors that perf runs on. */
#define HUGE_PAGE ((size_t)2 << 20)

/* The small tables take one huge page together, and are crowded with half of their entries. */
#define SMALL_CODE_BITS 16
#define SMALL_ROW_BITS  15
#define LARGE_CODE_BITS 18
#define LARGE_ROW_BITS  16

static bool make_tables(struct hot_tables *tables, unsigned code_bits, unsigned row_bits)
{
	const size_t codes_size = sizeof(struct hot_code) << code_bits;
	const size_t size = codes_size + (sizeof(struct hot_row) << row_bits);
	uint8_t *memory = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	*tables = (struct hot_tables){.code_bits = code_bits,
				      .row_bits = row_bits,
				      .memory = memory,
				      .size = size + HUGE_PAGE};
	memory += HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
	/* Entries are found all over the tables, which would take a page fault for nearly each of
	 * the first thousand. Without huge pages it works as well. */
	madvise(memory, size, MADV_HUGEPAGE);
	tables->codes = (struct hot_code *)(void *)memory;
	tables->rows = (struct hot_row *)(void *)(memory + codes_size);
	return true;
}

static void free_tables(struct hot_tables *tables)
{
	if (tables->memory)
		munmap(tables->memory, tables->size);
	*tables = (struct hot_tables){0};
}

bool hot_begin(struct hot *hot)
{
	*hot = (struct hot){0};
	if (!make_tables(&hot->small, SMALL_CODE_BITS, SMALL_ROW_BITS))
		return false;
	hot->now = &hot->small;
	return true;
}

void hot_end(struct hot *hot)
{
	free_tables(&hot->small);
	free_tables(&hot->large);
	hot->now = NULL;
}

/* Frees tables that are not used any more, while no other thread may be searching them. */
static void free_old(struct hot *hot)
{
	if (hot->now == &hot->large)
		free_tables(&hot->small);
}

void hot_forget(struct hot *hot)
{
	const struct hot_tables *tables = hot->now;

	free_old(hot);
	memset(tables->codes, 0, sizeof(*tables->codes) << tables->code_bits);
	memset(tables->rows, 0, sizeof(*tables->rows) << tables->row_bits);
}

/* Adds an entry to these tables. Returns whether they have one more. */
static bool add_code(const struct hot_tables *tables, uint32_t home, const struct hot_code *entry,
		     bool replace)
{
	const size_t first = (size_t)(hot_code_at(tables, home) - tables->codes);
	struct hot_code *place = replace ? &tables->codes[first] : NULL;
	bool more = false;

	for (uint32_t way = 0; way < HOT_CODE_WAYS; way++) {
		if (!tables->codes[first ^ way].code) {
			place = &tables->codes[first ^ way];
			more = true;
			break;
		}
	}
	if (!place)
		return false;
	place->pc = entry->pc;
	place->space = entry->space;
	__atomic_store_n(&place->code, entry->code, __ATOMIC_RELEASE);
	return more;
}

static bool add_row(const struct hot_tables *tables, uint32_t home, const struct hot_row *entry,
		    bool replace)
{
	const size_t first = (size_t)(hot_row_at(tables, home) - tables->rows);
	struct hot_row *place = replace ? &tables->rows[first] : NULL;
	bool more = false;

	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		if (!tables->rows[first ^ way].row) {
			place = &tables->rows[first ^ way];
			more = true;
			break;
		}
	}
	if (!place)
		return false;
	place->key = entry->key;
	__atomic_store_n(&place->row, entry->row, __ATOMIC_RELEASE);
	return more;
}

/* Copies the small tables to large ones, and uses these, if there is memory. */
static void grow(struct hot *hot)
{
	const struct hot_tables *small = &hot->small;

	hot->codes_added = hot->rows_added = 0;
	if (!make_tables(&hot->large, LARGE_CODE_BITS, LARGE_ROW_BITS))
		return;
	for (size_t i = 0; i < (size_t)1 << SMALL_CODE_BITS; i++) {
		const struct hot_code *code = &small->codes[i];

		if (code->code)
			add_code(&hot->large, hot_code_home(code->pc, code->space), code, false);
	}
	for (size_t i = 0; i < (size_t)1 << SMALL_ROW_BITS; i++) {
		const struct hot_row *row = &small->rows[i];

		if (row->row)
			add_row(&hot->large, hot_row_home(&row->key), row, false);
	}
	__atomic_store_n(&hot->now, &hot->large, __ATOMIC_RELEASE);
}

void hot_add_code(struct hot *hot, uint32_t home, const struct hot_code *entry, bool replace)
{
	const struct hot_tables *tables = hot->now;

	if (add_code(tables, home, entry, replace) && tables == &hot->small &&
	    ++hot->codes_added > (size_t)1 << (SMALL_CODE_BITS - 1))
		grow(hot);
}

void hot_add_row(struct hot *hot, uint32_t home, const struct hot_row *entry, bool replace)
{
	const struct hot_tables *tables = hot->now;

	if (add_row(tables, home, entry, replace) && tables == &hot->small &&
	    ++hot->rows_added > (size_t)1 << (SMALL_ROW_BITS - 1))
		grow(hot);
}

/* Entries that share their ways: those of a home are in a block of as many. */
static void renumber_block(const struct hot_tables *tables, size_t block,
			   const uint32_t *renumbered, size_t count)
{
	struct hot_row kept[HOT_ROW_WAYS];
	size_t left = 0;

	for (size_t way = 0; way < HOT_ROW_WAYS; way++) {
		struct hot_row *entry = &tables->rows[block + way];

		if (entry->row && entry->row <= count &&
		    renumbered[entry->row - 1] != HOT_ROW_GONE) {
			kept[left] = *entry;
			kept[left++].row = renumbered[entry->row - 1] + 1;
		}
		entry->row = 0;
	}
	/* In the place of an entry that is gone, another one could not be found. */
	for (size_t i = 0; i < left; i++)
		add_row(tables, hot_row_home(&kept[i].key), &kept[i], false);
}

void hot_renumber_rows(struct hot *hot, const uint32_t *renumbered, size_t count)
{
	const struct hot_tables *tables = hot->now;

	if (!tables)
		return;
	free_old(hot);
	for (size_t block = 0; block < (size_t)1 << tables->row_bits; block += HOT_ROW_WAYS)
		renumber_block(tables, block, renumbered, count);
}
