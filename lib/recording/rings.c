/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/rings.h"
#include "recording/access.h"
#include "spe/stream.h"

#include <stdlib.h>
#include <string.h>

/* The approximate size of all rings' pieces together, and the limits of each, in bytes. */
#define PIECES_SIZE (4u << 20)
#define PIECE_MIN   (1u << 10)
#define PIECE_MAX   (128u << 10)
/* The first piece of a ring: enough to know when it begins, and little to copy. */
#define PIECE_FIRST (4u << 10)
/* The maximum number of records decoded at once: they fit into a first-level cache. */
#define BLOCK_MAX   256
#define BLOCK_BYTES 64 /* of data for each, about */

/* Returns the place of the ring with this index, or where to insert it. */
static size_t ring_slot(const struct rings *rings, uint32_t index)
{
	size_t low = 0, high = rings->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rings->at[middle]->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_ring(struct rings *rings, size_t slot, const struct plumb_aux_chunk *chunk)
{
	struct ring *ring;

	if (rings->count == RINGS_LIMIT)
		return PLUMB_ERR_LIMIT;
	if (rings->count == rings->room) {
		size_t room = rings->room ? 2 * rings->room : 16;
		struct ring **at = reallocarray(rings->at, room, sizeof(struct ring *));

		if (!at)
			return PLUMB_ERR_NO_MEMORY;
		rings->at = at;
		rings->room = room;
	}
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return PLUMB_ERR_NO_MEMORY;
	ring->index = chunk->index;
	ring->ring_tid = chunk->tid;
	ring->ring_cpu = chunk->cpu;
	ring->pid = -1;
	ring->tid = -1;
	ring->cpu = chunk->cpu;
	ring->chunk_limit = rings->chunk_limit;
	spe_stream_begin(&ring->stream);
	memmove(rings->at + slot + 1, rings->at + slot,
		(rings->count - slot) * sizeof(struct ring *));
	rings->at[slot] = ring;
	rings->count++;
	return 0;
}

static int add_chunk(struct ring *ring, uint32_t number)
{
	if (ring->chunk_count == ring->chunk_room) {
		size_t room = ring->chunk_room ? 2 * ring->chunk_room : 16;
		uint32_t *chunks = reallocarray(ring->chunks, room, sizeof(*chunks));

		if (!chunks)
			return PLUMB_ERR_NO_MEMORY;
		ring->chunks = chunks;
		ring->chunk_room = room;
	}
	ring->chunks[ring->chunk_count++] = number;
	return 0;
}

int rings_update(struct rings *rings, size_t chunks)
{
	const struct plumb_aux_chunk *chunk;

	while (rings->chunks_seen < chunks &&
	       (chunk = recording_aux_chunk(rings->recording, rings->chunks_seen))) {
		size_t slot = ring_slot(rings, chunk->index);
		int error = 0;

		if (rings->chunks_seen > UINT32_MAX)
			return PLUMB_ERR_LIMIT;
		if (slot == rings->count || rings->at[slot]->index != chunk->index)
			error = add_ring(rings, slot, chunk);
		if (!error)
			error = add_chunk(rings->at[slot], (uint32_t)rings->chunks_seen);
		if (error)
			return error;
		rings->chunks_seen++;
	}
	return 0;
}

void rings_forget(struct rings *rings, size_t chunks)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct ring *ring = rings->at[i];

		while (ring->chunk_count && ring->chunks[ring->chunk_count - 1] >= chunks)
			ring->chunk_count--;
	}
	if (rings->chunks_seen > chunks)
		rings->chunks_seen = chunks;
}

struct ring *rings_find(const struct rings *rings, uint32_t index)
{
	const size_t slot = ring_slot(rings, index);

	return slot < rings->count && rings->at[slot]->index == index ? rings->at[slot] : NULL;
}

void rings_free(struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		free(rings->at[i]->chunks);
		free(rings->at[i]->piece);
		free(rings->at[i]->records);
		free(rings->at[i]);
	}
	free(rings->at);
	rings_free_spare(rings);
}

