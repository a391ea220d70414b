/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting in parallel. Each ring's data is cut into pieces that are decoded on any thread as if
 * a record began with each. That is so nearly always; where the piece before ended within a record,
 * the guess was wrong, and the piece is decoded again from there. Hence the totals are those of
 * decoding one piece after another, whatever the number of threads.
 */
#include <plumb/samples.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/decoding.h"
#include "recording/rings.h"

#define PIECE_SIZE  ((size_t)512 << 10)
#define BATCH       1024
#define THREADS_MAX 256
/* Pieces a thread decodes between two merges: enough that starting threads costs nothing. */
#define PIECES_EACH 16

/* What is counted of some records. */
struct tally {
	uint64_t records, matched;
	uint64_t groups[PLUMB_SPE_GROUPS];
};

/* Where a thread decodes to. */
struct workspace {
	uint8_t bytes[PIECE_SIZE];
	uint32_t has[BATCH];
	uint64_t events[BATCH];
	uint8_t op_class[BATCH];
	uint8_t operation[BATCH];
};

struct piece {
	const struct ring *ring;
	uint32_t chunk; /* its number in the recording */
	uint64_t from;  /* bytes of the chunk before it */
	size_t size;
	uint64_t offset; /* in the ring's stream */
	uint64_t place;  /* in the file */
	struct tally tally;
	struct plumb_spe_stream stream; /* after it */
	int error;
};

struct counter {
	struct decoding decoding;
	struct rings rings;
	struct plumb_samples_totals *totals;
	uint8_t shifts[PLUMB_SPE_GROUPS]; /* the event's bit that puts a record there; 64: none */

	/* The next piece to cut. */
	size_t ring, chunk;
	uint64_t from, offset;

	/* A round: pieces that are decoded now. */
	struct piece *pieces;
	size_t count, room, taken;
	pthread_mutex_t lock; /* of .taken */
	unsigned threads;
	struct workspace *own;

	/* What the piece that was merged last leaves to the next of its ring. */
	const struct ring *merged;
	struct plumb_spe_stream carry;
	uint64_t carry_place; /* of the byte at offset 0 of the stream, near here */
	uint64_t ring_matched;
};

/* ---- One piece
 * ----------------------------------------------------------------------------------- */

static void count_record(const struct counter *c, const struct plumb_spe_record *record,
			 struct tally *tally)
{
	const struct synthesis *synthesis = &c->decoding.synthesis;
	uint32_t groups;

	tally->records++;
	if (!plumb_spe_filter_matches(&c->decoding.filter, record, NULL))
		return;
	tally->matched++;
	groups = synthesis_groups(synthesis, record);
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		tally->groups[i] += groups >> i & 1;
}

/* The groups that an event's bit puts records in; of others the shift is 64. */
static unsigned group_shift(unsigned group)
{
	struct plumb_spe_record record = {.has = PLUMB_SPE_HAS_EVENTS};

	for (unsigned bit = 0; bit < 64; bit++) {
		record.events = PLUMB_SPE_EVENT_BIT(bit);
		if (plumb_spe_record_groups(&record) >> group & 1 &&
		    group != PLUMB_SPE_GROUP_INSTRUCTIONS)
			return bit;
	}
	return 64;
}

/* Events and classes that were not given are 0, which is no group's. */
static void count_batch(const struct counter *c, const struct workspace *w, size_t count,
			struct tally *tally)
{
	tally->records += count;
	tally->matched += count;
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++) {
		const uint8_t shift = c->shifts[group];
		uint64_t sum = 0;

		if (shift == 64)
			continue;
		for (size_t i = 0; i < count; i++)
			sum += w->events[i] >> shift & 1;
		tally->groups[group] += sum;
	}
	for (size_t i = 0; i < count; i++) {
		bool operation = w->has[i] & PLUMB_SPE_HAS_OPERATION;

		tally->groups[PLUMB_SPE_GROUP_MEMORY] +=
			operation & (w->op_class[i] == PLUMB_SPE_LOAD_STORE);
		tally->groups[PLUMB_SPE_GROUP_BRANCH] +=
			operation & (w->op_class[i] == PLUMB_SPE_BRANCH);
	}
	if (!c->decoding.synthesis.like_perf_6_1)
		return;
	for (size_t i = 0; i < count; i++)
		tally->groups[PLUMB_SPE_GROUP_MEMORY] +=
			w->has[i] & PLUMB_SPE_HAS_OPERATION &&
			synthesis_passes_for_load(w->op_class[i], w->operation[i]);
}

