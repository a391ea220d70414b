/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring into which the kernel writes records: perf_event_open(2), "MMAP layout". The sink reads
 * records in place, in memory shared with the kernel, which is released afterwards.
 */
#ifndef SOURCE_PERF_RING_H
#define SOURCE_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the largest size: a record's has 16 bits */
#define RING_RECORD_MAX 65536

/* The totals of all rings of a session. */
struct ring_tally {
	uint64_t samples;
	uint64_t lost; /* from PERF_RECORD_LOST: records of any kind */
	uint64_t throttled;
	uint64_t forks;                                      /* threads and processes that began */
	uint64_t aux_truncated, aux_partial, aux_collisions; /* PERF_RECORD_AUX with this flag */
	uint64_t damaged; /* rings with malformed records, the rest of which was dropped */
};

struct data_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t size; /* a power of two */
};

/* Takes complete records. A value other than 0 ends the draining, and is returned. */
typedef int (*ring_sink)(void *user, const void *records, size_t size);

/*
 * Passes the contents of the ring to `sink`, in at most three parts. A record that wraps is copied
 * to `spill`, which has room for RING_RECORD_MAX bytes. Later records wait for the next call.
 * Returns 0 or the result of `sink`.
 */
int data_ring_drain(const struct data_ring *ring, uint8_t *spill, struct ring_tally *tally,
		    ring_sink sink, void *user);
/* Tells whether there is anything to drain. */
bool data_ring_has(const struct data_ring *ring);

#endif
