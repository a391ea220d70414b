/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings by the time of their next record, the earliest first. Of equal times the order is that of
 * perf's heap: rings come out of it as there.
 */
#ifndef RECORDING_RING_HEAP_H
#define RECORDING_RING_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

struct ring_heap {
	struct ring_heap_item {
		uint64_t ticks;
		struct ring *ring;
	} * at;
	size_t count, room;
};

/* False: memory is short. */
bool ring_heap_add(struct ring_heap *heap, struct ring *ring, uint64_t ticks);
/* The earliest, which is there. */
struct ring *ring_heap_take(struct ring_heap *heap);

#endif