void rings_free_spare(struct rings *rings)
{
	free(rings->spare.piece);
	free(rings->spare.records);
	rings->spare = (struct ring_room){0};
}

bool rings_give_room(struct rings *rings, struct ring *ring, size_t piece_room, size_t room)
{
	struct ring_room given = rings->spare;

	if (given.piece && given.piece_room >= piece_room && given.room >= room) {
		rings->spare = (struct ring_room){0};
	} else {
		given = (struct ring_room){malloc(piece_room), piece_room, NULL, room};
		given.records = reallocarray(NULL, room, sizeof(*given.records));
	}
	ring->piece = given.piece;
	ring->piece_room = given.piece_room;
	ring->records = given.records;
	ring->room = given.room;
	return ring->piece && ring->records;
}

static bool make_room(struct rings *rings, struct ring *ring)
{
	size_t share = PIECES_SIZE / rings->count, room;

	if (share > PIECE_MAX)
		share = PIECE_MAX;
	if (share < PIECE_MIN)
		share = PIECE_MIN;
	room = share / BLOCK_BYTES;
	return rings_give_room(rings, ring, share, room > BLOCK_MAX ? BLOCK_MAX : room);
}

/* Takes the room of a ring of which everything was returned, for the next one: its pages are there
 * already. */
static void take_room(struct rings *rings, struct ring *ring)
{
	if (rings->spare.piece || !ring->records)
		return;
	rings->spare = (struct ring_room){ring->piece, ring->piece_room, ring->records, ring->room};
	ring->piece = NULL;
	ring->records = NULL;
	plumb_spe_stream_feed(&ring->stream, NULL, 0);
}

/* Reads the next piece, of this chunk or the next. Returns 1, 0 at the end, or an error. */
static int next_piece(struct rings *rings, struct ring *ring)
{
	const struct plumb_aux_chunk *chunk;
	uint64_t size;
	int error;

	for (;; ring->next_chunk++, ring->chunk_at = 0) {
		if (ring->next_chunk >= ring->chunk_count || ring->next_chunk >= ring->chunk_limit)
			return 0;
		chunk = recording_aux_chunk(rings->recording, ring->chunks[ring->next_chunk]);
		if (chunk && ring->chunk_at < chunk->size)
			break;
	}
	if (ring->chunk_at == 0) {
		ring->base_before = ring->base;
		ring->place_before = ring->place;
		ring->base = ring->stream.offset + ring->stream.at;
		ring->place = chunk->place;
	}
	size = chunk->size - ring->chunk_at;
	if (size > ring->piece_room)
		size = ring->piece_room;
	if (ring->next_chunk == 0 && ring->chunk_at == 0 && size > PIECE_FIRST)
		size = PIECE_FIRST;
	error = (rings->quiet ? recording_try_aux : plumb_recording_read_aux)(
		rings->recording, chunk, ring->chunk_at, ring->piece, (size_t)size);
	if (error) {
		ring->next_chunk++;
		ring->chunk_at = 0;
		return error;
	}
	ring->chunk_at += size;
	rings->bytes += size;
	plumb_spe_stream_feed(&ring->stream, ring->piece, (size_t)size);
	return 1;
}

int ring_fill(struct rings *rings, struct ring *ring)
{
	ring->next = ring->count = 0;
	if (!ring->records && !make_room(rings, ring))
		return PLUMB_ERR_NO_MEMORY;
	for (;;) {
		const bool clean = ring->stream.lost.skipped == 0;
		int status;

		ring->count =
			spe_stream_read(&ring->stream, &rings->layouts, ring->records, ring->room);
		if (clean && ring->stream.lost.skipped)
			ring->skipped_place = ring_place(ring, ring->stream.lost.first_skipped);
		if (ring->count)
			return 1;
		status = next_piece(rings, ring);
		if (status == 0)
			take_room(rings, ring);
		if (status <= 0)
			return status;
	}
}

uint64_t ring_place(const struct ring *ring, uint64_t offset)
{
	if (offset >= ring->base)
		return ring->place + (offset - ring->base);
	return ring->place_before + (offset - ring->base_before);
}
