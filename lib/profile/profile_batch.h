/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds SPE records in batches. Threads may do so at once, each with its own part of the stream, its
 * own tallies, lanes and latencies. They share the tables of codes and rows, and look up what is in
 * neither under a lock.
 */
#ifndef PROFILE_BATCH_H
#define PROFILE_BATCH_H

#include <pthread.h>

#include "base/threads.h"
#include "profile/profile.h"
#include "recording/samples.h"

/* The parts of a record that decide on its row, beside its instruction and its origin. */
struct parts {
	uint32_t has;          /* members of which it matters whether they are there */
	uint64_t data_mask;    /* of the data's address */
	uint64_t target_mask;  /* of the branch's target */
	uint16_t latency_mask; /* of the total latency */
	uint16_t operation_mask;
	uint32_t source_mask, events_mask, groups_mask;
	/* Whether a hot row has room for all of them. The number of the words is that of the parts
	 * that would take each. */
	unsigned addresses, details;
	bool fit;
	bool comm, pid, tid, cpu, space; /* which parts of their origin do */
	/* Whether a row depends on nothing but the event, the code and the thread; and whether what
	 * it needs of code takes longer to look up than to remember. */
	bool plain, lines;
	uint32_t code_keys; /* a bit for each of the profile's keys that is of code */
	bool sums;          /* of records only those members matter that samples_sum_up() leaves */
	bool coded;  /* a row's values are known of its code, its thread and the record alone */
	bool blocks; /* neighbouring instructions may have the same code */
};

/* What threads have together. */
struct adding_together {
	pthread_mutex_t *lock; /* of the profile, its symbolizer and the recording's threads */
	uint64_t records;      /* that they have looked at */
	size_t rows_before;    /* the profile's, before they began */
	size_t latencies;      /* counts that they have, and the profile before them */
};

/* What a thread has to itself. */
struct adding_part {
	struct adding_together *together;
	struct lane *lanes; /* of the rings so far; the last one is current */
	size_t lane_count, lane_room;
};

/* What the records of batches have together. */
struct batch_sums {
	uint64_t count, pairs, latency, left_out, not_shown;
	uint64_t kinds[RECORD_KINDS]; /* how many records are of each kind */
};

/* The code and the rows of the records of a thread that was looked up before. */
struct known_task {
	const struct plumb_task *task; /* NULL: none */
	uint64_t tasks_generation, numbers_generation;
	int32_t cpu;
	uint32_t midr, space, origin;
	uint32_t *rows; /* of the origin, by code; NULL: hot ones */
};
#define KNOWN_TASKS 16

/* Room for rows of four keys. */
#define KEPT_WORDS ((size_t)SAMPLES_RUN_MAX * 9)

/* Adds batches: those of the whole stream, or those of one of its parts. */
struct adding {
	struct plumb_profile *profile;
	struct plumb_samples *samples;
	struct tallies *tallies;
	struct latencies *latencies;
	struct adding_part *part; /* NULL: the whole */
	struct parts parts;
	unsigned threads; /* that may add */
	bool has_event;
	size_t event; /* of all SPE records */
	struct batch_sums sums;
	struct record_kind kinds[RECORD_KINDS];
	/* Of profile_late.h: NULL, while records are added one after another; whether that should
	 * change, and whether it never may. */
	struct late *late;
	bool late_due, never_late;
	struct known_task known[KNOWN_TASKS];

	/* Of the current batch. */
	const struct plumb_samples_batch *batch;
	const struct plumb_task *task;
	struct lane *lane;
	uint32_t space, origin;
	uint32_t *code_rows; /* of the origin; NULL: hot rows */
	bool by_block;       /* homes of codes are those of blocks */
	/* The tables in which these are looked for, while they are current. */
	const struct hot_codes *hot_codes;
	const struct hot_rows *hot_rows;
	/* Rows are found for the whole batch first, so that memory is fetched ahead. */
	uint32_t homes[SAMPLES_RUN_MAX];
	/* Without a code: the row is never hot. With code_rows only the code is set at first. */
	struct hot_key keys[SAMPLES_RUN_MAX];
	uint32_t rows[SAMPLES_RUN_MAX];
	/* Records whose code, or then row, is yet to be looked up: under one lock for all. */
	uint16_t cold[SAMPLES_RUN_MAX];
	size_t cold_count;
	/* Of parts.coded: a row's values; and of the rows of cold records the hashes and, if there
	 * is room for all, the values. */
	uint64_t values[WORDS_MAX];
	uint32_t hashes[SAMPLES_RUN_MAX];
	uint64_t kept[KEPT_WORDS];
	bool has_kept;
	size_t added; /* records of the batch that were added to their rows */
	/* Which records are not shown, if any. */
	bool hidden[SAMPLES_RUN_MAX];
	size_t hidden_count;
};

static inline void adding_lock(const struct adding *adding)
{
	if (adding->part)
		threads_lock(adding->part->together->lock);
}

static inline void adding_unlock(const struct adding *adding)
{
	if (adding->part)
		pthread_mutex_unlock(adding->part->together->lock);
}

/* profile_parts.c: whether a key is of an instruction alone, and what the profile's keys depend on.
 */
bool key_is_code(unsigned key);
struct parts parts_of(const struct plumb_profile *profile);

/* profile_batch_codes.c: finds what the codes and rows of the batch's records depend on. */
int adding_find_origin(struct adding *adding);
/* Finds the codes and the rows of the batch's records, which depend on the code alone. Those
 * records are cold of which one is not known, or whose row has no room for sums. */
void adding_find_known(struct adding *adding);
/* Finds the codes of all records of the batch, or of those that are cold. Returns 0, NO_MEMORY, or
 * LIMIT. */
int adding_find_codes(struct adding *adding);
int adding_find_cold_codes(struct adding *adding);

/* profile_batch_rows.c: sets the values of the i-th record's row of keys that are not of code.
 * Returns false if out of memory. */
bool adding_set_values(struct adding *adding, size_t i);
/* Likewise finds the rows of all records of the batch. Returns 0, NO_MEMORY, or, in a
 * part, LIMIT. */
int adding_find_rows(struct adding *adding);

/* profile_batch.c: adds the records whose rows were found up to the i-th. Returns 0 or NO_MEMORY.
 */
int adding_add_found(struct adding *adding, size_t i);

/* Adds a batch. Returns 0 or NO_MEMORY; in a part also LIMIT, if only the whole can go on. */
int add_batch(struct adding *adding);

/* profile_late_keys.c: tells whether records can be added late: see profile_late.h. */
bool late_is_possible(const struct adding *adding);
/* Begins. Returns 0 or NO_MEMORY; it may turn out not to be possible. */
int late_begin(struct adding *adding);
/* Adds the current batch. Returns 0, NO_MEMORY, or LIMIT, if it has to be added as others are,
 * after late_end(). */
int late_add_batch(struct adding *adding);
/* Ends, if it was begun. Returns 0 or NO_MEMORY. */
int late_end(struct adding *adding);

/*
 * profile_threads.c: adds what is due of the stream in threads, if that is worth it. `whole` adds
 * the whole stream, and is between two batches. Returns 0 or NO_MEMORY; the stream goes on either
 * way.
 */
int add_in_threads(struct adding *whole);

#endif
