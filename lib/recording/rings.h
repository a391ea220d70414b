/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AUX rings of a recording. Each is a stream of SPE records, decoded in blocks, chunk after
 * chunk; records may straddle blocks and chunks.
 */
#ifndef RECORDING_RINGS_H
#define RECORDING_RINGS_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

#include "spe/data_source_perf.h"
#include "spe/stream.h"

/* The maximum number of rings; no machine has this many CPUs. */
#define RINGS_LIMIT 65536

struct ring {
	uint32_t index;
	int32_t ring_tid, ring_cpu; /* from its first chunk; -1: any */
	uint32_t *chunks;           /* indexes of its chunks in the recording */
	size_t chunk_count, chunk_room;
	size_t chunk_limit; /* do not read chunks from this one on yet */

	/* Decoded records; those from `next` on have not been returned yet. */
	struct plumb_spe_record *records;
	size_t count, next, room;

	size_t next_chunk;
	uint64_t chunk_at; /* bytes of that chunk read so far */
	uint8_t *piece;
	size_t piece_room;
	struct plumb_spe_stream stream;
	/* Maps the stream's offsets to the file, for the current chunk and the previous one. */
	uint64_t base, place, base_before, place_before;
	uint64_t
		skipped_place; /* offset in the file of the first byte that cannot begin a packet */

	/* Used by the stream of samples. */
	bool waiting;   /* its turn, in the heap */
	uint64_t ticks; /* the latest timestamp so far */
	uint64_t since; /* records since the last sampled one */
	int32_t pid, tid, cpu;
	struct spe_core core; /* set once looked up */
	bool has_core;
};

/* Room for a ring's bytes and its decoded records. */
struct ring_room {
	uint8_t *piece; /* NULL: none */
	size_t piece_room;
	struct plumb_spe_record *records;
	size_t room;
};

struct rings {
	struct plumb_recording *recording;
	struct ring **at; /* by index */
	size_t count, room;
	size_t chunks_seen;
	size_t chunk_limit; /* of new rings */
	uint64_t bytes;     /* AUX data read */
	struct spe_layouts layouts;
	struct ring_room spare; /* that a ring had which has been read: the next one gets it */
	bool quiet;             /* report no errors of reading: another thread may do so */
};

/* Adds new chunks to their rings, up to the first `chunks` of all. Returns 0, NO_MEMORY or LIMIT.
 */
int rings_update(struct rings *rings, size_t chunks);
/* Removes all chunks but the first ones, of which none was read beyond them. */
void rings_forget(struct rings *rings, size_t chunks);
/* Returns the ring with this index, or NULL. */
struct ring *rings_find(const struct rings *rings, uint32_t index);
void rings_free(struct rings *rings);
/* Frees only the room that no ring has. */
void rings_free_spare(struct rings *rings);
/* Gives a ring room, at least for pieces of `piece_room` bytes and for `room` records. Returns
 * false if out of memory. */
bool rings_give_room(struct rings *rings, struct ring *ring, size_t piece_room, size_t room);

/*
 * Decodes the ring's next records, after all of the previous ones have been returned. Returns 1, 0
 * if there are none (yet), or an error of plumb_recording_read_aux(), after which the rest of the
 * chunk is skipped.
 */
int ring_fill(struct rings *rings, struct ring *ring);

/* Returns the offset in the file of a byte of the last decoded records; `offset` is in the ring's
 * stream. */
uint64_t ring_place(const struct ring *ring, uint64_t offset);

#endif
