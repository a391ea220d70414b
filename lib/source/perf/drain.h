/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what the kernel and the SPE units wrote to the rings, and gives it to a job's callbacks. */
#ifndef SOURCE_PERF_DRAIN_H
#define SOURCE_PERF_DRAIN_H

#include "source/perf/mapping.h"

struct perf_drain {
	const struct source_record_job *job;
	const struct sampling *sampling;
	struct perf_rings *rings;
	struct ring_tally tally;
	uint8_t *spill;     /* RING_RECORD_MAX bytes, for records that wrap */
	uint64_t reference; /* of AUX data */
	uint64_t records;   /* of SPE, so far */
	double round;       /* on the clock: the job's last call of `round` */
	double resumed;     /* likewise, all SPE events that may have stopped */
};

/*
 * Takes everything at the time `now`, in seconds. If `on`, resumes SPE events that stopped for lack
 * of room. Records come first: they say what the AUX data holds. An event that the kernel disables
 * between the taking and the resuming leaves nothing to take, so all events are resumed now and
 * then. Returns 0 or a callback's error.
 */
int perf_drain(struct perf_drain *d, bool on, double now);

/* Takes AUX areas that are overwritten in circles. Nothing must write to them meanwhile. */
int perf_drain_snapshots(struct perf_drain *d);

#endif
