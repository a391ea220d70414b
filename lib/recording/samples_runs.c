/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of SPE records: as many of one ring and one thread as come before anything else does. By
 * time, a heap has the rings by their next record's time. Order and threads are perf's
 * (tools/perf/util/arm-spe.c), so that its output can be compared.
 */
#include <string.h>

#include "recording/access.h"
#include "recording/samples_stream.h"
#include "spe/filter.h"
#include "spe/perf_version.h"
#include "spe/stream.h"

/* ---- What a run becomes ---------------------------------------------------------------------- */

bool plumb_samples_time(const struct plumb_samples *samples, const struct plumb_spe_record *record,
			uint64_t *time)
{
	const struct synthesis *synthesis = &samples->decoding.synthesis;

	*time = 0;
	if (synthesis->timeless ||
	    !(perf_is_exact(synthesis->version) || record->has & PLUMB_SPE_HAS_TIMESTAMP))
		return false;
	*time = time_from_ticks(&samples->decoding.clock, record->timestamp);
	return true;
}

static inline bool matches(const struct plumb_samples *s, const struct plumb_spe_record *record)
{
	const struct ring *ring = s->current;
	struct spe_origin origin = {.pid = ring->pid, .tid = ring->tid, .cpu = ring->cpu};

	if (!s->decoding.has_filter)
		return true;
	if (s->decoding.operations.alone)
		return spe_operation_is_accepted(&s->decoding.operations, record);
	origin.has_time = plumb_samples_time(s, record, &origin.time);
	return spe_filter_matches(&s->decoding.filter, record, &origin);
}

/* Counts the run's samples by group, eight groups of a record at once. */
static void count_groups(struct plumb_samples *s)
{
	typedef uint16_t lanes __attribute__((vector_size(16)));
	const lanes low = {1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7};
	const lanes high = low << 8;
	lanes lows = {0}, highs = {0};

	_Static_assert(PLUMB_SPE_GROUPS <= 16 && SAMPLES_RUN_MAX <= UINT16_MAX,
		       "each group has a lane, and a lane counts a whole run");
	for (size_t i = 0; i < s->count; i++) {
		const uint16_t groups = (uint16_t)s->groups[i];

		lows -= (lanes)((low & groups) == low);
		highs -= (lanes)((high & groups) == high);
	}
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++)
		s->totals.groups[group] += group < 8 ? lows[group] : highs[group - 8];
}

/* Moves the records of accepted operations to the front, and counts them: without a branch, since
 * nothing predicts which ones these are. */
static size_t keep_operations(const struct plumb_samples *s, struct plumb_spe_record *records,
			      size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const bool accepted =
			spe_operation_is_accepted(&s->decoding.operations, &records[i]);

		records[kept] = records[i];
		kept += accepted;
	}
	return kept;
}

/* Makes a run of those of `count` records that match, and counts them. */
static void set_run(struct plumb_samples *s, struct plumb_spe_record *records, size_t count)
{
	const bool by_operation = s->decoding.has_filter && s->decoding.operations.alone;
	size_t i = 0;

	s->run = records;
	s->next = 0;
	s->count = 0;
	if (s->omit_groups && (by_operation || !s->decoding.has_filter)) {
		s->count = by_operation ? keep_operations(s, records, count) : count;
		i = count;
	}
	for (; i < count; i++) {
		if (!matches(s, &records[i]))
			continue;
		if (i != s->count)
			records[s->count] = records[i];
		if (!s->omit_groups)
			s->groups[s->count] = synthesis_choose(&s->decoding.synthesis, &records[i],
							       &s->current->since);
		s->count++;
	}
	if (!s->omit_groups)
		count_groups(s);
	s->totals.matched += s->count;
}

/* ---- Which records are next ------------------------------------------------------------------ */

/* Returns the ring's time at a record, which may come late. */
static inline uint64_t ticks_at(uint64_t ticks, const struct plumb_spe_record *record)
{
	return record->timestamp > ticks ? record->timestamp : ticks;
}

/* Returns whether a time comes before anything else. */
static inline bool is_due(uint64_t ticks, uint64_t bound)
{
	return ticks < bound || bound == UINT64_MAX;
}

/* Returns how many of the ring's records come before anything else and are of its thread. The first
 * one does and is. */
static size_t run_length(const struct plumb_samples *s, struct ring *ring, uint64_t bound)
{
	const struct plumb_spe_record *first = ring->records + ring->next, *record;
	size_t most = ring->count - ring->next, i;
	uint64_t ticks = ring->ticks;

	if (most > SAMPLES_RUN_MAX)
		most = SAMPLES_RUN_MAX;
	for (i = 1; i < most; i++) {
		record = &first[i];
		if (!is_due(ticks_at(ticks, record), bound))
			break;
		ticks = ticks_at(ticks, record);
		if (!attribution_is_alike(record, first) &&
		    attribution_changes(&s->attribution, ring, record))
			break;
	}
	ring->ticks = ticks;
	return i;
}

