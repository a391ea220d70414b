/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AUX rings of a recording: each is a stream of SPE records, decoded in blocks, chunk after
 * chunk. A record may straddle blocks and chunks.
 */
#ifndef RECORDING_RINGS_H
#define RECORDING_RINGS_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

/* More rings than this are refused: no machine has as many CPUs. */
#define RINGS_LIMIT 65536

struct ring {
	uint32_t index;
	int32_t ring_tid, ring_cpu; /* as its first chunk says; -1: any */
	uint32_t *chunks;           /* numbers of its chunks in the recording */
	size_t chunk_count, chunk_room;
	size_t chunk_limit; /* no chunk from this one on may be read yet */

	/* Records that are decoded; those from `next` on are yet to be given. */
	struct plumb_spe_record *records;
	size_t count, next, room;

	size_t next_chunk;
	uint64_t chunk_at; /* bytes of that chunk that were read */
	uint8_t *piece;
	size_t piece_room;
	struct plumb_spe_stream stream;
	/* Where the stream's offsets are in the file: of the chunk at hand and the one before. */
	uint64_t base, place, base_before, place_before;
	uint64_t skipped_place; /* in the file: the first byte that begins no packet, if any */

	/* What the stream of samples keeps here. */
	bool waiting;   /* for its turn, in the heap */
	uint64_t ticks; /* the latest timestamp so far */
	uint64_t since; /* records since the last that was sampled */
	int32_t pid, tid, cpu;
	struct plumb_spe_core core; /* once that is looked up */
	bool has_core;
};

struct rings {
	struct plumb_recording *recording;
	struct ring **at; /* by index */
	size_t count, room;
	size_t chunks_seen;
	size_t chunk_limit; /* of rings that are new */
	uint64_t bytes;     /* that were read */
};

/* Sorts the chunks that have come since into their rings. Returns 0, NO_MEMORY or LIMIT. */
int rings_update(struct rings *rings);
/* The ring with that index; NULL: there is none. */
struct ring *rings_find(const struct rings *rings, uint32_t index);
void rings_free(struct rings *rings);

/*
 * Decodes the ring's next records, once those it has were given. Returns 1, 0 if there are none
 * (yet), or an error of plumb_recording_read_aux(), after which the rest of the chunk is skipped.
 */
int ring_fill(struct rings *rings, struct ring *ring);

/* Where a byte of the records last decoded is in the file; `offset` is in the ring's stream. */
uint64_t ring_place(const struct ring *ring, uint64_t offset);

#endif
