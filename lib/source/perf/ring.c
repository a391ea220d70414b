/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/ring.h"

#include <string.h>

#include <plumb/recording.h>

static void count_aux(struct ring_tally *tally, const uint8_t *record, size_t size)
{
	uint64_t flags;

	/* header, offset, size, flags */
	if (size < 32)
		return;
	memcpy(&flags, record + 24, sizeof(flags));
	tally->aux_truncated += (flags & PERF_AUX_FLAG_TRUNCATED) != 0;
	tally->aux_partial += (flags & PERF_AUX_FLAG_PARTIAL) != 0;
	tally->aux_collisions += (flags & PERF_AUX_FLAG_COLLISION) != 0;
}

static void count_record(struct ring_tally *tally, const uint8_t *record, size_t size)
{
	struct perf_event_header header;
	uint64_t lost;

	memcpy(&header, record, sizeof(header));
	switch (header.type) {
	case PERF_RECORD_SAMPLE:
		tally->samples++;
		break;
	case PERF_RECORD_LOST: /* header, id, lost */
		if (size < 24)
			break;
		memcpy(&lost, record + 16, sizeof(lost));
		tally->lost += lost;
		break;
	case PERF_RECORD_THROTTLE:
		tally->throttled++;
		break;
	case PERF_RECORD_FORK:
		tally->forks++;
		break;
	case PERF_RECORD_AUX:
		count_aux(tally, record, size);
		break;
	default:
		break;
	}
}

/* Returns the size of the record at `at`, within `left` bytes; 0: none. */
static size_t record_size(const struct data_ring *ring, uint64_t at, uint64_t left)
{
	struct perf_event_header header;

	/* Records and the ring are multiples of 8 bytes, so no header wraps. */
	if (at % 8 || left < sizeof(header))
		return 0;
	memcpy(&header, ring->data + (at & (ring->size - 1)), sizeof(header));
	return header.size >= sizeof(header) && header.size % 8 == 0 && header.size <= left
		       ? header.size
		       : 0;
}

/* Returns the bytes of the whole records from `at` on that do not wrap. */
static size_t count_straight(const struct data_ring *ring, uint64_t at, uint64_t head,
			     struct ring_tally *tally)
{
	size_t start = at & (ring->size - 1), room = ring->size - start, taken = 0;

	while (taken < room && taken < head - at) {
		size_t size = record_size(ring, at + taken, head - at - taken);

		if (size == 0 || size > room - taken)
			break;
		count_record(tally, ring->data + start + taken, size);
		taken += size;
	}
	return taken;
}

/* Copies the record at `at`, which wraps. Returns its size; 0: none. */
static size_t join(const struct data_ring *ring, uint64_t at, uint64_t head, uint8_t *spill,
		   struct ring_tally *tally)
{
	size_t size = record_size(ring, at, head - at), start = at & (ring->size - 1);
	size_t before = ring->size - start;

	if (size == 0)
		return 0;
	memcpy(spill, ring->data + start, before);
	memcpy(spill + before, ring->data, size - before);
	count_record(tally, spill, size);
	return size;
}

int data_ring_drain(const struct data_ring *ring, uint8_t *spill, struct ring_tally *tally,
		    ring_sink sink, void *user)
{
	/* Acquires everything that the kernel wrote before it moved the head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->page->data_tail;
	int error = 0;

	if (head - at > ring->size) {
		tally->damaged++;
		at = head;
	}
	while (at != head && error == 0) {
		const void *records = ring->data + (at & (ring->size - 1));
		size_t size = count_straight(ring, at, head, tally);

		if (size == 0) {
			size = join(ring, at, head, spill, tally);
			records = spill;
		}
		if (size == 0) {
			tally->damaged++;
			at = head;
			break;
		}
		error = sink(user, records, size);
		at += size;
	}
	/* All reads are finished before the kernel sees that it may write there again. */
	__atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
	return error;
}

bool data_ring_has(const struct data_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) != ring->page->data_tail;
}
