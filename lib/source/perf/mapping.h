/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the rings of a session: one per CPU, or per thread if there is no CPU. All events of a CPU
 * or thread write into its ring.
 */
#ifndef SOURCE_PERF_MAPPING_H
#define SOURCE_PERF_MAPPING_H

#include <plumb/recording.h>
#include <plumb/spe.h>

#include "source/perf/aux.h"
#include "source/perf/ring.h"
#include "source/perf/sampling.h"

struct perf_ring {
	struct data_ring data;
	struct aux_ring aux;
	struct plumb_spe_stream *records; /* in the AUX area, to count them; NULL: has none */
	void *map, *aux_map;
	size_t map_size, aux_map_size;
	size_t cpu;                       /* index into the targets' CPUs */
	size_t first_thread, past_thread; /* indexes of the threads whose events write here */
	const struct sampled *owner;      /* the event whose descriptor to poll */
	size_t watched;                   /* index of its thread; past_thread: all have ended */
	bool offline;                     /* its CPU has been */
};

struct perf_rings {
	struct perf_ring *all;
	size_t count;
	size_t pages, aux_pages; /* of each ring */
};

/*
 * Maps the rings with the job's number of pages, or fewer if this user may not lock as many; that
 * is a warning if the job set the number. Returns 0, or a negative error with a finding. In both
 * cases call perf_rings_unmap().
 */
int perf_rings_map(struct perf_rings *rings, const struct sampling *sampling);
void perf_rings_unmap(struct perf_rings *rings);

/* Returns the descriptor to poll; -1: no more data will come. */
int perf_ring_fd(const struct perf_ring *ring, const struct sampling *sampling);

/* Finds how the kernel's clock follows from the counter of PMUs' timestamps; false: unknown. */
bool perf_ring_time(const struct perf_ring *ring, struct plumb_time_conv *time);

/* Enables the event again, which the kernel disabled when the AUX area was full. */
void perf_ring_resume(const struct perf_ring *ring, const struct sampling *sampling);

#endif
