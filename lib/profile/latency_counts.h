/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how often each row had which latency, and data from which source. Each row has a table of
 * its own for each kind, as small as its different latencies allow, so that records of one row
 * change few lines of the cache. Latencies are counted in buckets: each below 128 cycles has its
 * own, and a larger one shares its bucket with others that differ by less than 1 in 64.
 */
#ifndef PROFILE_LATENCY_COUNTS_H
#define PROFILE_LATENCY_COUNTS_H

#include <stdbool.h>

#include <plumb/profile.h>

#include "base/arena.h"
#include "profile/record_sums.h"

/* The kinds of plumb_profile_options.latencies: latencies, and sources behind them. */
#define LATENCY_KINDS (PLUMB_PROFILE_SOURCES + 1)
/* A row's different latencies and sources, of all rows together, at most. */
#define LATENCY_COUNTS_MAX ((size_t)1 << 20)
/* Values from 1 << LATENCY_FINE on take 1 << LATENCY_FINE buckets per power of two. */
#define LATENCY_FINE    6
#define LATENCY_BUCKETS (((16 - LATENCY_FINE + 1) << LATENCY_FINE) + 1)
/* The bucket of COUNTER_MAX alone, since it stands for all latencies from there. */
#define LATENCY_SATURATED (((12 - LATENCY_FINE) << LATENCY_FINE) + (1 << LATENCY_FINE))

/* What a row has of a kind: a hash table. */
struct latency_counts {
	/* The upper 16 bits: a bucket, or a source; below them the count. 0: free. They are wide
	 * once a count takes more than 16 bits. */
	union {
		uint32_t *narrow;
		uint64_t *wide;
		void *entries;
	};
	uint64_t sum; /* of the latencies */
	uint32_t used;
	uint8_t bits; /* of the number of entries; 0: none */
	bool is_wide;
	bool incomplete; /* some are not counted, because there were too many */
};

struct latencies {
	struct latency_counts *rows; /* those of the kinds in `kinds` for each */
	size_t room;                 /* rows */
	uint8_t kinds[LATENCY_KINDS];
	unsigned kind_count; /* 0: nothing is counted */
	size_t used;         /* of all tables */
	struct arena arena;
	/* Tables that are not used any more, by the bits of their size; each has the next. */
	void *free[20];
	size_t memory; /* that tables take, in bytes */
};

/* Begins to count the kinds of plumb_profile_options.latencies. */
void latencies_begin(struct latencies *latencies, unsigned kinds);
void latencies_end(struct latencies *latencies);
bool latencies_grow(struct latencies *latencies, size_t row);
/* Makes room for a row. Returns false if out of memory. */
static inline bool latencies_reserve(struct latencies *latencies, size_t row)
{
	return row < latencies->room || !latencies->kind_count || latencies_grow(latencies, row);
}
/* Adds a record to a row that there is room for. Returns 0 or NO_MEMORY. */
int latencies_add(struct latencies *latencies, size_t row, const struct plumb_spe_record *spe);
/* Likewise a record of a total latency, where nothing else is counted. */
int latencies_add_total(struct latencies *latencies, size_t row, uint32_t latency);
/* Forgets all that a row has. */
void latencies_forget(struct latencies *latencies, size_t row);
/* Adds all that another one has, which counts the same kinds. Returns 0 or NO_MEMORY. */
int latencies_join(struct latencies *latencies, const struct latencies *other);
/*
 * Likewise adds the rows from `begin` up to `end`, which there is room for; threads may do so at
 * once, each with other rows. What tables take then comes from `memory`, which each thread has to
 * itself, and which is `latencies_take()`n in the end. One thread alone may give `latencies`.
 */
int latencies_join_rows(struct latencies *latencies, struct latencies *memory,
			const struct latencies *other, size_t begin, size_t end);
void latencies_take(struct latencies *latencies, struct latencies *memory);
/* Gives `count` rows new numbers, none of which is larger than before; UINT32_MAX: the row is gone.
 */
void latencies_renumber(struct latencies *latencies, const uint32_t *rows, size_t count);
/* Returns the bytes that it takes. */
size_t latencies_memory(const struct latencies *latencies);

