/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a stream of batches into parts, each of which a thread may read. The parts together give
 * the batches up to the file's next record; each ring's in their order, in one of the parts.
 */
#ifndef RECORDING_SAMPLES_SPLIT_H
#define RECORDING_SAMPLES_SPLIT_H

#include <pthread.h>

#include "recording/samples.h"

struct samples_split;

/*
 * Splits a stream, if that is possible and enough data is due: between two batches, of a stream in
 * the order PLUMB_ORDER_TASKS. The parts hold `lock` while they look up threads. Returns the number
 * of rings; 0: the stream stays whole.
 */
size_t samples_split(struct plumb_samples *samples, pthread_mutex_t *lock,
		     struct samples_split **split);
/* Returns a part, for plumb_samples_next_batch() and samples_item(); NULL: out of memory. */
struct plumb_samples *samples_part(struct samples_split *split);
/* Ends a part, after all threads; the whole stream's totals get its own if it is kept. */
void samples_part_end(struct plumb_samples *part, bool keep);
/*
 * Ends a split. If it is kept, the stream goes on after what its parts have read, which must be
 * everything; otherwise as if it had not been split. Returns 0 or NO_MEMORY.
 */
int samples_split_end(struct samples_split *split, bool keep);

/* Notes that the split cannot be kept; and asks. A part does so when anything goes wrong. */
void samples_split_abandon(struct samples_split *split);
bool samples_split_is_abandoned(const struct samples_split *split);

#endif
