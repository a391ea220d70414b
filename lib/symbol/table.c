/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "symbol/demangle.h"

/* The names of a kernel and all its modules take some 10 MiB. */
#define TEXT_MAX ((size_t)256 << 20)

#define PAGE ((uint64_t)4096)

/* How many enclosing symbols are tried; real symbols are never nested as deep. */
#define NESTED_MAX 256

int symbol_table_add(struct symbol_table *table, const struct plumb_symbol *symbol)
{
	struct plumb_symbol *copy;

	if (table->count >= SYMBOL_TABLE_MAX)
		return PLUMB_ERR_LIMIT;
	if (table->count == table->room) {
		size_t room = table->room ? table->room * 2 : 256;

		copy = reallocarray(table->at, room, sizeof(*copy));
		if (!copy)
			return PLUMB_ERR_NO_MEMORY;
		table->at = copy;
		table->room = room;
	}
	copy = &table->at[table->count];
	*copy = *symbol;
	copy->name = arena_strdup(&table->names, symbol->name);
	if (!copy->name)
		return PLUMB_ERR_NO_MEMORY;
	copy->order = (uint32_t)table->count++;
	/* Only names like these can be mangled; most need no closer look. */
	copy->mangled = !table->raw_names && copy->name[0] == '_' &&
			(copy->name[1] == 'Z' || copy->name[1] == 'R' || copy->name[1] == 'G');
	return 0;
}

int symbol_table_read(struct symbol_table *table, const char *path,
		      int (*add_line)(struct symbol_table *table, char *line))
{
	char *text, *line, *end;
	size_t size;
	int status = file_read(path, TEXT_MAX, &text, &size);

	if (status < 0)
		return status;
	for (line = text; status == 0; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + size - line));
		if (!end)
			break;
		*end = '\0';
		status = add_line(table, line);
	}
	free(text);
	return status;
}

static void show_plain(struct symbol_table *table, struct plumb_symbol *symbol)
{
	char *name;

	if (!symbol->mangled)
		return;
	symbol->mangled = false;
	name = demangle(symbol->name, table->signatures);
	if (name) {
		const char *kept = arena_strdup(&table->names, name);

		if (kept)
			symbol->name = kept;
	}
	free(name);
}

/* Returns the end of the symbols from `at` on that are in order. */
static size_t run_end(const struct plumb_symbol *symbols, size_t at, size_t count)
{
	while (++at < count && symbols[at - 1].start <= symbols[at].start)
		;
	return at;
}

/* Merges each two runs of `from` into one of `to`. Returns how many runs that makes. */
static size_t merge_runs(struct plumb_symbol *to, const struct plumb_symbol *from, size_t count)
{
	size_t runs = 0;

	for (size_t begin = 0; begin < count; runs++) {
		const size_t middle = run_end(from, begin, count);
		const size_t end = middle < count ? run_end(from, middle, count) : count;
		size_t a = begin, b = middle;

		for (; begin < end; begin++)
			to[begin] = b == end || (a < middle && from[a].start <= from[b].start)
					    ? from[a++]
					    : from[b++];
	}
	return runs;
}

/* Sorts the symbols by address; those with the same one stay in their order. Few calls are made for
 * it, unlike by qsort(), and what is in order already is left so. Returns false if out of memory.
 */
static bool sort_symbols(struct symbol_table *table)
{
	struct plumb_symbol *other;
	size_t runs;

	if (run_end(table->at, 0, table->count) == table->count)
		return true;
	other = reallocarray(NULL, table->room, sizeof(*other));
	if (!other)
		return false;
	do {
		struct plumb_symbol *sorted = other;

		runs = merge_runs(other, table->at, table->count);
		other = table->at;
		table->at = sorted;
	} while (runs > 1);
	free(other);
	return true;
}

/* Returns the end of the page after the one that begins at or after `address`. */
static uint64_t page_after(uint64_t address)
{
	if (address > UINT64_MAX - 2 * PAGE)
		return UINT64_MAX;
	return ((address + PAGE - 1) & ~(PAGE - 1)) + PAGE;
}

