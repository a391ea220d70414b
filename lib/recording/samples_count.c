/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the SPE records of a stream up to the file's next record: in threads if that is worth it,
 * each of which reads whole rings. Only totals are kept, so the order of records does not matter.
 */
#include <stdlib.h>

#include "base/threads.h"
#include "recording/samples_split.h"
#include "recording/samples_stream.h"

struct counter {
	struct plumb_samples *part;
	struct samples_split *split;
	pthread_t thread;
	bool started;
};

static void *count(void *user)
{
	const struct counter *counter = user;
	const struct plumb_samples_batch *batch;
	int status = 1;

	while (status > 0 && !samples_split_is_abandoned(counter->split))
		status = plumb_samples_next_batch(counter->part, &batch);
	if (status < 0)
		samples_split_abandon(counter->split);
	return NULL;
}

/* Counts all that was split off. Returns whether it could. */
static bool count_parts(struct samples_split *split, struct counter *counters, unsigned threads)
{
	bool keep;

	for (unsigned i = 1; i < threads; i++)
		counters[i].started = threads_start(&counters[i].thread, count, &counters[i]);
	count(&counters[0]);
	for (unsigned i = 1; i < threads; i++)
		if (counters[i].started)
			pthread_join(counters[i].thread, NULL);
	keep = !samples_split_is_abandoned(split);
	for (unsigned i = 0; i < threads; i++)
		samples_part_end(counters[i].part, keep);
	return keep;
}

/* Counts what is due in threads, if that is worth it; the stream goes on either way. Returns 0 or
 * NO_MEMORY. */
static int count_in_threads(struct plumb_samples *s, unsigned wanted)
{
	pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	struct counter counters[THREADS_MAX] = {0};
	struct samples_split *split;
	unsigned threads = 0;
	bool keep = false;
	size_t rings;

	if (s->undivided || wanted < 2)
		return 0;
	rings = samples_split(s, &lock, &split);
	if (rings == 0)
		return 0;
	while (threads < wanted && threads < rings) {
		counters[threads] = (struct counter){samples_part(split), split, 0, false};
		if (!counters[threads].part)
			break;
		threads++;
	}
	if (threads)
		keep = count_parts(split, counters, threads);
	/* What one thread cannot read, it would not be able to read the next time either. */
	s->undivided = !keep;
	return samples_split_end(split, keep) < 0 ? PLUMB_ERR_NO_MEMORY : 0;
}

int plumb_samples_next_record(struct plumb_samples *samples, unsigned threads,
			      const struct plumb_record **record)
{
	const struct plumb_samples_batch *batch;
	int status;

	threads = threads_to_use(threads);
	if (!samples->decoding.has_filter)
		samples->rings.layouts.members = SPE_MEMBERS_COUNTS;
	*record = NULL;
	while ((status = plumb_samples_next_batch(samples, &batch)) > 0) {
		*record = batch->record;
		if (*record)
			return 1;
		status = count_in_threads(samples, threads);
		if (status < 0)
			return status;
	}
	return status;
}
