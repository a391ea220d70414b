/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring in which the kernel leaves records, perf_event_open(2), "MMAP layout". It is read in
 * place: whoever takes the records sees the kernel's own memory, and only then is it given back.
 */
#ifndef SOURCE_PERF_RING_H
#define SOURCE_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record's size has 16 bits. */
#define RING_RECORD_MAX 65536

/* What was drained, of all rings of a session. */
struct ring_tally {
	uint64_t samples;
	uint64_t lost; /* of PERF_RECORD_LOST: records of any kind */
	uint64_t throttled;
	uint64_t aux_truncated, aux_partial, aux_collisions; /* PERF_RECORD_AUX so flagged */
	uint64_t damaged; /* rings that held what is no record: their rest was dropped */
};

struct data_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t size; /* a power of two */
};

/* Takes whole records; another value than 0 ends the draining, and is what that returns. */
typedef int (*ring_sink)(void *user, const void *records, size_t size);

/*
 * Hands what is in the ring to `sink`, in at most three parts: the record that lies across the
 * ring's end is put together in `spill`, which has room for RING_RECORD_MAX bytes. What comes
 * meanwhile is left for the next time. Returns 0 or what `sink` returned.
 */
int data_ring_drain(const struct data_ring *ring, uint8_t *spill, struct ring_tally *tally,
		    ring_sink sink, void *user);
/* Whether there is anything to be drained. */
bool data_ring_has(const struct data_ring *ring);

#endif