static void count_fast(const struct counter *c, struct piece *piece, struct workspace *w)
{
	const struct plumb_spe_columns columns = {
		.room = BATCH,
		.has = w->has,
		.events = w->events,
		.op_class = w->op_class,
		.operation = c->decoding.synthesis.like_perf_6_1 ? w->operation : NULL,
	};
	size_t count;

	while ((count = plumb_spe_stream_batch(&piece->stream, &columns)))
		count_batch(c, w, count, &piece->tally);
}

/* Decodes a piece that goes on where piece->stream stands. */
static void decode(const struct counter *c, struct piece *piece, struct workspace *w)
{
	const struct plumb_aux_chunk *chunk =
		plumb_recording_aux_chunk(c->decoding.recording, piece->chunk);
	struct plumb_spe_record record;

	piece->tally = (struct tally){0};
	piece->error = plumb_recording_read_aux(c->decoding.recording, chunk, piece->from, w->bytes,
						piece->size);
	if (piece->error)
		return;
	plumb_spe_stream_feed(&piece->stream, w->bytes, piece->size);
	/* A filter looks at records whole: columns put together again would cost more. */
	if (!c->decoding.has_filter) {
		count_fast(c, piece, w);
		return;
	}
	while (plumb_spe_stream_next(&piece->stream, &record))
		count_record(c, &record, &piece->tally);
}

static void decode_fresh(const struct counter *c, struct piece *piece, struct workspace *w)
{
	plumb_spe_stream_begin(&piece->stream);
	piece->stream.offset = piece->offset;
	decode(c, piece, w);
}

/* ---- A round of pieces
 * --------------------------------------------------------------------------- */

static struct piece *take_piece(struct counter *c)
{
	struct piece *piece = NULL;

	pthread_mutex_lock(&c->lock);
	if (c->taken < c->count)
		piece = &c->pieces[c->taken++];
	pthread_mutex_unlock(&c->lock);
	return piece;
}

static void decode_round(struct counter *c, struct workspace *w)
{
	struct piece *piece;

	while ((piece = take_piece(c)))
		decode_fresh(c, piece, w);
}

static void *work(void *argument)
{
	struct counter *c = argument;
	struct workspace *w = malloc(sizeof(*w));

	if (w)
		decode_round(c, w);
	free(w);
	return NULL;
}

/* Cuts the next pieces, ring by ring. */
static void cut_pieces(struct counter *c)
{
	c->count = 0;
	c->taken = 0;
	while (c->count < c->room && c->ring < c->rings.count) {
		const struct ring *ring = c->rings.at[c->ring];
		const struct plumb_aux_chunk *chunk;
		struct piece *piece;
		uint64_t left;

		if (c->chunk == ring->chunk_count) {
			c->ring++;
			c->chunk = 0;
			c->offset = 0;
			continue;
		}
		chunk = plumb_recording_aux_chunk(c->decoding.recording, ring->chunks[c->chunk]);
		left = chunk->size - c->from;
		if (left) {
			piece = &c->pieces[c->count++];
			*piece = (struct piece){.ring = ring, .chunk = ring->chunks[c->chunk]};
			piece->from = c->from;
			piece->size = left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
			piece->offset = c->offset;
			piece->place = chunk->place + c->from;
			c->from += piece->size;
			c->offset += piece->size;
		}
		if (left <= PIECE_SIZE) {
			c->chunk++;
			c->from = 0;
		}
	}
}

/* ---- Merging
 * ------------------------------------------------------------------------------------- */

static void finish_ring(struct counter *c)
{
	const struct synthesis *synthesis = &c->decoding.synthesis;
	uint64_t period = synthesis->period ? synthesis->period : 1;

	if (!c->merged)
		return;
	plumb_spe_stream_end(&c->carry);
	c->totals->unfinished += c->carry.unfinished;
	/* perf begins each ring of a timeless recording with a record of nothing. */
	if (synthesis->timeless && synthesis->like_perf_6_1)
		c->ring_matched++;
	c->totals->groups[PLUMB_SPE_GROUP_INSTRUCTIONS] += c->ring_matched / period;
	c->ring_matched = 0;
}

/* Adds what the stream skipped in this piece. */
static void add_skipped(struct counter *c, const struct piece *piece)
{
	uint64_t offset = piece->stream.first_skipped, place;

	if (!piece->stream.skipped)
		return;
	place = offset >= piece->offset ? piece->place + (offset - piece->offset)
					: c->carry_place + offset;
	c->totals->skipped += piece->stream.skipped;
	if (place < c->totals->first_skipped)
		c->totals->first_skipped = place;
}