/* A symbol without a size ends where the next begins; the last one, with the page after it. */
static void fill_sizes(struct symbol_table *table, bool kernel)
{
	for (size_t i = 0; i < table->count; i++) {
		struct plumb_symbol *s = &table->at[i];

		if (s->end != s->start)
			continue;
		if (i + 1 == table->count)
			s->end = page_after(s->start);
		else if (kernel && !strchr(s->name, '[') != !strchr(s[1].name, '['))
			/* The gap between the kernel and a module belongs to neither. */
			s->end = page_after(s->end);
		else
			s->end = s[1].start;
	}
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/*
 * Returns whether `a` names the address better than `b`, which begins there, too. Chooses like
 * tools/perf (choose_best_symbol() in util/symbol.c), by the names that are shown.
 */
static bool is_better(struct symbol_table *table, struct plumb_symbol *a, struct plumb_symbol *b)
{
	size_t left, right;

	if ((a->end == a->start) != (b->end == b->start))
		return b->end == b->start;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL;
	show_plain(table, a);
	show_plain(table, b);
	left = underscores(a->name);
	right = underscores(b->name);
	if (left != right)
		return left < right;
	left = strlen(a->name);
	right = strlen(b->name);
	if (left != right)
		return left > right;
	/* Each of the kernel's system calls has an alias like this. */
	return strncmp(a->name, "SyS", 3) != 0 && strncmp(a->name, "compat_SyS", 10) != 0;
}

static void drop_aliases(struct symbol_table *table)
{
	size_t kept = 0;

	for (size_t i = 1; i < table->count; i++) {
		struct plumb_symbol *best = &table->at[kept], *next = &table->at[i];

		if (next->start != best->start)
			table->at[++kept] = *next;
		else if (!is_better(table, best, next))
			*best = *next;
	}
	if (table->count)
		table->count = kept + 1;
}

int symbol_table_finish(struct symbol_table *table, bool kernel)
{
	uint64_t farthest = 0;
	uint64_t *reach;

	if (table->count == 0)
		return 0;
	if (!sort_symbols(table))
		return PLUMB_ERR_NO_MEMORY;
	fill_sizes(table, kernel);
	drop_aliases(table);
	reach = reallocarray(table->reach, table->count, sizeof(*reach));
	if (!reach)
		return PLUMB_ERR_NO_MEMORY;
	table->reach = reach;
	for (size_t i = 0; i < table->count; i++) {
		table->at[i].order = (uint32_t)i;
		if (table->at[i].end > farthest)
			farthest = table->at[i].end;
		reach[i] = farthest;
	}
	return 0;
}

static bool contains(const struct plumb_symbol *symbol, uint64_t address)
{
	return address < symbol->end || address == symbol->start;
}

const struct plumb_symbol *symbol_table_find(struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned i = 0; i < NESTED_MAX && low > 0; i++) {
		low--;
		if (contains(&table->at[low], address)) {
			show_plain(table, &table->at[low]);
			return &table->at[low];
		}
		if (table->reach[low] <= address)
			break;
	}
	return NULL;
}

bool symbol_table_extent(const struct symbol_table *table, const struct plumb_symbol *symbol,
			 uint64_t address, uint64_t *from, uint64_t *to)
{
	const uintptr_t first = (uintptr_t)table->at, wanted = (uintptr_t)symbol;

	if (table->count == 0 || wanted < first || wanted > (uintptr_t)&table->at[table->count - 1])
		return false;
	*from = symbol->start;
	*to = symbol->end;
	/* An address behind the next symbol's start is that one's, or in both. */
	if (symbol < &table->at[table->count - 1] && symbol[1].start < *to)
		*to = symbol[1].start;
	return *from <= address && address < *to;
}

const char *plumb_symbol_name(const struct plumb_symbol *symbol)
{
	return symbol->name;
}

uint64_t plumb_symbol_start(const struct plumb_symbol *symbol)
{
	return symbol->start;
}

uint64_t plumb_symbol_end(const struct plumb_symbol *symbol)
{
	return symbol->end;
}

void symbol_table_free(struct symbol_table *table)
{
	free(table->at);
	free(table->reach);
	arena_free(&table->names);
	*table = (struct symbol_table){.raw_names = table->raw_names,
				       .signatures = table->signatures};
}