/* Inserts a ring that has a record into the heap. */
static int put_back(struct plumb_samples *s, struct ring *ring)
{
	const uint64_t first = ring->records[ring->next].timestamp;

	if (first > ring->ticks)
		ring->ticks = first;
	ring->waiting = true;
	/* The rings of a part of a stream get into the heap when it is whole again. */
	return s->split || ring_heap_add(&s->heap, ring, ring->ticks) ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* Decodes the ring's next records; skips unreadable data. Returns 1, 0 (none) or NO_MEMORY. */
static int fill(struct plumb_samples *s, struct ring *ring)
{
	int status;

	do
		status = ring_fill(&s->rings, ring);
	while (status < 0 && !s->split && samples_put_off(s, status) == 0);
	return status < 0 && s->split ? split_abandon(s) : status;
}

/* Follows a record whose context packet names another thread. */
static int change(struct plumb_samples *s, struct ring *ring, const struct plumb_spe_record *record)
{
	int status;

	/* The first context packet matters to the rings after it. */
	if (s->split && !s->attribution.contexts)
		return PLUMB_ERR_LIMIT;
	if (attribution_knows(&s->attribution, attribution_named(record)))
		return attribution_change(&s->attribution, ring, record);
	split_lock(s);
	status = attribution_change(&s->attribution, ring, record);
	split_unlock(s);
	return status;
}

/* Advances to the current ring's next run. If there is none, no ring is current any more. */
static int take_run(struct plumb_samples *s)
{
	/* No timestamp counts in a recording without times. */
	const uint64_t bound = s->decoding.synthesis.timeless ? UINT64_MAX : s->bound;
	struct ring *ring = s->current;
	struct plumb_spe_record *first;
	size_t count;

	if (ring->next == ring->count) {
		int status = fill(s, ring);

		if (status <= 0) {
			s->current = NULL;
			return status;
		}
	}
	first = ring->records + ring->next;
	if (!is_due(ticks_at(ring->ticks, first), bound)) {
		s->current = NULL;
		return put_back(s, ring) ? samples_no_memory(s) : 0;
	}
	ring->ticks = ticks_at(ring->ticks, first);
	/* Whom the records after a change belong to is known once it is made. */
	if (attribution_changes(&s->attribution, ring, first) && change(s, ring, first))
		return s->split ? split_abandon(s) : samples_no_memory(s);
	count = run_length(s, ring, bound);
	ring->next += count;
	s->totals.records += count;
	set_run(s, first, count);
	return 0;
}

void samples_choose(struct plumb_samples *s, struct ring *ring, uint64_t bound)
{
	s->current = ring;
	s->bound = bound;
	if (attribution_knows_ring(&s->attribution, ring)) {
		attribution_of_ring(&s->attribution, ring);
	} else {
		split_lock(s);
		attribution_of_ring(&s->attribution, ring);
		split_unlock(s);
	}
	if (!ring->has_core)
		ring->core = decoding_core(&s->decoding, ring->cpu);
	ring->has_core = true;
}

/* Selects the ring with the oldest record. Returns false if no ring is due. */
static bool choose_oldest(struct plumb_samples *s)
{
	struct ring_heap *heap = &s->heap;
	uint64_t bound = s->limit;
	struct ring *ring;

	if (!heap->count || (heap->at[0].ticks >= s->limit && s->limit != UINT64_MAX))
		return false;
	ring = ring_heap_take(heap);
	ring->waiting = false;
	if (s->order == PLUMB_ORDER_TIME && heap->count && heap->at[0].ticks < s->limit)
		bound = heap->at[0].ticks + 1;
	samples_choose(s, ring, bound);
	return true;
}

/* Takes rings one after another, once the file has ended; perf begins each with an empty sample. */
static bool choose_next(struct plumb_samples *s)
{
	const struct synthesis *synthesis = &s->decoding.synthesis;

	if (!s->ended || s->next_ring == s->rings.count)
		return false;
	samples_choose(s, s->rings.at[s->next_ring++], UINT64_MAX);
	s->current->chunk_limit = SIZE_MAX;
	if (synthesis->timeless && perf_is_exact(synthesis->version)) {
		const uint64_t matched = s->totals.matched;

		s->nothing = (struct plumb_spe_record){0};
		set_run(s, &s->nothing, 1);
		s->totals.matched = matched;
	}
	return true;
}

/* Inserts rings that now have data into the heap, by their first record. */
static int begin_rings(struct plumb_samples *s)
{
	for (size_t i = 0; i < s->rings.count; i++) {
		struct ring *ring = s->rings.at[i];
		int status;

		if (ring->waiting || ring == s->current)
			continue;
		status = ring->next < ring->count ? 1 : fill(s, ring);
		if (status < 0)
			return status;
		if (status > 0 && put_back(s, ring))
			return samples_no_memory(s);
	}
	s->begun_chunks = s->rings.chunks_seen;
	return 0;
}

int samples_next_run(struct plumb_samples *s)
{
	const bool in_turn = s->decoding.synthesis.timeless || s->order == PLUMB_ORDER_FILE;
	int status = 0;

	s->count = s->next = 0;
	if (!s->decoding.is_spe)
		return 0;
	if (!in_turn && s->limit && s->begun_chunks != s->rings.chunks_seen)
		status = begin_rings(s);
	while (status == 0 && s->count == 0) {
		if (s->current)
			status = take_run(s);
		else if (!(s->split  ? split_choose(s)
			   : in_turn ? choose_next(s)
				     : choose_oldest(s)))
			break;
	}
	return status;
}
