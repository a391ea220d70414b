/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a profile, its events, and the places in code that were looked up. */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "profile/profile.h"
#include "recording/access.h"
#include "recording/spe_auxtrace.h"
#include "symbol/symbolizer.h"

#define ROWS_MAX  65536
#define NODES_MAX 524288
/* A sample has at most as many rows as its call chain has addresses, and its own; or functions. */
#define ROWS_LEAST          ((size_t)4 * (PLUMB_CALLCHAIN_MAX + 1))
#define ROWS_LEAST_UNFOLDED ((size_t)4 * PLUMB_PROFILE_DEPTH)

/* arm_spe's attributes: config:16 is jitter, config:32 to 34 and 36 to 42 filter by operation. */
#define SPE_JITTER  (UINT64_C(1) << 16)
#define SPE_FILTERS (UINT64_C(0x7f7) << 32)

/* ---- A profile --------------------------------------------------------------------------------
 */

uint32_t plumb_profile_exact_type(const struct plumb_recording *recording)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);
	const struct plumb_recorded_event *event;

	for (size_t i = 0; i < info->pmu_count; i++)
		if (strcmp(info->pmus[i].name, "exact") == 0)
			return info->pmus[i].type;
	/* The list of PMUs is at the end of a recording; a truncated one only has names of events.
	 */
	for (size_t i = 0; !info->pmu_count && (event = plumb_recording_event(recording, i)); i++)
		if (event->name && strncmp(event->name, "exact/", strlen("exact/")) == 0)
			return event->attr.type;
	return 0;
}

int plumb_profile_new(const struct plumb_profile_options *options,
		      const struct plumb_recording *recording, struct plumb_symbolizer *symbolizer,
		      struct plumb_profile **profile)
{
	struct plumb_profile *made;
	struct plumb_profile_options read;
	size_t rows_least;

	*profile = NULL;
	if (!options || !sized_read(&read, sizeof(read), options) ||
	    read.key_count > PLUMB_PROFILE_KEYS_MAX)
		return PLUMB_ERR_ARGUMENT;
	if (read.branches && (read.children || read.paths || read.batches))
		return PLUMB_ERR_ARGUMENT;
	for (size_t i = 0; i < read.key_count; i++)
		if (read.keys[i] >= PLUMB_PROFILE_KEYS)
			return PLUMB_ERR_ARGUMENT;
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->options = read;
	if (read.key_count)
		memcpy(made->keys, read.keys, read.key_count);
	made->options.keys = made->keys;
	for (size_t i = 0; i < read.key_count; i++)
		made->unfolds |= read.keys[i] == PLUMB_KEY_INLINE;
	rows_least = made->unfolds ? ROWS_LEAST_UNFOLDED : ROWS_LEAST;
	if (read.rows_max == 0 || read.rows_max >= UINT32_MAX)
		made->options.rows_max = ROWS_MAX;
	else if (read.rows_max < rows_least)
		made->options.rows_max = rows_least;
	if (read.nodes_max == 0 || read.nodes_max >= UINT32_MAX)
		made->options.nodes_max = NODES_MAX;
	/* Rows that are hidden differ from others by the words of a key, even if there is none. */
	made->words = 1 + 2 * (read.key_count ? read.key_count : 1);
	made->inlined.words = PLACE_INLINED_WORDS;
	made->recording = recording;
	made->left = NO_ROW;
	made->symbolizer = symbolizer;
	latencies_begin(&made->latencies, read.latencies);
	made->exact_type = plumb_profile_exact_type(recording);
	made->generation = made->tasks_generation = made->numbers_generation = 1;
	made->places = calloc(PLACE_COUNT, sizeof(*made->places));
	made->unknown = text_table_keep(&made->texts, "[unknown]");
	if (!made->places || !made->unknown) {
		plumb_profile_free(made);
		return PLUMB_ERR_NO_MEMORY;
	}
	*profile = made;
	return 0;
}

void plumb_profile_free(struct plumb_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->event_count; i++) {
		free(profile->events[i].order);
		free(profile->events[i].groups);
	}
	for (size_t i = 0; i < profile->lane_count; i++) {
		free(profile->lanes[i].counted);
		free(profile->lanes[i].ends);
		free(profile->lanes[i].window);
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		free(profile->rows[i].batches);
		free(profile->rows[i].groups);
		if (profile->callees)
			free(profile->callees[i].groups);
	}
	free(profile->events);
	free(profile->counted_as);
	free(profile->rows);
	free(profile->callees);
	free(profile->branches);
	free(profile->values);
	free(profile->hashes);
	free(profile->records);
	free(profile->by_values.slots);
	for (size_t i = 0; i < profile->node_count; i++)
		free(profile->nodes[i].groups);
	free(profile->nodes);
	free(profile->by_path.slots);
	free(profile->tree);
	free(profile->slots_tree);
	topdown_forget(profile);
	latencies_end(&profile->latencies);
	free(profile->lanes);
	free(profile->by_lane.slots);
	free(profile->places);
	free(profile->origins);
	control_groups_free(&profile->control_groups);
	hot_end(&profile->hot);
	codes_free(&profile->codes);
	codes_free(&profile->inlined);
	free(profile->code);
	tallies_free(&profile->tallies);
	text_table_free(&profile->texts);
	free(profile);
}

/* ---- Events -----------------------------------------------------------------------------------
 */

