/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/latency_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/large.h"

/* Bits of the smallest table, of the next one, which is a line of the cache, and of one with all
 * numbers. */
#define BITS_MIN  2
#define BITS_LINE 4
#define BITS_MAX  16

void latencies_begin(struct latencies *latencies, unsigned kinds)
{
	*latencies = (struct latencies){0};
	for (unsigned kind = 0; kind < LATENCY_KINDS; kind++)
		if (kinds >> kind & 1)
			latencies->kinds[latencies->kind_count++] = (uint8_t)kind;
}

void latencies_end(struct latencies *latencies)
{
	free(latencies->rows);
	arena_free(&latencies->arena);
	*latencies = (struct latencies){0};
}

bool latencies_grow(struct latencies *latencies, size_t row)
{
	size_t room = latencies->room ? latencies->room : 256;
	struct latency_counts *grown;

	while (room <= row)
		room *= 2;
	grown = large_resize(latencies->rows, latencies->room, room,
			     latencies->kind_count * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + latencies->room * latencies->kind_count, 0,
	       (room - latencies->room) * latencies->kind_count * sizeof(*grown));
	latencies->rows = grown;
	latencies->room = room;
	return true;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Returns a table of 1 << `bits` bytes. */
static void *take_table(struct latencies *latencies, unsigned bits)
{
	const size_t size = (size_t)1 << bits;
	void *table = latencies->free[bits];

	if (!table) {
		table = arena_alloc(&latencies->arena, size);
		latencies->memory += table ? size : 0;
		return table;
	}
	latencies->free[bits] = *(void **)table;
	__builtin_prefetch(latencies->free[bits], 1);
	return memset(table, 0, size);
}

static unsigned size_bits(const struct latency_counts *counts)
{
	return counts->bits + (counts->is_wide ? 3u : 2u);
}

static void free_table(struct latencies *latencies, const struct latency_counts *counts)
{
	const unsigned bits = size_bits(counts);

	if (!counts->bits)
		return;
	*(void **)counts->entries = latencies->free[bits];
	latencies->free[bits] = counts->entries;
}

/* Returns the place of the number's entry, or of the free one where it belongs. */
static inline size_t find(const struct latency_counts *counts, unsigned number)
{
	const size_t mask = latency_room(counts) - 1;
	size_t at = latency_home(counts, number);

	if (counts->is_wide)
		while (counts->wide[at] && latency_number(counts->wide[at]) != number)
			at = (at + 1) & mask;
	else
		while (counts->narrow[at] && counts->narrow[at] >> 16 != number)
			at = (at + 1) & mask;
	return at;
}

/* Writes a number's entry, for which there is room. */
static void put(const struct latency_counts *counts, unsigned number, uint64_t count)
{
	const size_t at = find(counts, number);

	if (counts->is_wide)
		counts->wide[at] = (uint64_t)number << LATENCY_COUNT_BITS | count;
	else
		counts->narrow[at] = number << 16 | (uint32_t)count;
}

/* Copies the entries of a narrow table to a larger one, which is empty. */
static void copy_narrow(const struct latency_counts *to, const struct latency_counts *from)
{
	const size_t mask = latency_room(to) - 1;
	uint64_t entries[LATENCY_ENTRIES];
	size_t count, next = 0;

	while ((count = latency_entries(from, &next, entries))) {
		for (size_t i = 0; i < count; i++) {
			const unsigned number = latency_number(entries[i]);
			size_t at = latency_home(to, number);

			while (to->narrow[at])
				at = (at + 1) & mask;
			to->narrow[at] = number << 16 | (uint32_t)latency_count(entries[i]);
		}
	}
}

/* Makes a table larger, or its entries wide. Returns false if out of memory. */
static bool grow(struct latencies *latencies, struct latency_counts *counts, unsigned bits,
		 bool is_wide)
{
	struct latency_counts grown = *counts;

	grown.bits = (uint8_t)bits;
	grown.is_wide = is_wide;
	grown.entries = take_table(latencies, size_bits(&grown));
	if (!grown.entries)
		return false;
	if (!is_wide)
		copy_narrow(&grown, counts);
	for (size_t i = 0; is_wide && i < latency_room(counts); i++) {
		const uint64_t entry = latency_entry(counts, i);

		if (entry)
			put(&grown, latency_number(entry), latency_count(entry));
	}
	free_table(latencies, counts);
	*counts = grown;
	return true;
}

/* Returns the bits of the next larger table. */
static unsigned next_bits(unsigned bits)
{
	return bits >= BITS_LINE ? bits + 1 : bits ? BITS_LINE : BITS_MIN;
}

/* Makes room for one more number, with this count. Returns false if out of memory. */
static bool reserve(struct latencies *latencies, struct latency_counts *counts, uint64_t count)
{
	const bool is_wide = counts->is_wide || count > UINT16_MAX;
	unsigned bits = counts->bits;

	if (bits < BITS_MAX && 4 * (size_t)(counts->used + 1) > 3 * latency_room(counts))
		bits = next_bits(bits);
	return (bits == counts->bits && is_wide == counts->is_wide) ||
	       grow(latencies, counts, bits, is_wide);
}

/* Adds to a number that the table does not have. */
static int add_new(struct latencies *latencies, struct latency_counts *counts, unsigned number,
		   uint64_t count)
{
	if (latencies->used == LATENCY_COUNTS_MAX) {
		counts->incomplete = true;
		return 0;
	}
	if (!reserve(latencies, counts, count))
		return PLUMB_ERR_NO_MEMORY;
	put(counts, number, count);
	counts->used++;
	latencies->used++;
	return 0;
}

/* Adds to a number whose count is too large for its entry then. */
static int add_wide(struct latencies *latencies, struct latency_counts *counts, unsigned number,
		    uint64_t count)
{
	if (!grow(latencies, counts, counts->bits, true))
		return PLUMB_ERR_NO_MEMORY;
	counts->wide[find(counts, number)] += count;
	return 0;
}

static inline int add(struct latencies *latencies, struct latency_counts *counts, unsigned number,
		      uint64_t count)
{
	const size_t at = counts->bits ? find(counts, number) : 0;

	/* A full table has no free entry, and all numbers. */
	if (!counts->bits || !(counts->is_wide ? counts->wide[at] : counts->narrow[at]))
		return add_new(latencies, counts, number, count);
	if (counts->is_wide)
		counts->wide[at] += count;
	else if ((counts->narrow[at] & UINT16_MAX) + count <= UINT16_MAX)
		counts->narrow[at] += (uint32_t)count;
	else
		return add_wide(latencies, counts, number, count);
	return 0;
}

int latencies_add(struct latencies *latencies, size_t row, const struct plumb_spe_record *spe)
{
	struct latency_counts *counts = &latencies->rows[row * latencies->kind_count];
	int status = 0;

	for (unsigned k = 0; status == 0 && k < latencies->kind_count; k++) {
		const unsigned kind = latencies->kinds[k];
		const bool is_source = kind == PLUMB_PROFILE_SOURCES;

		if (!(spe->has & (is_source ? PLUMB_SPE_HAS_DATA_SOURCE
					    : PLUMB_SPE_HAS_TOTAL_LATENCY << kind)))
			continue;
		counts[k].sum += is_source ? 0 : spe->counters[kind];
		status = add(latencies, &counts[k], latency_number_of(spe, kind), 1);
	}
	return status;
}

int latencies_add_total(struct latencies *latencies, size_t row, uint32_t latency)
{
	struct latency_counts *counts = &latencies->rows[row];

	counts->sum += latency;
	return add(latencies, counts, latency_bucket(latency), 1);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Adds a table to another one, which takes its memory from `latencies`. */
static int join_counts(struct latencies *latencies, struct latency_counts *to,
		       const struct latency_counts *from)
{
	uint64_t entries[LATENCY_ENTRIES];
	size_t count, next = 0;
	int status = 0;

	to->sum += from->sum;
	to->incomplete |= from->incomplete;
	/* Numbers come in the order of their places, which would crowd the front of a smaller
	 * table. */
	if (to->bits < from->bits && !grow(latencies, to, from->bits, to->is_wide))
		return PLUMB_ERR_NO_MEMORY;
	while (status == 0 && (count = latency_entries(from, &next, entries)))
		for (size_t i = 0; status == 0 && i < count; i++)
			status = add(latencies, to, latency_number(entries[i]),
				     latency_count(entries[i]));
	return status;
}

/* How many tables before its own one is fetched, and how much of it: two lines. */
#define JOINED_AHEAD 12

static inline void expect_table(const struct latency_counts *counts)
{
	__builtin_prefetch(counts->entries);
	__builtin_prefetch((const uint8_t *)counts->entries + 64);
}

int latencies_join_rows(struct latencies *latencies, struct latencies *memory,
			const struct latencies *other, size_t begin, size_t end)
{
	const size_t last = (end < other->room ? end : other->room) * other->kind_count;
	int status = 0;

	for (size_t i = begin * other->kind_count; status == 0 && i < last; i++) {
		/* Tables are all over the memory. */
		if (i + JOINED_AHEAD < last) {
			expect_table(&latencies->rows[i + JOINED_AHEAD]);
			expect_table(&other->rows[i + JOINED_AHEAD]);
		}
		status = join_counts(memory, &latencies->rows[i], &other->rows[i]);
	}
	return status;
}

int latencies_join(struct latencies *latencies, const struct latencies *other)
{
	if (other->room && !latencies_reserve(latencies, other->room - 1))
		return PLUMB_ERR_NO_MEMORY;
	return latencies_join_rows(latencies, latencies, other, 0, other->room);
}

void latencies_take(struct latencies *latencies, struct latencies *memory)
{
	latencies->used += memory->used;
	latencies->memory += memory->memory;
	arena_join(&latencies->arena, &memory->arena);
	latencies_end(memory);
}

void latencies_forget(struct latencies *latencies, size_t row)
{
	const size_t kinds = latencies->kind_count;

	for (size_t k = 0; row < latencies->room && k < kinds; k++) {
		struct latency_counts *counts = &latencies->rows[row * kinds + k];

		latencies->used -= counts->used;
		free_table(latencies, counts);
		*counts = (struct latency_counts){0};
	}
}

void latencies_renumber(struct latencies *latencies, const uint32_t *rows, size_t count)
{
	const size_t kinds = latencies->kind_count;

	for (size_t i = 0; i < count && i < latencies->room; i++) {
		struct latency_counts *counts = &latencies->rows[i * kinds];

		if (rows[i] == i)
			continue;
		for (size_t k = 0; k < kinds; k++) {
			if (rows[i] == UINT32_MAX) {
				latencies->used -= counts[k].used;
				free_table(latencies, &counts[k]);
			} else {
				latencies->rows[rows[i] * kinds + k] = counts[k];
			}
			counts[k] = (struct latency_counts){0};
		}
	}
}

size_t latencies_memory(const struct latencies *latencies)
{
	return latencies->room * latencies->kind_count * sizeof(*latencies->rows) +
	       latencies->memory;
}

const struct latency_counts *latencies_of(const struct latencies *latencies, size_t row,
					  unsigned kind)
{
	for (unsigned k = 0; row < latencies->room && k < latencies->kind_count; k++)
		if (latencies->kinds[k] == kind)
			return &latencies->rows[row * latencies->kind_count + k];
	return NULL;
}

bool latencies_are_incomplete(const struct latencies *latencies, size_t row)
{
	bool incomplete = false;

	for (unsigned k = 0; row < latencies->room && k < latencies->kind_count; k++)
		incomplete |= latencies->rows[row * latencies->kind_count + k].incomplete;
	return incomplete;
}
