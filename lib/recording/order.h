/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts records by time in bounded memory.
 *
 * The records of each CPU come in order, so the input consists of a few ascending runs. Each record
 * is appended to a run, and the oldest record is at the front of one.
 */
#ifndef RECORDING_ORDER_H
#define RECORDING_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_event;

/* A record as in the file, with what is known before it is parsed. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	bool identified; /* `layout` also tells its event */
	const uint8_t *bytes;
	size_t size;
	uint32_t part; /* of a folder: the index of its file */
	uint64_t offset, time;
	uint64_t aux_place, aux_size;     /* of AUXTRACE: place and size of its data */
	const struct known_event *layout; /* how to parse it; NULL: its event is unknown */
};

struct order {
	struct run **runs; /* by the time of their last record, the youngest first */
	size_t run_count, run_room;
	struct run *
		*heap; /* those with records, as a heap by their first record, the oldest on top */
	size_t heap_count;
	size_t last; /* the run of the last addition */
	struct order_block *current, *spare, *given;
	uint64_t sequence;
	size_t held;     /* bytes in use */
	uint64_t newest; /* time of the youngest record; of the last one there was, if empty */
};

/*
 * The maximum memory; beyond it the oldest records come out, even if older ones may follow.
 * Recordings with rounds need little of it. Those of several threads by the model have one round,
 * so all their records are held.
 */
#define ORDER_LIMIT ((size_t)1 << 30)

/* Copies a record that has a time. Returns 0 or NO_MEMORY. */
int order_add(struct order *order, const struct raw_record *record);

/* Tells whether there are no records. */
bool order_empty(const struct order *order);

/* Tells whether there is a record of this time or older. */
bool order_has(const struct order *order, uint64_t time);

/* Takes out the oldest record. Its bytes, which are aligned, are valid until the next call of these
 * functions. Returns false if there is none. */
bool order_take(struct order *order, struct raw_record *record);

void order_free(struct order *order);

#endif