const struct plumb_event_attr *profile_spe_attr(const struct plumb_recording *recording)
{
	const struct plumb_auxtrace_info *info = recording_auxtrace_info(recording);
	const struct plumb_recorded_event *recorded;
	struct spe_auxtrace spe;

	if (!info || spe_auxtrace_read(info, &spe) < 0)
		return NULL;
	for (size_t i = 0; (recorded = plumb_recording_event(recording, i)); i++)
		if (recorded->attr.type == spe.pmu_type)
			return &recorded->attr;
	return NULL;
}

bool profile_spe_is_filtered(const struct plumb_event_attr *attr)
{
	/* Of operations, events and latencies. */
	return attr->config & SPE_FILTERS || attr->config1 || attr->config2 || attr->config3 ||
	       attr->config4;
}

/* Sets what is known of how an SPE record's event was sampled. */
static void describe_spe(const struct plumb_profile *profile, struct profiled_event *event)
{
	const struct plumb_event_attr *attr = profile_spe_attr(profile->recording);

	event->public.spe = true;
	if (!attr)
		return;
	event->sampling = sampling_of_spe(attr->sample_period, attr->config & SPE_JITTER);
	event->public.filtered = profile_spe_is_filtered(attr);
	event->sampling.filtered = event->public.filtered;
}

/*
 * Finds the event that a recorded one counts as, where that is another one: NULL if it is new.
 * Returns false if out of memory.
 */
static bool find_total(struct plumb_profile *profile, const struct plumb_recorded_event *recorded,
		       const char *total, struct profiled_event **event)
{
	struct counted_as *grown;
	size_t i = 0;

	*event = NULL;
	while (i < profile->event_count && (!profile->events[i].public.name ||
					    strcmp(profile->events[i].public.name, total) != 0))
		i++;
	if (i == profile->event_count)
		return true;
	grown = reallocarray(profile->counted_as, profile->counted_as_count + 1, sizeof(*grown));
	if (!grown)
		return false;
	profile->counted_as = grown;
	grown[profile->counted_as_count++] = (struct counted_as){recorded, i};
	*event = &profile->events[i];
	return true;
}

struct profiled_event *profiled_event_find(struct plumb_profile *profile,
					   const struct plumb_samples_item *item)
{
	const struct plumb_recorded_event *recorded = item->record->event;
	const char *name = recorded->name, *total = NULL;
	struct profiled_event *grown, *event;

	for (size_t i = 0; i < profile->event_count; i++)
		if (profile->events[i].public.event == recorded)
			return &profile->events[i];
	for (size_t i = 0; i < profile->counted_as_count; i++)
		if (profile->counted_as[i].recorded == recorded)
			return &profile->events[profile->counted_as[i].event];
	if (profile->options.counts_as)
		total = profile->options.counts_as(profile->options.user, recorded);
	if (total) {
		name = total;
		if (!find_total(profile, recorded, total, &event) || event)
			return event;
	}
	grown = realloc(profile->events, (profile->event_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	profile->events = grown;
	event = &grown[profile->event_count];
	*event = (struct profiled_event){.public = {.event = recorded}};
	if (name) {
		event->public.name = text_table_keep(&profile->texts, name);
		if (!event->public.name)
			return NULL;
	}
	event->public.exact = profile->exact_type && recorded->attr.type == profile->exact_type;
	if (item->spe)
		describe_spe(profile, event);
	profile->event_count++;
	return event;
}

uint64_t profile_period(const struct plumb_samples_item *item)
{
	const struct plumb_event_attr *attr = &item->record->event->attr;
	const uint64_t period = item->record->sample.period;

	if (item->spe)
		return period ? period : 1;
	if (attr->sample_type & (PLUMB_SAMPLE_PERIOD | PLUMB_SAMPLE_READ))
		return period;
	/* Without a period, or with a frequency in its place, every sample counts the same. */
	return attr->sample_period ? attr->sample_period : 1;
}

/* ---- Places -----------------------------------------------------------------------------------
 */

void place_look_up(struct plumb_profile *profile, const struct plumb_task *task,
		   struct plumb_frame frame, struct place *place)
{
	const bool returns = frame.returns && !profile->options.by_return_address;

	*place = (struct place){.process = task ? task_process(task) : NULL,
				.generation = profile->generation,
				.mode = frame.mode,
				.returns = returns};
	plumb_symbolizer_locate(profile->symbolizer, task, frame.mode, frame.ip - returns,
				&place->location);
	if (place->location.file && !place->location.symbol && !profile->options.unnamed_by_address)
		place->bounds = symbolizer_bounds(profile->symbolizer, place->location.file,
						  place->location.address);
	/* Only names and lines are those of the call. */
	place->location.ip = frame.ip;
	if (!place->location.symbol)
		place->location.address += returns;
}

struct place *place_find(struct plumb_profile *profile, const struct plumb_task *task,
			 struct plumb_frame frame)
{
	const struct process *process = task ? task_process(task) : NULL;
	const uint64_t words[] = {frame.ip, (uintptr_t)process, frame.mode};
	const bool returns = frame.returns && !profile->options.by_return_address;
	struct place *place = &profile->places[hash_words(words, 3) % PLACE_COUNT];

	if (place->generation == profile->generation && place->location.ip == frame.ip &&
	    place->process == process && place->mode == frame.mode && place->returns == returns)
		return place;
	place_look_up(profile, task, frame, place);
	return place;
}