static bool ended_within(const struct plumb_spe_stream *stream)
{
	return stream->open || stream->kept_size || stream->skip;
}

static int merge(struct counter *c, struct piece *piece)
{
	struct plumb_samples_totals *totals = c->totals;
	bool follows = c->merged == piece->ring;

	if (!follows) {
		finish_ring(c);
		c->merged = piece->ring;
	} else if (ended_within(&c->carry)) {
		piece->stream = c->carry;
		piece->stream.skipped = 0;
		piece->stream.first_skipped = UINT64_MAX;
		piece->stream.unfinished = 0;
		decode(c, piece, c->own);
	}
	if (piece->error)
		return piece->error;
	totals->bytes += piece->size;
	totals->records += piece->tally.records;
	totals->matched += piece->tally.matched;
	c->ring_matched += piece->tally.matched;
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		if (i != PLUMB_SPE_GROUP_INSTRUCTIONS)
			totals->groups[i] += piece->tally.groups[i];
	add_skipped(c, piece);
	totals->unfinished += piece->stream.unfinished;
	piece->stream.unfinished = 0;
	c->carry = piece->stream;
	c->carry_place = piece->place - piece->offset;
	return 0;
}

/* ---- All of it
 * ----------------------------------------------------------------------------------- */

/* Decodes the round's pieces; threads that cannot be had leave their part to the others. */
static void run_round(struct counter *c)
{
	pthread_t workers[THREADS_MAX];
	unsigned started = 0;

	while (started + 1 < c->threads && started + 1 < c->count &&
	       pthread_create(&workers[started], NULL, work, c) == 0)
		started++;
	decode_round(c, c->own);
	for (unsigned i = 0; i < started; i++)
		pthread_join(workers[i], NULL);
}

static int count_rounds(struct counter *c)
{
	for (;;) {
		cut_pieces(c);
		if (!c->count)
			break;
		run_round(c);
		for (size_t i = 0; i < c->count; i++) {
			int error = merge(c, &c->pieces[i]);

			if (error)
				return error;
		}
	}
	finish_ring(c);
	return 0;
}

static int read_records(struct counter *c)
{
	struct plumb_record record;
	int status;

	do
		status = plumb_recording_next(c->decoding.recording, &record);
	while (status > 0);
	if (!status)
		status = rings_update(&c->rings);
	if (!status && c->rings.count)
		decoding_decide(&c->decoding);
	return status;
}

static int count_all(struct counter *c)
{
	struct plumb_samples_totals *totals = c->totals;
	int error = read_records(c);

	if (error)
		return error;
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		c->shifts[i] = (uint8_t)group_shift(i);
	c->room = (size_t)c->threads * PIECES_EACH;
	c->pieces = calloc(c->room, sizeof(*c->pieces));
	c->own = malloc(sizeof(*c->own));
	if (!c->pieces || !c->own)
		return PLUMB_ERR_NO_MEMORY;
	if (c->decoding.is_spe)
		error = count_rounds(c);
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		if (!(c->decoding.synthesis.groups & PLUMB_SPE_GROUP_BIT(i)))
			totals->groups[i] = 0;
	decoding_add_losses(&c->decoding, totals);
	return error;
}

static unsigned usual_threads(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : (unsigned)cpus;
}

int plumb_samples_count(struct plumb_recording *recording,
			const struct plumb_samples_options *options, unsigned threads,
			struct plumb_samples_totals *totals, struct plumb_diagnostics *found)
{
	struct counter c = {.totals = totals, .threads = threads ? threads : usual_threads()};
	int error;

	*totals = (struct plumb_samples_totals){.first_skipped = UINT64_MAX};
	if (options && options->filter && plumb_spe_filter_needs_origin(options->filter)) {
		plumb_diagnostics_add(found, PLUMB_ERROR, "count-filter", NULL,
				      "records cannot be counted by pid, tid, cpu or time alone");
		return PLUMB_ERR_ARGUMENT;
	}
	if (c.threads > THREADS_MAX)
		c.threads = THREADS_MAX;
	decoding_begin(&c.decoding, recording, options, found);
	c.rings.recording = recording;
	pthread_mutex_init(&c.lock, NULL);
	error = count_all(&c);
	if (error == PLUMB_ERR_NO_MEMORY)
		plumb_diagnostics_add(found, PLUMB_ERROR, "no-memory", NULL, "out of memory");
	pthread_mutex_destroy(&c.lock);
	free(c.pieces);
	free(c.own);
	rings_free(&c.rings);
	return error;
}
