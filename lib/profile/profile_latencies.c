/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latencies of a profile's rows, in buckets: each latency below 128 cycles has its own, and a
 * larger one shares its bucket with others that differ by less than 1 in 64. COUNTER_MAX has its
 * own, too, since it stands for all latencies from there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* Values from 1 << FINE on take 1 << FINE buckets per power of two. */
#define FINE    6
#define BUCKETS (((16 - FINE + 1) << FINE) + 1)
/* Buckets of all rows together, at most. */
#define BUCKETS_MAX (1 << 20)

/* The bucket of COUNTER_MAX. */
#define SATURATED (((12 - FINE) << FINE) + (1 << FINE))

static unsigned bucket_of(unsigned value)
{
	unsigned shift;

	if (value < 1 << FINE)
		return value;
	shift = 31 - FINE - (unsigned)__builtin_clz(value);
	return (shift << FINE) + (value >> shift) + (value >= COUNTER_MAX);
}

/* Returns the least value in a bucket, and sets how many values it has. */
static unsigned bucket_start(unsigned bucket, unsigned *width)
{
	const unsigned number = bucket - (bucket > SATURATED);
	const unsigned shift = number < 2 << FINE ? 0 : (number >> FINE) - 1;

	*width = bucket == SATURATED ? 1 : (1u << shift) - (bucket == SATURATED - 1);
	return bucket == SATURATED ? COUNTER_MAX : (number - (shift << FINE)) << shift;
}

static uint64_t hash_bucket(const void *owner, uint32_t i)
{
	const struct latency_bucket *bucket = &((const struct plumb_profile *)owner)->buckets[i];
	const uint64_t word = (uint64_t)bucket->row << 32 | bucket->number;

	return hash_words(&word, 1);
}

/* Finds or makes a bucket. Returns 0 without one (*found is NULL) if there are too many. */
static int find(struct plumb_profile *profile, uint32_t row, unsigned number,
		struct latency_bucket **found)
{
	const uint64_t word = (uint64_t)row << 32 | number;
	struct index_table *table = &profile->by_bucket;
	size_t at;

	*found = NULL;
	/* For the last one the index would be doubled. */
	if (profile->bucket_count < BUCKETS_MAX - 1 &&
	    !index_table_reserve(table, hash_bucket, profile))
		return PLUMB_ERR_NO_MEMORY;
	at = hash_words(&word, 1) & table->mask;
	for (; table->slots[at] != UINT32_MAX; at = (at + 1) & table->mask) {
		*found = &profile->buckets[table->slots[at]];
		if ((*found)->row == row && (*found)->number == number &&
		    (*found)->count < UINT32_MAX)
			return 0;
	}
	*found = NULL;
	if (profile->bucket_count == BUCKETS_MAX)
		return 0;
	if (profile->bucket_count == profile->bucket_room) {
		size_t room = profile->bucket_room ? 2 * profile->bucket_room : 1024;
		struct latency_bucket *grown = realloc(profile->buckets, room * sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		profile->buckets = grown;
		profile->bucket_room = room;
	}
	*found = &profile->buckets[profile->bucket_count];
	**found = (struct latency_bucket){
		.row = row, .number = number, .next = profile->rows[row].buckets};
	profile->rows[row].buckets = (uint32_t)profile->bucket_count;
	table->slots[at] = (uint32_t)profile->bucket_count++;
	table->count++;
	return 0;
}

/* A data source has a bucket by its number; 16 bits have all that there are. */
static int add_source(struct plumb_profile *profile, uint32_t row,
		      const struct plumb_spe_record *spe)
{
	struct latency_bucket *bucket;
	int status;

	if (!(profile->options.latencies >> PLUMB_PROFILE_SOURCES & 1) ||
	    !(spe->has & PLUMB_SPE_HAS_DATA_SOURCE))
		return 0;
	status = find(profile, row, PLUMB_PROFILE_SOURCES << 16 | (spe->data_source & 0xffff),
		      &bucket);
	if (status == 0 && bucket)
		bucket->count++;
	else
		profile->rows[row].incomplete = true;
	return status;
}

/* Returns the slot to begin with in the search for a bucket. */
static uint32_t *first_slot(const struct plumb_profile *profile, uint32_t row, unsigned number)
{
	const uint64_t word = (uint64_t)row << 32 | number;

	return &profile->by_bucket.slots[hash_words(&word, 1) & profile->by_bucket.mask];
}

void latencies_expect(const struct plumb_profile *profile, uint32_t row,
		      const struct plumb_spe_record *spe, bool soon)
{
	for (unsigned kind = 0; profile->by_bucket.slots && kind <= PLUMB_PROFILE_SOURCES; kind++) {
		const unsigned value = kind < PLUMB_PROFILE_LATENCIES
					       ? bucket_of(spe->counters[kind])
					       : spe->data_source & 0xffff;
		const uint32_t *slot = first_slot(profile, row, kind << 16 | value);

		if (!(profile->options.latencies >> kind & 1))
			continue;
		__builtin_prefetch(soon && *slot < profile->bucket_count
					   ? (const void *)&profile->buckets[*slot]
					   : slot);
	}
}

int latencies_add(struct plumb_profile *profile, uint32_t row, const struct plumb_spe_record *spe)
{
	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++) {
		const unsigned value = spe->counters[kind];
		struct latency_bucket *bucket = NULL;
		int status;

		if (!(profile->options.latencies >> kind & 1) ||
		    !(spe->has & (PLUMB_SPE_HAS_TOTAL_LATENCY << kind)))
			continue;
		profile->rows[row].latencies[kind] += value;
		status = find(profile, row, kind << 16 | bucket_of(value), &bucket);
		if (status < 0)
			return status;
		if (bucket)
			bucket->count++;
		else
			profile->rows[row].incomplete = true;
	}
	return add_source(profile, row, spe);
}

