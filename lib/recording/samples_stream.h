/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a stream of samples, for samples.c and the files whose names begin like its. */
#ifndef RECORDING_SAMPLES_STREAM_H
#define RECORDING_SAMPLES_STREAM_H

#include "recording/attribution.h"
#include "recording/decoding.h"
#include "recording/ring_heap.h"
#include "recording/rings.h"
#include "recording/samples.h"
#include "recording/samples_ahead.h"

struct plumb_samples {
	struct decoding decoding;
	enum plumb_samples_order order;
	struct rings rings;
	struct ring_heap heap;
	struct attribution attribution;
	struct plumb_samples_totals totals;
	struct plumb_recording_losses lost; /* totals.lost */

	struct plumb_record from_file;
	bool has_from_file;       /* to be given once all that is older was */
	struct plumb_record held; /* the file's, behind one that tells of changed code */
	int held_status;
	bool holds;
	uint64_t code_changed; /* the time of the last of those */
	size_t next_value;     /* of those that it read, if it is a sample that reads counters */
	bool ended;            /* the file's records were all given */
	int failure;           /* to be returned at the end */
	uint64_t limit;        /* ticks; what is older is due. UINT64_MAX: all is */

	struct ring *current; /* that runs are taken from */
	uint64_t bound;       /* ticks up to which they are */
	size_t next_ring;     /* whose turn is next, where rings come one after another */
	size_t begun_chunks;  /* chunks whose rings are in the heap */

	/* Records that match, of the current ring, and the groups that each is a sample of. */
	struct plumb_spe_record *run;
	uint32_t groups[SAMPLES_RUN_MAX]; /* 0 if omitted */
	bool omit_groups;
	size_t count, next;
	uint32_t pending; /* groups of the record at `next` that are yet to be given */

	struct plumb_spe_record nothing; /* perf's, before each ring of a timeless recording */
	struct synthesized synthesized;  /* made of an SPE record */
	struct plumb_record sample;      /* made of a value that was read */
	struct plumb_samples_item item;
	struct plumb_samples_batch batch;

	unsigned quiet;              /* switches of the file with nothing between them */
	struct switches_ahead ahead; /* whose turns come before the file's record */

	unsigned due_batches;        /* since the file's last record */
	bool undivided;              /* its parts could not be counted in threads */
	struct samples_split *split; /* whose rings it reads, if it is a part of a stream */
	/* Of such a part: threads that were looked up before, by number. */
	const struct plumb_task *known_tasks[KNOWN_THREADS];
	struct ring *part_ring; /* likewise: that was chosen last ... */
	size_t part_switch;     /* ... the next switch of its CPU ... */
	int32_t part_tid;       /* ... and the thread that runs until then */
};

/* Tells that memory has run out, and returns PLUMB_ERR_NO_MEMORY. */
int samples_no_memory(const struct plumb_samples *s);
/* Notes an error that is returned at the end. Returns 0, or one that ends the stream at once. */
int samples_put_off(struct plumb_samples *s, int error);
/* Reads the file's next record. Returns 0, or an error that ends the stream at once. */
int samples_read_record(struct plumb_samples *s);
/* Returns up to which time, in ticks, the rings come before the file's record. */
uint64_t samples_limit(const struct plumb_samples *s);
/* Takes in the first `chunks` of AUX data known so far, and how to decode it. Likewise. */
int samples_update(struct plumb_samples *s, size_t chunks);
/* samples_ahead.c: notes whether the file's record is a switch. */
void samples_count_quiet(struct plumb_samples *s);

/* samples_runs.c: advances to the next run with records, until none is due. Returns 0 or an error.
 */
int samples_next_run(struct plumb_samples *s);
/* Likewise makes `ring` the current one, up to `bound`. */
void samples_choose(struct plumb_samples *s, struct ring *ring, uint64_t bound);

/* samples_split.c: makes the next of the split's rings the current one. Returns false at the end.
 */
bool split_choose(struct plumb_samples *s);
/* Marks the split as one that cannot go on, and returns an error that ends the part. */
int split_abandon(struct plumb_samples *s);
/* Lock what parts of a stream share. Both accept a stream that is whole. */
void split_lock(struct plumb_samples *s);
void split_unlock(struct plumb_samples *s);

#endif
