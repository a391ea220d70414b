/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a whole stream: SPE records in batches, with little work for each. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/sums.h"
#include "recording/samples.h"

/* Returns whether all keys depend on the instruction and its thread alone. */
static bool only_code(const struct plumb_profile *profile)
{
	for (size_t i = 0; i < profile->options.key_count; i++) {
		switch (profile->keys[i]) {
		case PLUMB_KEY_SYMBOL:
		case PLUMB_KEY_DSO:
		case PLUMB_KEY_COMM:
		case PLUMB_KEY_PID:
		case PLUMB_KEY_TID:
		case PLUMB_KEY_SRCLINE:
		case PLUMB_KEY_SRCFILE:
		case PLUMB_KEY_IP:
		case PLUMB_KEY_INLINE:
			break;
		default:
			return false;
		}
	}
	return true;
}

/* A batch on its way into the rows. */
struct adding {
	struct plumb_samples *samples;
	const struct plumb_samples_batch *batch;
	const struct plumb_task *task;
	size_t event;
	struct lane *lane;
	bool only_code;
};

/* Finds the row of the i-th record, as of any sample. */
static int look_up(struct plumb_profile *profile, const struct adding *adding, size_t i,
		   uint32_t *row)
{
	const struct plumb_samples_item *item = samples_item(adding->samples, adding->task, i);
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	const struct frame_values frame = {
		item, &profile->events[adding->event],
		place_find(profile, item->task,
			   (struct plumb_frame){.ip = item->record->sample.ip, .mode = mode})};

	return row_find(profile, &frame, row);
}

/* Returns the instruction's place among the hot rows, or the one to use for it: the oldest. */
static struct hot_row *hot_find(struct plumb_profile *profile, const struct hot_row *wanted,
				bool *found)
{
	const uint64_t words[] = {wanted->pc >> 2, (uintptr_t)wanted->task};
	struct hot_row *ways =
		&profile->hot[hash_words(words, 2) % (HOT_ROWS / HOT_WAYS) * HOT_WAYS];

	for (size_t way = 0; way < HOT_WAYS; way++) {
		if (ways[way].pc == wanted->pc && ways[way].task == wanted->task &&
		    ways[way].event == wanted->event &&
		    ways[way].generation == wanted->generation) {
			*found = true;
			return &ways[way];
		}
	}
	*found = false;
	memmove(ways + 1, ways, (HOT_WAYS - 1) * sizeof(*ways));
	return ways;
}

static int find_row(struct plumb_profile *profile, const struct adding *adding, size_t i,
		    uint32_t *row)
{
	const struct plumb_spe_record *spe = &adding->batch->spe[i];
	struct hot_row wanted = {spe->addresses[PLUMB_SPE_PC], adding->task, profile->generation,
				 (uint32_t)adding->event, NO_ROW};
	const bool use = adding->only_code && spe->has & PLUMB_SPE_HAS_PC;
	struct hot_row *hot = NULL;
	bool found = false;
	int status = 0;

	if (use)
		hot = hot_find(profile, &wanted, &found);
	if (found) {
		*row = hot->row;
		return 0;
	}
	if (profile->row_count + 1 > profile->options.rows_max)
		status = rows_give_up(profile);
	if (status == 0)
		status = look_up(profile, adding, i, row);
	if (!use)
		return status;
	wanted.generation = profile->generation;
	wanted.row = *row;
	/* Nothing is found by a generation that is over. */
	*hot = status == 0 ? wanted : (struct hot_row){0};
	return status;
}

/* Adds a record to its row, and its values to their sums over the batch. */
static void add_record(struct plumb_profile *profile, struct lane *lane, uint32_t index,
		       const struct plumb_spe_record *spe, struct pair with[MEANS])
{
	struct row *row = &profile->rows[index];
	struct pair means[MEANS] = {0};

	read_means(spe, means);
	add_sums(&row->own, 1);
	for (size_t m = 0; m < MEANS; m++) {
		add_mean(&row->means[m], means[m]);
		with[m].above += means[m].above;
		with[m].below += means[m].below;
	}
	if (lane->begun)
		step_own(profile, lane, index, 1, means);
	lane->row = index;
	for (size_t m = 0; m < MEANS; m++)
		lane->means[m] = means[m];
}

/* What all records of the batch change of their event. */
static void add_to_event(struct profiled_event *event, const struct adding *adding, uint64_t pairs,
			 const struct pair with[MEANS])
{
	const size_t count = adding->batch->count;

	event->public.samples += count;
	event->public.period = add_saturating(event->public.period, count);
	event->members += count;
	event->pairs += pairs;
	event->public.latencies |= with[MEAN_LATENCY].below > 0;
	event->public.l1d_accesses |= with[MEAN_L1D_MISSES].below > 0;
	event->public.branches |= with[MEAN_MISPREDICTIONS].below > 0;
	event->latency += with[MEAN_LATENCY].above;
	for (size_t i = 0; i < 3; i++)
		event->periods[i] += (double)count;
}

static int add_batch(struct plumb_profile *profile, struct adding *adding)
{
	const struct plumb_samples_batch *batch = adding->batch;
	struct pair with[MEANS] = {0};
	struct profiled_event *event;
	uint64_t pairs = 0;
	uint32_t row = NO_ROW;
	int status;

	adding->task = batch->task ? batch->task : plumb_samples_task(adding->samples, -1, -1);
	if (!adding->task)
		return PLUMB_ERR_NO_MEMORY;
	event = profiled_event_find(profile, samples_item(adding->samples, adding->task, 0));
	if (!event)
		return PLUMB_ERR_NO_MEMORY;
	adding->event = (size_t)(event - profile->events);
	adding->lane =
		lane_find(profile, adding->event, samples_item(adding->samples, adding->task, 0));
	if (!adding->lane)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < batch->count; i++) {
		status = find_row(profile, adding, i, &row);
		if (status == 0 && profile->options.latencies)
			status = latencies_add(profile, row, &batch->spe[i]);
		if (status < 0)
			return status;
		add_record(profile, adding->lane, row, &batch->spe[i], with);
		event->public.not_retired += is_not_retired(&batch->spe[i]);
		pairs += adding->lane->begun;
		adding->lane->begun = true;
		adding->lane->period = 1;
	}
	profile->mark += batch->count;
	add_to_event(event, adding, pairs, with);
	return 0;
}

static int add_batches(struct plumb_profile *profile, struct plumb_samples *samples)
{
	struct adding adding = {.samples = samples, .only_code = only_code(profile)};
	int status, added = 0;

	if (!profile->hot)
		profile->hot = calloc(HOT_ROWS, sizeof(*profile->hot));
	if (!profile->hot)
		return PLUMB_ERR_NO_MEMORY;
	while ((status = plumb_samples_next_batch(samples, &adding.batch)) > 0) {
		if (adding.batch->record) {
			const struct plumb_samples_item item = {.record = adding.batch->record,
								.task = adding.batch->task};

			added = profile_add_item(profile, &item);
		} else {
			added = add_batch(profile, &adding);
		}
		if (added < 0)
			return added;
	}
	return status;
}

int plumb_profile_add(struct plumb_profile *profile, struct plumb_samples *samples)
{
	const struct plumb_profile_options *options = &profile->options;
	const struct plumb_samples_item *item;
	int status, added;

	if (samples_each_record_once(samples) && !options->wants && !options->children &&
	    options->paths == PLUMB_PATHS_NONE)
		return add_batches(profile, samples);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		added = profile_add_item(profile, item);
		if (added < 0)
			return added;
	}
	return status;
}