size_t latencies_max(void)
{
	return BUCKETS_MAX;
}

int latencies_join(struct plumb_profile *profile, const struct plumb_profile *other)
{
	for (size_t i = 0; i < other->row_count && i < profile->row_count; i++) {
		for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
			profile->rows[i].latencies[kind] += other->rows[i].latencies[kind];
		profile->rows[i].incomplete |= other->rows[i].incomplete;
	}
	for (size_t i = 0; i < other->bucket_count; i++) {
		const struct latency_bucket *from = &other->buckets[i];
		struct latency_bucket *bucket;
		uint32_t left = from->count;

		do {
			uint32_t fits;

			if (find(profile, from->row, from->number, &bucket) < 0)
				return PLUMB_ERR_NO_MEMORY;
			if (!bucket) {
				profile->rows[from->row].incomplete = true;
				break;
			}
			fits = UINT32_MAX - bucket->count;
			fits = left < fits ? left : fits;
			bucket->count += fits;
			left -= fits;
		} while (left);
	}
	return 0;
}

int latencies_renumber(struct plumb_profile *profile, const uint32_t *rows)
{
	struct index_table *table = &profile->by_bucket;
	uint32_t kept = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		profile->rows[i].buckets = NO_ROW;
	if (!profile->bucket_count)
		return 0;
	memset(table->slots, 0xff, (table->mask + 1) * sizeof(*table->slots));
	for (size_t i = 0; i < profile->bucket_count; i++) {
		struct latency_bucket bucket = profile->buckets[i];
		size_t at;

		bucket.row = rows[bucket.row];
		if (bucket.row == NO_ROW)
			continue;
		bucket.next = profile->rows[bucket.row].buckets;
		profile->buckets[kept] = bucket;
		profile->rows[bucket.row].buckets = kept;
		at = hash_bucket(profile, kept) & table->mask;
		while (table->slots[at] != UINT32_MAX)
			at = (at + 1) & table->mask;
		table->slots[at] = kept++;
	}
	profile->bucket_count = table->count = kept;
	return 0;
}

/* ---- Results ----------------------------------------------------------------------------------
 */

/* Where the search for percentiles in the order of their ranks has come to. */
struct search {
	const uint64_t *counts;
	uint64_t below; /* samples up to the bucket and in it */
	unsigned bucket;
};

/* Returns the middle of the bucket that has the sample of this rank, from 1. */
static double value_at(struct search *search, uint64_t rank)
{
	unsigned width, start;

	while (search->below < rank)
		search->below += search->counts[++search->bucket];
	start = bucket_start(search->bucket, &width);
	return start + (width - 1) / 2.0;
}

/* The rank of a percentile: the smallest with at least that share of the samples up to it. */
static uint64_t rank_of(uint64_t samples, unsigned percent)
{
	return samples / 100 * percent + (samples % 100 * percent + 99) / 100;
}

static const struct row *find_row(const struct plumb_profile *profile, size_t event, size_t row)
{
	if (!profile->finished || event >= profile->event_count ||
	    row >= profile->events[event].public.row_count)
		return NULL;
	return &profile->rows[profile->events[event].order[row]];
}

