/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Context switches that a stream has read ahead. Each says which thread the records of a CPU's
 * rings belong to from its time on, and changes nothing else. So rings may be read one after
 * another, each up to the switches of its own CPU, rather than all of them up to each switch.
 */
#ifndef RECORDING_SAMPLES_AHEAD_H
#define RECORDING_SAMPLES_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plumb_samples;

/* No CPU's: it changes the thread of no ring. */
#define NO_SWITCH INT32_MIN

struct switch_ahead {
	uint64_t limit; /* ticks; older records come before it */
	size_t chunks;  /* of the recording that were known by then */
	int32_t cpu;    /* that runs another thread, or NO_SWITCH */
	int32_t tid;
};

struct switches_ahead {
	struct switch_ahead *at;
	size_t count, room, next;
	uint64_t limit; /* behind all of them */
};

/*
 * Reads switches ahead of the file's record, which is one, up to the first record whose place
 * matters for another reason. Returns whether there are enough to be worth it; they take their
 * turns either way.
 */
bool samples_read_ahead(struct plumb_samples *s);
/* Follows the next of them. Returns 0 or an error. */
int samples_follow_ahead(struct plumb_samples *s);
/* Follows all of them, after all records before them were read. */
int samples_skip_ahead(struct plumb_samples *s);

#endif
