/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/aux.h"

/*
 * The area begins as zeros, and no SPE record consists of zeros only. So if there is anything
 * behind the head, the PMU has already been there.
 */
static bool has_wrapped(const struct aux_ring *ring, uint64_t head)
{
	if (ring->wrapped || head >= ring->size || head < ring->taken)
		return true;
	for (size_t i = head; i < ring->size; i++)
		if (ring->data[i])
			return true;
	return false;
}

/* Returns the `size` bytes that end before `head`. */
static void set_parts(const struct aux_ring *ring, struct aux_data *data, uint64_t head,
		      size_t size)
{
	size_t start = (head - size) & (ring->size - 1), straight = ring->size - start;

	data->head = head;
	data->first = ring->data + start;
	data->first_size = size < straight ? size : straight;
	data->second_size = size - data->first_size;
	data->second = data->second_size ? ring->data : NULL;
}

/*
 * In a snapshot's area the driver's head is an offset that starts again at 0, so nobody can tell
 * how often it went round. Once it did, this takes the whole area, including data that was taken
 * before.
 */
static size_t look_at_snapshot(struct aux_ring *ring, struct aux_data *data, uint64_t head)
{
	size_t size;

	ring->wrapped = has_wrapped(ring, head);
	size = ring->wrapped ? ring->size : head - ring->taken;
	set_parts(ring, data, head, size);
	data->offset = ring->given;
	return size;
}

size_t aux_ring_look(struct aux_ring *ring, struct aux_data *data)
{
	uint64_t head, size;

	if (!ring->size)
		return 0;
	head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	if (ring->overwrite)
		return look_at_snapshot(ring, data, head);
	size = head - ring->page->aux_tail;
	if (size > ring->size)
		size = ring->size;
	set_parts(ring, data, head, size);
	data->offset = head - size;
	return size;
}

void aux_ring_give_back(struct aux_ring *ring, const struct aux_data *data)
{
	ring->given += data->first_size + data->second_size;
	ring->taken = data->head;
	if (!ring->overwrite)
		__atomic_store_n(&ring->page->aux_tail, data->head, __ATOMIC_RELEASE);
}