bool plumb_profile_latency(const struct plumb_profile *profile, size_t event, size_t row,
			   unsigned kind, struct plumb_profile_latency *latency)
{
	const struct row *of = find_row(profile, event, row);
	unsigned highest = 0;
	uint64_t counts[BUCKETS];
	struct search search;

	*latency = (struct plumb_profile_latency){0, NAN, NAN, NAN, NAN, 0};
	if (!of || kind >= PLUMB_PROFILE_LATENCIES || of->incomplete)
		return false;
	/* Most rows have small latencies only. */
	for (uint32_t i = of->buckets; i != NO_ROW; i = profile->buckets[i].next) {
		const uint32_t number = profile->buckets[i].number;

		if (number >> 16 == kind && (number & 0xffff) > highest)
			highest = number & 0xffff;
	}
	memset(counts, 0, (highest + 1) * sizeof(*counts));
	for (uint32_t i = of->buckets; i != NO_ROW; i = profile->buckets[i].next) {
		const struct latency_bucket *bucket = &profile->buckets[i];

		if (bucket->number >> 16 != kind)
			continue;
		counts[bucket->number & 0xffff] += bucket->count;
		latency->samples += bucket->count;
		if ((bucket->number & 0xffff) == SATURATED && !profile->wide_counters)
			latency->saturated = bucket->count;
	}
	if (!latency->samples)
		return false;
	latency->mean = (double)of->latencies[kind] / (double)latency->samples;
	search = (struct search){counts, counts[0], 0};
	latency->p50 = value_at(&search, rank_of(latency->samples, 50));
	latency->p90 = value_at(&search, rank_of(latency->samples, 90));
	latency->p99 = value_at(&search, rank_of(latency->samples, 99));
	return true;
}

/* Puts a source in its place among those before it; of too many, the smallest is left out. */
static size_t insert_source(struct plumb_profile_source sources[PLUMB_PROFILE_SOURCES_MAX],
			    size_t count, struct plumb_profile_source source)
{
	size_t at = count;

	while (at && (sources[at - 1].samples < source.samples ||
		      (sources[at - 1].samples == source.samples &&
		       sources[at - 1].number > source.number)))
		at--;
	if (at == PLUMB_PROFILE_SOURCES_MAX)
		return count;
	if (count == PLUMB_PROFILE_SOURCES_MAX)
		count--;
	memmove(&sources[at + 1], &sources[at], (count - at) * sizeof(*sources));
	sources[at] = source;
	return count + 1;
}

size_t plumb_profile_sources(const struct plumb_profile *profile, size_t event, size_t row,
			     struct plumb_profile_source sources[PLUMB_PROFILE_SOURCES_MAX],
			     uint64_t *samples)
{
	const struct row *of = find_row(profile, event, row);
	uint32_t midr = profile->options.midr;
	size_t count = 0;

	*samples = 0;
	if (!of)
		return 0;
	if (!midr && profile->recording)
		midr = plumb_recording_midr(profile->recording, -1);
	for (uint32_t i = of->buckets; i != NO_ROW; i = profile->buckets[i].next) {
		const struct latency_bucket *bucket = &profile->buckets[i];
		const uint16_t number = bucket->number & 0xffff;

		if (bucket->number >> 16 != PLUMB_PROFILE_SOURCES)
			continue;
		*samples += bucket->count;
		count = insert_source(
			sources, count,
			(struct plumb_profile_source){
				number, plumb_spe_data_source_name(midr, number), bucket->count});
	}
	return count;
}

size_t plumb_profile_histogram(const struct plumb_profile *profile, size_t event, unsigned kind,
			       struct plumb_profile_bin bins[PLUMB_PROFILE_BINS])
{
	size_t used = 0;

	for (size_t i = 0; i < PLUMB_PROFILE_BINS; i++)
		bins[i] = (struct plumb_profile_bin){
			.low = i ? 1u << (i - 1) : 0,
			.high = i ? (uint32_t)((UINT64_C(1) << i) - 1) : 0,
		};
	for (size_t i = 0; event < profile->event_count && i < profile->bucket_count; i++) {
		const struct latency_bucket *bucket = &profile->buckets[i];
		const unsigned number = bucket->number & 0xffff;
		unsigned width, start;
		size_t bin;

		if (bucket->number >> 16 != kind || row_values(profile, bucket->row)[0] != event)
			continue;
		start = bucket_start(number, &width);
		bin = start ? 32 - (size_t)__builtin_clz(start) : 0;
		bins[bin].samples += bucket->count;
		if (bin >= used)
			used = bin + 1;
	}
	return used;
}
