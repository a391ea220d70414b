/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of a thread's samples: what is written into them, and when the reader has to read. */
#include <string.h>
#include <time.h>

#include "qemu/sampler_inside.h"
#include "qemu/share.h"

bool sampler_wait_for_reader(const struct sampler *sampler, unsigned *waits)
{
	const struct timespec little = {.tv_nsec = 200000};

	if (atomic_load(&sampler->sampling->closed))
		return false;
	if (atomic_load(&sampler->shared->orphaned) ||
	    (++*waits % 512 == 0 && share_reader_gone(sampler->shared)))
		return false;
	nanosleep(&little, NULL);
	return true;
}

static void copy_in(const struct sampler *sampler, uint64_t at, const void *bytes, size_t size)
{
	const size_t from = at % MODEL_RING_BYTES, first = MODEL_RING_BYTES - from;

	if (size <= first) {
		memcpy(sampler->frames + from, bytes, size);
		return;
	}
	memcpy(sampler->frames + from, bytes, first);
	memcpy(sampler->frames, (const char *)bytes + first, size - first);
}

void sampler_send(struct sampler *sampler, unsigned type, uint64_t time, const void *body,
		  size_t body_size, const void *more, size_t more_size)
{
	size_t size = (sizeof(struct model_frame) + body_size + more_size + 7) & ~(size_t)7;
	struct model_frame frame = {type, (uint32_t)size, sampler->pid, sampler->tid, time};
	struct model_ring *ring = sampler->ring;
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	unsigned waits = 0;

	while (head + size - atomic_load_explicit(&ring->tail, memory_order_acquire) >
	       MODEL_RING_BYTES)
		if (!sampler_wait_for_reader(sampler, &waits))
			return;
	copy_in(sampler, head, &frame, sizeof(frame));
	copy_in(sampler, head + sizeof(frame), body, body_size);
	if (more)
		copy_in(sampler, head + sizeof(frame) + body_size, more, more_size);
	atomic_store_explicit(&ring->head, head + size, memory_order_release);
}

uint64_t sampler_time_at(const struct sampler *sampler, uint64_t cycle)
{
	return sampler->start_ns + cycle * 1000 / sampler->params->frequency_mhz;
}

uint64_t sampler_now(const struct sampler *sampler)
{
	return sampler_time_at(sampler, core_cycle(sampler->core));
}
