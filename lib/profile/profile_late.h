/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds SPE records where there are more rows than can be kept. Most rows are given up before they
 * have a second record, so it would be a waste to make them: at first only the number of each
 * row's records is known. What the records add to their rows is put off until it is clear which of
 * these stay. The result is the same as that of adding one record after another.
 *
 * One thread reads records and finds keys, which stand for rows (profile_late_keys.c); another one
 * adds them (profile_late.c), if there may be two.
 */
#ifndef PROFILE_LATE_H
#define PROFILE_LATE_H

#include <pthread.h>

#include "profile/profile_batch.h"

/* A key is the number of the values that are not of code, and below it that of the code. */
#define LATE_CODE_BITS  18
#define LATE_OTHERS_MAX 4096

/* Records that are handed over at once, and how often another ring's may begin among them. */
#define LATE_BLOCK 4096
#define LATE_TURNS 256

struct late_turn {
	uint32_t ring;  /* or the index of its lane */
	uint32_t first; /* record */
};

struct late_block {
	size_t count, turn_count;
	uint32_t keys[LATE_BLOCK];
	uint16_t latencies[LATE_BLOCK];
	uint8_t kinds[LATE_BLOCK];
	struct late_turn turns[LATE_TURNS];
};

/* A row: one of the profile, or one that may become that. */
struct late_row {
	uint64_t size; /* as rows are given up by */
	uint32_t key;  /* 0: it is of another event */
	uint32_t at;   /* in the profile; NO_ROW: not there yet */
};

struct late_rows {
	struct plumb_profile *profile;
	const struct record_kind *kinds;
	size_t event; /* of all records that are added */
	struct late_row *at;
	size_t count;
	/* Finds rows by their keys, each above the row's index; 0: free. */
	uint64_t *slots;
	unsigned bits; /* of the number of slots */
	/* Rows of the profile that are free. */
	uint32_t *unused;
	size_t unused_count;
	/* Records that are yet to be added to their rows. */
	uint32_t *rows;
	uint16_t *latencies;
	uint8_t *record_kinds;
	struct late_turn *turns;
	size_t record_count, turn_count;
	struct batch_sums sums;
};

/* profile_late.c: begins with the profile's rows, whose keys are yet to be set. Returns false if
 * out of memory. */
bool late_rows_begin(struct late_rows *rows, struct adding *adding);
/* Sets the key of a row, which no other one has. */
void late_rows_know(struct late_rows *rows, size_t row, uint32_t key);
/* Adds records, in their order. Returns 0 or NO_MEMORY. */
int late_rows_add(struct late_rows *rows, const struct late_block *block);
/* Adds what was put off, and brings the profile up to date, but for the values and hashes of rows
 * that have a key: `rows->at` has a row of the profile for each. Returns 0 or NO_MEMORY. */
int late_rows_settle(struct late_rows *rows);
void late_rows_free(struct late_rows *rows);

#endif
