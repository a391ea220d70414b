/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/ring_heap.h"

#include <stdlib.h>

/* Lets an item rise from a hole to its place. */
static void rise(struct ring_heap *heap, size_t hole, struct ring_heap_item item)
{
	while (hole > 0) {
		size_t parent = (hole - 1) / 2;

		if (heap->at[parent].ticks <= item.ticks)
			break;
		heap->at[hole] = heap->at[parent];
		hole = parent;
	}
	heap->at[hole] = item;
}

bool ring_heap_add(struct ring_heap *heap, struct ring *ring, uint64_t ticks)
{
	if (heap->count == heap->room) {
		size_t room = heap->room ? 2 * heap->room : 16;
		struct ring_heap_item *at = reallocarray(heap->at, room, sizeof(*at));

		if (!at)
			return false;
		heap->at = at;
		heap->room = room;
	}
	heap->count++;
	rise(heap, heap->count - 1, (struct ring_heap_item){ticks, ring});
	return true;
}

struct ring *ring_heap_take(struct ring_heap *heap)
{
	struct ring *ring = heap->at[0].ring;
	size_t last = heap->count - 1, hole = 0;

	/* The hole sinks to the bottom, to the right where both sides are equal. */
	while (2 * hole + 1 <= last) {
		size_t child = 2 * hole + 1;

		if (child < last && heap->at[child].ticks >= heap->at[child + 1].ticks)
			child++;
		heap->at[hole] = heap->at[child];
		hole = child;
	}
	if (hole != last)
		rise(heap, hole, heap->at[last]);
	heap->count--;
	return ring;
}

void ring_heap_restore(struct ring_heap *heap, size_t count)
{
	heap->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ring_heap_item item = heap->at[i];

		heap->count++;
		rise(heap, i, item);
	}
}
