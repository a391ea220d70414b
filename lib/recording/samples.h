/* SPDX-License-Identifier: Apache-2.0 */
/* What the library needs of a stream of samples besides include/plumb/samples.h. */
#ifndef RECORDING_SAMPLES_H
#define RECORDING_SAMPLES_H

#include <plumb/samples.h>

/* The maximum number of records in a batch. */
#define SAMPLES_RUN_MAX 256

/* Returns whether the stream gives each SPE record once. */
bool samples_each_record_once(const struct plumb_samples *samples);
/*
 * Returns the i-th record of the last batch as the item that plumb_samples_next() would give, of a
 * stream that gives each record once; but of the sample's own members only .ip, .weight and .period
 * are set, because the SPE record has the rest. `task` is the batch's.
 */
const struct plumb_samples_item *samples_item(struct plumb_samples *samples,
					      const struct plumb_task *task, size_t i);
/* Also sets .data_source of that item's record. */
void samples_set_data_source(struct plumb_samples *samples, size_t i);
/*
 * Keeps those records of the last batch whose items `wants` accepts, as `user` and `task` say.
 * Returns how many were left out.
 */
size_t samples_keep(struct plumb_samples *samples, const struct plumb_task *task,
		    bool (*wants)(void *user, const struct plumb_samples_item *item), void *user);
/* Returns the address of that record's code, and sets its mode. */
uint64_t samples_code(const struct plumb_samples *samples, size_t i, enum plumb_cpu_mode *mode);
/*
 * Makes the stream, which gives each record once, leave out the groups that records are in: those
 * of items, batches and totals are 0 from now on.
 */
void samples_omit_groups(struct plumb_samples *samples);
/*
 * Makes the stream leave out members of records that sums by instruction do not need, or by
 * instruction, operation and data source, unless a filter looks at them: see SPE_MEMBERS_SUMS and
 * SPE_MEMBERS_SOURCES. They have any value from now on.
 */
void samples_sum_up(struct plumb_samples *samples, bool sources);
/*
 * Makes the stream's filter ignore its conditions on operations for the samples of a PMU's events:
 * the caller knows what their instructions do.
 */
void samples_leave_operations(struct plumb_samples *samples, uint32_t pmu_type);

#endif
