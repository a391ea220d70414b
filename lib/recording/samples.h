/* SPDX-License-Identifier: Apache-2.0 */
/* What the library needs of a stream of samples besides include/plumb/samples.h. */
#ifndef RECORDING_SAMPLES_H
#define RECORDING_SAMPLES_H

#include <plumb/samples.h>

/* Returns whether the stream gives each SPE record once. */
bool samples_each_record_once(const struct plumb_samples *samples);
/*
 * Returns the i-th record of the last batch as the item that plumb_samples_next() would give, of a
 * stream that gives each record once. `task` is the batch's.
 */
const struct plumb_samples_item *samples_item(struct plumb_samples *samples,
					      const struct plumb_task *task, size_t i);

#endif