/* Returns what a row has of a kind; NULL: that is not counted. */
const struct latency_counts *latencies_of(const struct latencies *latencies, size_t row,
					  unsigned kind);
/* Returns whether some latency of the row, of whichever kind, is not counted. */
bool latencies_are_incomplete(const struct latencies *latencies, size_t row);

/* The parts of a wide entry. */
#define LATENCY_COUNT_BITS 48
static inline unsigned latency_number(uint64_t entry)
{
	return (unsigned)(entry >> LATENCY_COUNT_BITS);
}
static inline uint64_t latency_count(uint64_t entry)
{
	return entry & ((UINT64_C(1) << LATENCY_COUNT_BITS) - 1);
}
/* Returns an entry as a wide one. */
static inline uint64_t latency_entry(const struct latency_counts *counts, size_t i)
{
	if (counts->is_wide)
		return counts->wide[i];
	return (uint64_t)(counts->narrow[i] >> 16) << LATENCY_COUNT_BITS |
	       (counts->narrow[i] & UINT16_MAX);
}
static inline size_t latency_room(const struct latency_counts *counts)
{
	return counts->bits ? (size_t)1 << counts->bits : 0;
}

/*
 * Copies the entries from place `*at` on, as wide ones, and moves `*at` behind them. Returns how
 * many; 0 behind the last one. Which places are free cannot be predicted, so nothing depends on it
 * but where the next entry goes.
 */
#define LATENCY_ENTRIES ((size_t)64)
static inline size_t latency_entries(const struct latency_counts *counts, size_t *at,
				     uint64_t entries[LATENCY_ENTRIES])
{
	const size_t room = latency_room(counts);
	size_t count = 0;

	while (count == 0 && *at < room) {
		const size_t end = room - *at < LATENCY_ENTRIES ? room : *at + LATENCY_ENTRIES;

		for (size_t i = *at; i < end; i++) {
			const uint64_t entry = latency_entry(counts, i);

			entries[count] = entry;
			count += entry != 0;
		}
		*at = end;
	}
	return count;
}

/* Returns where the search for a number begins. Golden hashing spreads successive ones evenly. */
static inline size_t latency_home(const struct latency_counts *counts, unsigned number)
{
	return (uint16_t)(number * 0x9e37u) >> (16 - counts->bits);
}

static inline unsigned latency_bucket(unsigned value)
{
	unsigned shift;

	if (value < 1 << LATENCY_FINE)
		return value;
	shift = 31 - LATENCY_FINE - (unsigned)__builtin_clz(value);
	return (shift << LATENCY_FINE) + (value >> shift) + (value >= COUNTER_MAX);
}

static inline unsigned latency_number_of(const struct plumb_spe_record *spe, unsigned kind)
{
	return kind == PLUMB_PROFILE_SOURCES ? spe->data_source & 0xffff
					     : latency_bucket(spe->counters[kind]);
}

/* Fetches memory ahead for latencies_add(): what leads to the counts, and them. */
static inline void latencies_expect_row(const struct latencies *latencies, size_t row)
{
	if (latencies->kind_count)
		__builtin_prefetch(&latencies->rows[row * latencies->kind_count], 1);
}
static inline void latencies_expect(const struct latencies *latencies, size_t row,
				    const struct plumb_spe_record *spe)
{
	for (unsigned k = 0; k < latencies->kind_count; k++) {
		const struct latency_counts *counts =
			&latencies->rows[row * latencies->kind_count + k];

		if (counts->bits)
			__builtin_prefetch(
				(const uint8_t *)counts->entries +
					(latency_home(counts,
						      latency_number_of(spe, latencies->kinds[k]))
					 << (2 + counts->is_wide)),
				1);
	}
}
/* Likewise for latencies_add_total(). */
static inline void latencies_expect_total(const struct latencies *latencies, size_t row,
					  uint32_t latency)
{
	const struct latency_counts *counts = &latencies->rows[row];

	if (counts->bits)
		__builtin_prefetch((const uint8_t *)counts->entries +
					   (latency_home(counts, latency_bucket(latency))
					    << (2 + counts->is_wide)),
				   1);
}

#endif
