/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AUX area, in which a PMU such as SPE's writes by itself: perf_event_open(2), "aux_offset".
 * What is in it is not looked at.
 */
#ifndef SOURCE_PERF_AUX_H
#define SOURCE_PERF_AUX_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t size;    /* a power of two; 0: there is no such area */
	bool overwrite; /* the oldest is written over: for snapshots */
	/* Of snapshots. */
	uint64_t taken; /* head at the last one */
	uint64_t given; /* bytes so far */
	bool wrapped;   /* all of it has been written once */
};

/* Data in it, oldest first. */
struct aux_data {
	const uint8_t *first, *second; /* second is NULL if it does not lie across the end */
	size_t first_size, second_size;
	uint64_t offset; /* of the first byte in the stream that the ring is a window of */
	uint64_t head;   /* behind the last */
};

/* What is in the area. Returns its size; 0: nothing. */
size_t aux_ring_look(struct aux_ring *ring, struct aux_data *data);
/* What was looked at is no longer needed: the PMU may write there. */
void aux_ring_give_back(struct aux_ring *ring, const struct aux_data *data);

#endif
