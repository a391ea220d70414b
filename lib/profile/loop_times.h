/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long loops and functions take, by the timestamps of SPE records. Records come after about the
 * same number of operations each, so the time between two of the same loop tells how fast it ran,
 * whatever their latencies are. doc/statistics.md explains how this corrects a replay.
 */
#ifndef PROFILE_LOOP_TIMES_H
#define PROFILE_LOOP_TIMES_H

#include <plumb/annotate.h>
#include <plumb/flow.h>

/* The time from one record to the next. */
struct time_gap {
	const struct plumb_symbol *symbol;    /* of the first one */
	const struct plumb_symbol *to_symbol; /* NULL: unknown */
	uint64_t from, to; /* addresses in the file; `to` only if it is in the same function */
	uint64_t ticks;
};

/* Zero-initialize. The members are private. */
struct loop_times {
	struct time_gap *gaps;
	size_t count;
	uint64_t seen, stride; /* each stride-th gap is kept */
	/* The record before. */
	const struct plumb_task *task;
	const struct plumb_symbol *symbol; /* NULL: there is none, or its function is unknown */
	uint64_t address, timestamp, offset;
	uint32_t ring;
};

/* Adds a record. Returns 0 or NO_MEMORY. */
int loop_times_add(struct loop_times *times, const struct plumb_samples_item *item,
		   const struct plumb_location *location);
/* Call it once, after all records. */
void loop_times_sort(struct loop_times *times);
void loop_times_free(struct loop_times *times);

/*
 * Multiplies the slots of a function's outermost loops such that they are in proportion to the
 * loops' times; the sum of these loops stays. The code outside loops counts as one more. Loops with
 * few records, or that the program leaves often, stay as they are. Sets timed[i] to the slots of
 * the loop that instruction `i` is in, or to 0 if that was not timed, and `*ticks` to the time of
 * the whole function, or to 0 if it has few records or the program leaves it often. Returns 0 or
 * NO_MEMORY.
 */
int loop_times_apply(const struct loop_times *times, const struct plumb_annotated_code *code,
		     const struct plumb_flow *flow, double *slots, double *timed, double *ticks);

#endif
