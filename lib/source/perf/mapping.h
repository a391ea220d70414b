/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings of a session in memory: one for each CPU, or for each thread where there is no CPU. All
 * events of the place write into it.
 */
#ifndef SOURCE_PERF_MAPPING_H
#define SOURCE_PERF_MAPPING_H

#include <plumb/recording.h>

#include "source/perf/aux.h"
#include "source/perf/ring.h"
#include "source/perf/sampling.h"

struct perf_ring {
	struct data_ring data;
	struct aux_ring aux;
	void *map, *aux_map;
	size_t map_size, aux_map_size;
	size_t cpu;                       /* index among the targets' */
	size_t first_thread, past_thread; /* likewise; whose events write here */
	const struct sampled *owner;      /* by whose descriptors it is waited for ... */
	size_t watched;                   /* ... of this thread; past_thread: all have ended */
};

struct perf_rings {
	struct perf_ring *all;
	size_t count;
	size_t pages, aux_pages; /* that each has */
};

/*
 * Maps them, of as many pages as the job says, or fewer if this user may not have so many, which
 * is a warning if the job said it. Returns 0, or a negative error with a finding.
 * perf_rings_unmap() does either way.
 */
int perf_rings_map(struct perf_rings *rings, const struct sampling *sampling);
void perf_rings_unmap(struct perf_rings *rings);

/* The descriptor to wait for; -1: nothing will come any more. */
int perf_ring_fd(const struct perf_ring *ring, const struct sampling *sampling);

/* How the kernel's clock comes of the counter that PMUs' own timestamps are of; false: not told. */
bool perf_ring_time(const struct perf_ring *ring, struct plumb_time_conv *time);

/* To sample on after the AUX area was full: the kernel has stopped the event. */
void perf_ring_resume(const struct perf_ring *ring, const struct sampling *sampling);

#endif
