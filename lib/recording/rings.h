/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AUX rings of a recording: each is a stream of SPE records, read in pieces, chunk after chunk.
 * A record may straddle pieces, and chunks.
 */
#ifndef RECORDING_RINGS_H
#define RECORDING_RINGS_H

#include <plumb/recording.h>
#include <plumb/spe.h>

/* More rings than this are refused: no machine has as many CPUs. */
#define RINGS_LIMIT 65536

struct ring {
	uint32_t index;
	int32_t ring_tid, ring_cpu; /* as its first chunk says; -1: of any */
	uint32_t *chunks;           /* numbers of its chunks in the recording */
	size_t chunk_count, chunk_room;

	size_t next_chunk;
	uint64_t chunk_at; /* bytes of the chunk before that, or of that, that were read */
	uint8_t *piece;
	size_t piece_room;
	struct plumb_spe_stream stream;
	/* Where the stream's offsets are in the file: of the chunk at hand and the one before. */
	uint64_t base, place, base_before, place_before;
	uint64_t skipped_place; /* in the file: the first byte that begins no packet, if any */

	/* What the merge keeps of it. */
	struct plumb_spe_record record;
	bool begun, waiting; /* its first record was asked for; it is in the heap */
	uint64_t ticks;      /* the latest timestamp so far */
	uint64_t since;      /* records since the last sample of "instructions" */
	int32_t pid, tid, cpu;
	uint32_t midr; /* of its core, once it is asked for */
	bool has_midr;
};

struct rings {
	struct plumb_recording *recording;
	struct ring **at; /* by index */
	size_t count, room;
	size_t chunks_seen;
	uint64_t bytes; /* that were read */
};

/* Sorts the chunks that have come since into their rings. Returns 0, NO_MEMORY or LIMIT. */
int rings_update(struct rings *rings);
void rings_free(struct rings *rings);

/*
 * The ring's next record into ring->record. Returns 1, 0 if there is none (yet), or an error of
 * plumb_recording_read_aux(), after which the rest of the chunk is passed over.
 */
int ring_next(struct rings *rings, struct ring *ring);

/* Where a byte of the ring's stream, which was read lately, is in the file. */
uint64_t ring_place(const struct ring *ring, uint64_t offset);

#endif
