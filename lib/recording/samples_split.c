/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of samples in parts that threads read: each takes whole rings, one after another, as far
 * as they come before the file's next record. Rings are read in copies, so that nothing has
 * happened if the parts cannot go on.
 */
#include "recording/samples_split.h"

#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "recording/access.h"
#include "recording/samples_stream.h"
#include "spe/perf_version.h"

/* What is worth a thread: batches in sequence before, and bytes of AUX data that may follow. */
#define BATCHES_MIN 16
#define BYTES_MIN   (1u << 20)

struct samples_split {
	struct plumb_samples *whole;
	pthread_mutex_t *lock;
	struct ring **rings;  /* of the whole stream, that have data */
	struct ring **copies; /* of each; NULL: not begun */
	size_t count, next;
	bool ahead; /* the rings go on behind the switches ahead */
	bool abandoned;
};

void split_lock(struct plumb_samples *s)
{
	if (s->split)
		threads_lock(s->split->lock);
}

void split_unlock(struct plumb_samples *s)
{
	if (s->split)
		pthread_mutex_unlock(s->split->lock);
}

int split_abandon(struct plumb_samples *s)
{
	samples_split_abandon(s->split);
	return PLUMB_ERR_LIMIT;
}

void samples_split_abandon(struct samples_split *split)
{
	__atomic_store_n(&split->abandoned, true, __ATOMIC_RELAXED);
}

bool samples_split_is_abandoned(const struct samples_split *split)
{
	return __atomic_load_n(&split->abandoned, __ATOMIC_RELAXED);
}

/* ---- Rings ------------------------------------------------------------------------------------
 */

static void free_copy(struct ring *copy)
{
	if (!copy)
		return;
	free(copy->piece);
	free(copy->records);
	free(copy);
}

/* Copies a ring with what was read and decoded of it and is yet to be returned. NULL: out of
 * memory. */
static struct ring *copy_ring(struct rings *rings, const struct ring *ring)
{
	const struct plumb_spe_stream *stream = &ring->stream;
	struct ring *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *ring;
	copy->waiting = false;
	if (!ring->records)
		return copy;
	if (!rings_give_room(rings, copy, ring->piece_room, ring->room)) {
		free_copy(copy);
		return NULL;
	}
	memcpy(copy->records + ring->next, ring->records + ring->next,
	       (ring->count - ring->next) * sizeof(*copy->records));
	if (stream->bytes) {
		memcpy(copy->piece + stream->at, ring->piece + stream->at,
		       stream->size - stream->at);
		copy->stream.bytes = copy->piece;
	}
	return copy;
}

/* Replaces a ring of the whole stream with its copy, which was read further. */
static int keep_copy(const struct samples_split *split, struct ring *ring, struct ring *copy)
{
	struct plumb_samples *s = split->whole;

	if (split->ahead)
		copy->chunk_limit = SIZE_MAX;
	free(ring->piece);
	free(ring->records);
	*ring = *copy;
	free(copy);
	if (ring->waiting && !ring_heap_add(&s->heap, ring, ring->ticks))
		return PLUMB_ERR_NO_MEMORY;
	return 0;
}

/* Goes on with a ring up to the next switch of its CPU, or to the limit behind all switches.
 * Returns false if it went up to that. */
static bool choose_ahead(struct plumb_samples *s)
{
	const struct switches_ahead *ahead = &s->split->whole->ahead;
	struct ring *ring = s->part_ring;
	size_t i = s->part_switch, chunks;

	if (!ring || i > ahead->count)
		return false;
	if (attribution_run(&s->attribution, ring->cpu, s->part_tid) < 0) {
		samples_split_abandon(s->split);
		return false;
	}
	while (i < ahead->count && ahead->at[i].cpu != ring->cpu)
		i++;
	s->part_switch = i + 1;
	if (i < ahead->count)
		s->part_tid = ahead->at[i].tid;
	chunks = i < ahead->count ? ahead->at[i].chunks : SIZE_MAX;
	while (ring->chunk_limit < ring->chunk_count && ring->chunks[ring->chunk_limit] < chunks)
		ring->chunk_limit++;
	ring->waiting = false;
	samples_choose(s, ring, i < ahead->count ? ahead->at[i].limit : ahead->limit);
	return true;
}

/* Begins with a ring, whose chunks become known again as the switches come. */
static bool begin_ahead(struct plumb_samples *s, struct ring *ring)
{
	const struct plumb_samples *whole = s->split->whole;

	ring->chunk_limit = 0;
	s->part_ring = ring;
	s->part_switch = whole->ahead.next;
	s->part_tid = attribution_running(&whole->attribution, ring->cpu);
	return choose_ahead(s);
}

