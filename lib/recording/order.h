/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records put in the order of their times, in bounded memory.
 *
 * Every CPU's records come in order, so that what comes is a few ascending runs. A record goes to
 * the end of a run; the oldest of all is at the front of one.
 */
#ifndef RECORDING_ORDER_H
#define RECORDING_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_event;

/* A record as it stands in the file, and what is known of it before it is parsed. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	bool identified; /* `layout` is also the event it is of */
	const uint8_t *bytes;
	size_t size;
	uint64_t offset, time;
	uint64_t aux_place, aux_size; /* of AUXTRACE: where its data is, and how much is there */
	const struct known_event *layout; /* how to parse it; NULL: no event is known */
};

struct order {
	struct run **runs; /* by the time of their last record, the youngest first */
	size_t run_count, run_room;
	struct run **heap; /* those that hold records, by their first one: the oldest on top */
	size_t heap_count;
	size_t last; /* the run that was added to */
	struct order_block *current, *spare, *given;
	uint64_t sequence;
	size_t held; /* bytes of memory */
	uint64_t newest;
};

/* What may be held before the oldest are given, whatever is yet to come. */
#define ORDER_LIMIT ((size_t)64 << 20)

/* Copies a record that has a time. Returns 0 or NO_MEMORY. */
int order_add(struct order *order, const struct raw_record *record);

/* Whether one of this time or older is there. */
bool order_has(const struct order *order, uint64_t time);

/* The oldest; its bytes, aligned, remain until the next call of any of these. False: none. */
bool order_take(struct order *order, struct raw_record *record);

void order_free(struct order *order);

#endif
