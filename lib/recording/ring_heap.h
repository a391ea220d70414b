/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap of rings by the time of their next record, the earliest first. Rings of equal time come
 * out in the same order as from perf's heap.
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

/* Returns false if out of memory. */
bool ring_heap_add(struct ring_heap *heap, struct ring *ring, uint64_t ticks);
/* Returns the earliest ring; there must be one. */
struct ring *ring_heap_take(struct ring_heap *heap);

/* Makes a heap of the first `count` items, in any order; there is room. */
void ring_heap_restore(struct ring_heap *heap, size_t count);

#endif