bool split_choose(struct plumb_samples *s)
{
	struct samples_split *split = s->split;
	struct ring *copy;
	size_t i;

	if (split->ahead && choose_ahead(s))
		return true;
	i = __atomic_fetch_add(&split->next, 1, __ATOMIC_RELAXED);
	if (i >= split->count)
		return false;
	copy = copy_ring(&s->rings, split->rings[i]);
	if (!copy) {
		samples_split_abandon(split);
		return false;
	}
	split->copies[i] = copy;
	if (split->ahead)
		return begin_ahead(s, copy);
	samples_choose(s, copy, split->whole->limit);
	return true;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

struct plumb_samples *samples_part(struct samples_split *split)
{
	const struct plumb_samples *whole = split->whole;
	const size_t size = whole->attribution.cpus * sizeof(*whole->attribution.running);
	struct plumb_samples *part = calloc(1, sizeof(*part));

	if (!part)
		return NULL;
	part->decoding = whole->decoding;
	part->decoding.diagnostics = NULL;
	part->order = whole->order;
	part->rings.recording = whole->rings.recording;
	part->rings.count = whole->rings.count;
	part->rings.quiet = true;
	part->rings.layouts.members = whole->rings.layouts.members;
	part->attribution = whole->attribution;
	part->attribution.remembers = true;
	part->attribution.running = malloc(size + 1);
	if (!part->attribution.running) {
		free(part);
		return NULL;
	}
	if (size)
		memcpy(part->attribution.running, whole->attribution.running, size);
	part->limit = whole->limit;
	part->ended = true;
	part->omit_groups = whole->omit_groups;
	part->split = split;
	return part;
}

void samples_part_end(struct plumb_samples *part, bool keep)
{
	struct plumb_samples *whole;

	if (!part)
		return;
	whole = part->split->whole;
	if (keep) {
		whole->totals.records += part->totals.records;
		whole->totals.matched += part->totals.matched;
		for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++)
			whole->totals.groups[group] += part->totals.groups[group];
		whole->rings.bytes += part->rings.bytes;
	}
	rings_free_spare(&part->rings);
	attribution_free(&part->attribution);
	free(part);
}

/* ---- The split --------------------------------------------------------------------------------
 */

/* Returns how much of a ring's data is known and unread. */
static uint64_t bytes_left(const struct plumb_samples *s, const struct ring *ring)
{
	uint64_t bytes = 0;

	for (size_t i = ring->next_chunk; i < ring->chunk_count && bytes < BYTES_MIN; i++) {
		const struct plumb_aux_chunk *chunk =
			recording_aux_chunk(s->rings.recording, ring->chunks[i]);

		bytes += chunk ? chunk->size : 0;
	}
	return bytes;
}

/* Lists the rings that may have records before the file's next one. Returns how many. */
static size_t list_rings(const struct plumb_samples *s, bool ahead, struct ring **rings)
{
	size_t count = 0;

	for (size_t i = 0; ahead && i < s->rings.count; i++)
		rings[count++] = s->rings.at[i];
	if (ahead)
		return count;
	if (s->current)
		rings[count++] = s->current;
	if (s->decoding.synthesis.timeless) {
		for (size_t i = s->next_ring; i < s->rings.count; i++)
			rings[count++] = s->rings.at[i];
		return count;
	}
	for (size_t i = 0; i < s->heap.count; i++)
		if (s->heap.at[i].ticks < s->limit || s->limit == UINT64_MAX)
			rings[count++] = s->heap.at[i].ring;
	return count;
}

size_t samples_split(struct plumb_samples *s, pthread_mutex_t *lock, struct samples_split **split)
{
	struct samples_split *made;
	uint64_t bytes = 0;
	bool ahead;

	*split = NULL;
	if (s->order != PLUMB_ORDER_TASKS || s->split ||
	    perf_is_exact(s->decoding.synthesis.version))
		return 0;
	ahead = s->due_batches != BATCHES_MIN;
	if (ahead && !samples_read_ahead(s))
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return 0;
	*made = (struct samples_split){.whole = s, .lock = lock, .ahead = ahead};
	if (ahead && samples_update(s, SIZE_MAX) < 0) {
		samples_split_end(made, false);
		return 0;
	}
	made->rings = calloc(s->rings.count + 1, sizeof(struct ring *));
	made->copies = calloc(s->rings.count + 1, sizeof(struct ring *));
	if (made->rings && made->copies)
		made->count = list_rings(s, ahead, made->rings);
	for (size_t i = 0; i < made->count && bytes < BYTES_MIN; i++)
		bytes += bytes_left(s, made->rings[i]);
	if (made->count < 2 || bytes < BYTES_MIN) {
		samples_split_end(made, false);
		return 0;
	}
	*split = made;
	return made->count;
}

/* Takes the rings that were split off out of the whole stream's turns. */
static void remove_rings(struct plumb_samples *s, bool ahead)
{
	size_t kept = 0;

	s->current = NULL;
	s->count = s->next = 0;
	if (ahead) {
		s->heap.count = 0;
		s->begun_chunks = s->rings.chunks_seen;
		return;
	}
	if (s->decoding.synthesis.timeless) {
		s->next_ring = s->rings.count;
		return;
	}
	/* What is not due stays; it was a heap, and is one again after each insertion. */
	for (size_t i = 0; i < s->heap.count; i++)
		if (s->heap.at[i].ticks >= s->limit && s->limit != UINT64_MAX)
			s->heap.at[kept++] = s->heap.at[i];
	ring_heap_restore(&s->heap, kept);
}

int samples_split_end(struct samples_split *split, bool keep)
{
	int status = 0;

	if (!split)
		return 0;
	if (keep && split->ahead)
		status = samples_skip_ahead(split->whole);
	if (keep)
		remove_rings(split->whole, split->ahead);
	else if (split->ahead)
		rings_forget(&split->whole->rings,
			     split->whole->ahead.at[split->whole->ahead.next].chunks);
	for (size_t i = 0; i < split->count; i++) {
		if (!keep)
			free_copy(split->copies[i]);
		else if (keep_copy(split, split->rings[i], split->copies[i]) < 0)
			status = PLUMB_ERR_NO_MEMORY;
	}
	free(split->rings);
	free(split->copies);
	free(split);
	return status;
}
