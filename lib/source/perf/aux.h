/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AUX area, into which PMUs such as SPE's write: perf_event_open(2), "aux_offset". Its contents
 * are not examined.
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
	size_t size;    /* a power of two; 0: no AUX area */
	bool overwrite; /* the PMU overwrites the oldest data, for snapshots */
	/* For snapshots. */
	uint64_t taken; /* head at the last snapshot */
	uint64_t given; /* bytes so far */
	bool wrapped;   /* the area has been filled once */
};

/* Data in the area, the oldest first. */
struct aux_data {
	const uint8_t *first, *second; /* second is NULL unless the data wraps */
	size_t first_size, second_size;
	uint64_t offset; /* of the first byte, in the stream that the ring is a window of */
	uint64_t head;   /* after the last byte */
};

/* Finds the data in the area. Returns its size, or 0. */
size_t aux_ring_look(struct aux_ring *ring, struct aux_data *data);
/* Releases the data, so that the PMU may overwrite it. */
void aux_ring_give_back(struct aux_ring *ring, const struct aux_data *data);

#endif
