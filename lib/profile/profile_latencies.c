/* SPDX-License-Identifier: Apache-2.0 */
/* The latencies and the data sources of a finished profile's rows: latency_counts.h. */
#include <math.h>
#include <string.h>

#include "profile/profile.h"

/* Returns the least value in a bucket, and sets how many values it has. */
static unsigned bucket_start(unsigned bucket, unsigned *width)
{
	const unsigned number = bucket - (bucket > LATENCY_SATURATED);
	const unsigned shift = number < 2 << LATENCY_FINE ? 0 : (number >> LATENCY_FINE) - 1;

	*width =
		bucket == LATENCY_SATURATED ? 1 : (1u << shift) - (bucket == LATENCY_SATURATED - 1);
	return bucket == LATENCY_SATURATED ? COUNTER_MAX
					   : (number - (shift << LATENCY_FINE)) << shift;
}

/* The middle of a bucket. */
static double middle_of(unsigned bucket)
{
	unsigned width;
	const unsigned start = bucket_start(bucket, &width);

	return start + (width - 1) / 2.0;
}

/* A row's buckets in their order, as far as it has samples of them. */
struct buckets {
	struct {
		uint32_t bucket;
		uint64_t count;
	} at[LATENCY_BUCKETS];
	size_t count;
};

/* Tables of so many entries are sorted as they are: most rows of large reports have few samples. */
#define ROOM_SMALL ((size_t)16)

static void sort_few_buckets(struct buckets *buckets, const struct latency_counts *of)
{
	uint64_t entries[LATENCY_ENTRIES];
	size_t next = 0;

	buckets->count = latency_entries(of, &next, entries);
	for (size_t i = 0; i < buckets->count; i++) {
		const uint32_t bucket = latency_number(entries[i]);
		size_t at = i;

		for (; at && buckets->at[at - 1].bucket > bucket; at--)
			buckets->at[at] = buckets->at[at - 1];
		buckets->at[at].bucket = bucket;
		buckets->at[at].count = latency_count(entries[i]);
	}
}

/* Puts the buckets that have samples in order: a bit for each tells whether it has. */
static void sort_buckets(struct buckets *buckets, const struct latency_counts *of)
{
	uint64_t present[LATENCY_BUCKETS / 64 + 1] = {0};
	uint64_t counts[LATENCY_BUCKETS]; /* of those that are present */
	uint64_t entries[LATENCY_ENTRIES];
	size_t count, next = 0;

	if (latency_room(of) <= ROOM_SMALL) {
		sort_few_buckets(buckets, of);
		return;
	}
	while ((count = latency_entries(of, &next, entries))) {
		for (size_t i = 0; i < count; i++) {
			const unsigned bucket = latency_number(entries[i]);

			present[bucket / 64] |= UINT64_C(1) << bucket % 64;
			counts[bucket] = latency_count(entries[i]);
		}
	}
	buckets->count = 0;
	for (uint32_t word = 0; word < LATENCY_BUCKETS / 64 + 1; word++) {
		for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
			const uint32_t bucket = 64 * word + (uint32_t)__builtin_ctzll(bits);

			buckets->at[buckets->count].bucket = bucket;
			/* cppcheck-suppress uninitvar ; only those that are present are read */
			buckets->at[buckets->count++].count = counts[bucket];
		}
	}
}

/* Where the search for percentiles in the order of their ranks has come to. */
struct search {
	const struct buckets *buckets;
	uint64_t below; /* samples up to the bucket and in it */
	size_t at;
};

/* Returns the middle of the bucket that has the sample of this rank, from 1. */
static double value_at(struct search *search, uint64_t rank)
{
	while (search->below < rank && search->at + 1 < search->buckets->count)
		search->below += search->buckets->at[++search->at].count;
	return middle_of(search->buckets->at[search->at].bucket);
}

/* The rank of a percentile: the smallest with at least that share of the samples up to it. */
static uint64_t rank_of(uint64_t samples, unsigned percent)
{
	return samples / 100 * percent + (samples % 100 * percent + 99) / 100;
}

/* Finds a row, and what it has of a kind. Returns false if that is not counted. */
static bool find_counts(const struct plumb_profile *profile, size_t event, size_t row,
			unsigned kind, const struct latency_counts **counts, uint32_t *index)
{
	if (!profile->finished || event >= profile->event_count ||
	    row >= profile->events[event].public.row_count)
		return false;
	*index = profile->events[event].order[row];
	*counts = latencies_of(&profile->latencies, *index, kind);
	return *counts;
}

bool plumb_profile_latency(const struct plumb_profile *profile, size_t event, size_t row,
			   unsigned kind, struct plumb_profile_latency *latency)
{
	const struct latency_counts *of;
	struct buckets buckets;
	struct search search;
	uint32_t index;

	*latency = (struct plumb_profile_latency){0, NAN, NAN, NAN, NAN, 0};
	if (kind >= PLUMB_PROFILE_LATENCIES ||
	    !find_counts(profile, event, row, kind, &of, &index) ||
	    latencies_are_incomplete(&profile->latencies, index))
		return false;
	sort_buckets(&buckets, of);
	if (!buckets.count)
		return false;
	for (size_t i = 0; i < buckets.count; i++) {
		latency->samples += buckets.at[i].count;
		if (buckets.at[i].bucket == LATENCY_SATURATED && !profile->wide_counters)
			latency->saturated = buckets.at[i].count;
	}
	latency->mean = (double)of->sum / (double)latency->samples;
	search = (struct search){&buckets, buckets.at[0].count, 0};
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
	const struct latency_counts *of;
	uint32_t midr = profile->options.midr, index;
	size_t count = 0;

	*samples = 0;
	if (!find_counts(profile, event, row, PLUMB_PROFILE_SOURCES, &of, &index))
		return 0;
	if (!midr && profile->recording)
		midr = plumb_recording_midr(profile->recording, -1);
	for (size_t i = 0; i < latency_room(of); i++) {
		const uint64_t entry = latency_entry(of, i), found = latency_count(entry);
		const uint16_t number = (uint16_t)latency_number(entry);

		*samples += found;
		if (found)
			count = insert_source(
				sources, count,
				(struct plumb_profile_source){
					number, plumb_spe_data_source_name(midr, number), found});
	}
	return count;
}

/* Adds a bucket's samples to its bin. */
static void add_to_bin(struct plumb_profile_bin bins[PLUMB_PROFILE_BINS], uint64_t entry,
		       size_t *used)
{
	unsigned width;
	const unsigned start = bucket_start(latency_number(entry), &width);
	const size_t bin = start ? 32 - (size_t)__builtin_clz(start) : 0;

	if (!latency_count(entry))
		return;
	bins[bin].samples += latency_count(entry);
	if (bin >= *used)
		*used = bin + 1;
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
	for (uint32_t row = 0; event < profile->event_count && row < profile->row_count; row++) {
		const struct latency_counts *counts = latencies_of(&profile->latencies, row, kind);

		if (!counts || row_values(profile, row)[0] != event)
			continue;
		for (size_t i = 0; i < latency_room(counts); i++)
			add_to_bin(bins, latency_entry(counts, i), &used);
	}
	return used;
}
