/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a sample to the rows that it counts for, beside the one before it. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/sums.h"
#include "symbol/symbolizer.h"

/* Which namespace of a record NAMESPACES is that of control groups. */
#define CONTROL_GROUPS_NAMESPACE 6

/* ---- Neighbours -------------------------------------------------------------------------------
 */

static uint64_t hash_lane(const void *owner, uint32_t i)
{
	return hash_words(((const struct plumb_profile *)owner)->lanes[i].key, 2);
}

static uint64_t lane_of(const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;

	if (item->spe)
		return lane_of_ring(item->ring);
	if (record->has & PLUMB_RECORD_HAS_CPU && record->cpu != UINT32_MAX)
		return (uint64_t)record->cpu << 2 | 1;
	return (uint64_t)(uint32_t)record->tid << 2 | 2;
}

struct lane *lane_find(struct plumb_profile *profile, const uint64_t key[2])
{
	struct index_table *table = &profile->by_lane;
	struct lane *lane;
	size_t at;

	if (!index_table_reserve(table, hash_lane, profile))
		return NULL;
	at = hash_words(key, 2) & table->mask;
	for (; table->slots[at] != UINT32_MAX; at = (at + 1) & table->mask) {
		lane = &profile->lanes[table->slots[at]];
		if (lane->key[0] == key[0] && lane->key[1] == key[1])
			return lane;
	}
	if (profile->lane_count == LANES_MAX) {
		lane_end(profile, &profile->lanes[0]);
		return &profile->lanes[0];
	}
	if (profile->lane_count == profile->lane_room) {
		size_t room = profile->lane_room ? 2 * profile->lane_room : 16;

		lane = realloc(profile->lanes, room * sizeof(*lane));
		if (!lane)
			return NULL;
		profile->lanes = lane;
		profile->lane_room = room;
	}
	lane = &profile->lanes[profile->lane_count];
	*lane = (struct lane){.key = {key[0], key[1]}};
	table->slots[at] = (uint32_t)profile->lane_count++;
	table->count++;
	return lane;
}

/* Adds the steps from the lane's last sample to this one, for the rows that count their callees'
 * samples; those of this sample have its mark. */
static void step_children(struct plumb_profile *profile, const struct lane *lane,
			  const uint32_t *counted, size_t count, double period)
{
	const struct pair last = {lane->period, lane->period}, gone = {0, lane->period},
			  absent = {0, period}, now = {period, period};

	for (size_t i = 0; i < lane->counted_count; i++) {
		struct row_callees *row = &profile->callees[lane->counted[i]];

		if (row->mark == profile->mark) {
			step_sums(&row->sums, last, now);
			row->mark = 0;
		} else {
			step_sums(&row->sums, last, absent);
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct row_callees *row = &profile->callees[counted[i]];

		if (row->mark == profile->mark)
			step_sums(&row->sums, gone, now);
	}
}

/* Copies a list. Returns false if out of memory. */
static bool remember(uint32_t **kept, size_t *kept_count, size_t *room, const uint32_t *list,
		     size_t count)
{
	*kept_count = 0;
	if (count == 0)
		return true;
	if (count > *room) {
		uint32_t *grown = realloc(*kept, count * sizeof(*grown));

		if (!grown)
			return false;
		*kept = grown;
		*room = count;
	}
	memcpy(*kept, list, count * sizeof(*list));
	*kept_count = count;
	return true;
}

/* ---- Samples ----------------------------------------------------------------------------------
 */

/* A sample on its way into the rows. */
struct adding {
	struct profiled_event *event;
	size_t event_index;
	const struct plumb_samples_item *item;
	const void *function; /* tells functions apart, or files without symbols; NULL: unknown */
	uint64_t period;
	bool hidden;                           /* the sample is not shown */
	uint32_t row;                          /* its own */
	uint32_t counted[PLUMB_PROFILE_DEPTH]; /* those it counts for, each once */
	size_t counted_count;
	uint32_t ends[PLUMB_PROFILE_DEPTH]; /* nodes where its paths end */
	size_t ends_count;
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	size_t frame_count;
	size_t first; /* of the frames that called: the chain's first may be the sample's own */
	/* The sample's functions and those that called them, the innermost first. */
	struct {
		uint8_t frame; /* 0: the sample's own; else of a frame, from `first` on */
		uint8_t level; /* see frame_values */
	} at[PLUMB_PROFILE_DEPTH];
	uint64_t functions[PLUMB_PROFILE_DEPTH][2]; /* likewise, if paths are kept */
	size_t function_count;
};

int row_find(struct plumb_profile *profile, const struct frame_values *frame, uint32_t *row)
{
	uint64_t values[WORDS_MAX] = {(size_t)(frame->event - profile->events)};

	for (size_t i = 0; i < profile->options.key_count; i++)
		if (!key_value(profile, profile->keys[i], frame, &values[1 + 2 * i]))
			return PLUMB_ERR_NO_MEMORY;
	return rows_find(profile, values, row);
}

/* Looks up where the i-th of the sample's functions ran. */
static struct place *place_of(struct plumb_profile *profile, const struct adding *adding, size_t i)
{
	const struct plumb_record *record = adding->item->record;
	const struct plumb_frame own = {.ip = record->sample.ip, .mode = plumb_record_mode(record)};
	const size_t frame = adding->at[i].frame;

	return place_find(profile, adding->item->task,
			  frame ? adding->frames[adding->first + frame - 1] : own);
}

static int find_row(struct plumb_profile *profile, const struct adding *adding, size_t i,
		    uint32_t *row)
{
	const struct frame_values frame = {.item = adding->item,
					   .event = adding->event,
					   .place = place_of(profile, adding, i),
					   .level = adding->at[i].level};

	return row_find(profile, &frame, row);
}

/* Adds the path that leads to, or away from, the function at `from` in the chain. */
static int add_path(struct plumb_profile *profile, struct adding *adding, uint32_t row, size_t from)
{
	const size_t count = adding->function_count;
	uint64_t path[PLUMB_PROFILE_DEPTH][2];
	uint32_t *end = &adding->ends[adding->ends_count];
	size_t length = 0;
	int status;

	if (profile->options.paths == PLUMB_PATHS_CALLEE) {
		for (size_t i = from + 1; i < count; i++, length++)
			memcpy(path[length], adding->functions[i], sizeof(path[0]));
	} else if (profile->options.children) {
		for (size_t i = from; i-- > 0; length++)
			memcpy(path[length], adding->functions[i], sizeof(path[0]));
	} else {
		for (size_t i = count; i-- > 1; length++)
			memcpy(path[length], adding->functions[i], sizeof(path[0]));
	}
	status = paths_add(profile, adding->event, row, path, length, adding->period, end);
	adding->ends_count += *end != NO_ROW;
	return status;
}

/*
 * Lists the functions at a frame: with those inlined there, as far as there is room for `left`
 * frames after it.
 */
static int add_functions(struct plumb_profile *profile, struct adding *adding, uint8_t frame,
			 size_t left)
{
	const size_t room = PLUMB_PROFILE_DEPTH - adding->function_count - left - 1;
	struct place *place = NULL;
	unsigned levels = 0;

	adding->at[adding->function_count].frame = frame;
	if (profile->unfolds || profile->options.paths)
		place = place_of(profile, adding, adding->function_count);
	if (profile->unfolds && !place_unfold(profile, place))
		return PLUMB_ERR_NO_MEMORY;
	if (profile->unfolds)
		levels = place->levels;
	for (unsigned level = 0; level <= levels; level++) {
		const size_t i = adding->function_count;

		if (level >= room && level < levels)
			continue;
		adding->at[i].frame = frame;
		adding->at[i].level = (uint8_t)level;
		if (profile->options.paths &&
		    !(profile->unfolds
			      ? place_function(profile, place, level, false, adding->functions[i])
			      : place_symbol(profile, place, adding->functions[i])))
			return PLUMB_ERR_NO_MEMORY;
		adding->function_count++;
	}
	return 0;
}

/* Lists the functions of the sample and of its call chain. */
static int find_functions(struct plumb_profile *profile, struct adding *adding)
{
	size_t frames;
	int status = 0;

	adding->first =
		adding->frame_count && adding->frames[0].ip == adding->item->record->sample.ip;
	frames = adding->frame_count - adding->first + 1;
	for (size_t i = 0; status == 0 && i < frames; i++)
		status = add_functions(profile, adding, (uint8_t)i, frames - 1 - i);
	return status;
}

static bool is_counted(const struct adding *adding, uint32_t row)
{
	for (size_t i = 0; i < adding->counted_count; i++)
		if (adding->counted[i] == row)
			return true;
	return false;
}

/*
 * Counts the sample for each of its callers' rows, once for each. The path of a recursive function
 * begins at its first call: the outermost for paths from callers.
 */
static int count_callers(struct plumb_profile *profile, struct adding *adding)
{
	const bool outermost = profile->options.paths == PLUMB_PATHS_CALLER;
	int status = 0;

	for (size_t i = 1; status == 0 && i < adding->function_count; i++) {
		const size_t at = outermost ? adding->function_count - i : i;
		uint32_t row;

		status = find_row(profile, adding, at, &row);
		if (status < 0 || is_counted(adding, row))
			continue;
		adding->counted[adding->counted_count++] = row;
		if (profile->options.paths)
			status = add_path(profile, adding, row, at);
	}
	return status;
}

/*
 * Ends the last window of a group, after which the function went on if it `stayed`: then what was
 * counted in it is all of that function's. One with more events than there is room for is left out.
 */
static void end_window(struct plumb_profile *profile, struct last_window *window, bool stayed)
{
	for (size_t i = 0; stayed && window->count < LEFT_MAX && i < window->count; i++) {
		double *batches = profile->rows[window->at[i].row].batches;

		if (batches)
			batches[ROW_STAYED(window->kind) + window->batch] += window->at[i].period;
	}
	window->count = 0;
}

/*
 * Begins with a record: the first of the events that it is a sample of is the group's leader, whose
 * lane knows where the window of all of them began. A strobed window belongs to the batch of the
 * leader's sample that began it; without that sample it would be a long one.
 */
static int begin_window(struct plumb_profile *profile, struct lane *lane,
			const struct adding *adding)
{
	const bool strobed = adding->item->record->sample.by_member;
	const bool stayed = lane->begun && adding->function && lane->function == adding->function;

	if (!lane->window)
		lane->window = calloc(1, sizeof(*lane->window));
	if (!lane->window)
		return PLUMB_ERR_NO_MEMORY;
	end_window(profile, lane->window, stayed);
	profile->kind = strobed ? WINDOW_NEAR : WINDOW_FAR;
	profile->batch = (profile->batch + !strobed) % PROFILE_BATCHES;
	profile->torn =
		!lane->begun ||
		(strobed && (lane->strobed ||
			     adding->period > adding->event->public.event->attr.sample_period / 2));
	profile->within = !profile->torn && stayed;
	profile->left = profile->torn || profile->within ? NO_ROW : lane->row;
	profile->leader = (size_t)(lane - profile->lanes);
	lane->window->kind = profile->kind;
	lane->window->batch = profile->batch;
	return 0;
}

/* Adds to a window within a function. */
static void add_to_window(struct last_window *window, uint32_t row, double period)
{
	if (window->count == LEFT_MAX)
		return;
	window->at[window->count].row = row;
	window->at[window->count++].period = period;
}

/* Adds to the row's batch, which is the same for all events that a record is a sample of. */
static int add_to_batch(struct plumb_profile *profile, struct lane *lane,
			const struct adding *adding)
{
	struct row *row = &profile->rows[adding->row];
	const double period = (double)adding->period;

	if (adding->item->record->offset != profile->last_offset &&
	    begin_window(profile, lane, adding) < 0)
		return PLUMB_ERR_NO_MEMORY;
	profile->last_offset = adding->item->record->offset;
	lane->function = adding->function;
	lane->strobed = profile->kind == WINDOW_NEAR;
	if (!row->batches)
		row->batches = calloc(ROW_ROOM, sizeof(*row->batches));
	if (!row->batches)
		return PLUMB_ERR_NO_MEMORY;
	if (profile->left != NO_ROW && profile->rows[profile->left].batches &&
	    adding->event_index < LEFT_MAX)
		profile->rows[profile->left]
			.batches[ROW_LEFT(profile->kind) + adding->event_index] += period;
	row->batches[profile->batch] += period;
	if (profile->within) {
		row->batches[ROW_WITHIN(profile->kind) + profile->batch] += period;
		add_to_window(profile->lanes[profile->leader].window, adding->row, period);
	} else if (!profile->torn)
		row->batches[ROW_ENTERED(profile->kind)] += period;
	return 0;
}

/*
 * Adds a sample of an exact profile of a sampled run to the sums of its group of windows. Returns
 * false if out of memory.
 */
static bool add_to_group(struct plumb_profile *profile, const struct adding *adding)
{
	struct profiled_event *event = adding->event;
	const double period = (double)adding->period;
	struct groups_stream stream;

	if (!event->public.exact ||
	    !(event->public.event->attr.sample_type & PLUMB_SAMPLE_STREAM_ID) ||
	    !groups_read(adding->item->record->stream_id, &stream))
		return true;
	groups_know(&profile->grouping, &stream);
	if (stream.group && !(event->groups_known & 1u << stream.group)) {
		event->groups_known |= 1u << stream.group;
		event->public.windows = add_saturating(event->public.windows, stream.windows);
	}
	for (size_t i = 0; i < adding->counted_count; i++)
		if (!groups_add(&profile->callees[adding->counted[i]].groups, stream.group, period))
			return false;
	for (size_t i = 0; i < adding->ends_count; i++)
		if (!groups_add(&profile->nodes[adding->ends[i]].groups, stream.group, period))
			return false;
	return groups_add(&profile->rows[adding->row].groups, stream.group, period) &&
	       groups_add(&event->groups, stream.group, period);
}

/* Keeps account of which samples, and which rows, are shown. */
static void note_shown(struct plumb_profile *profile, const struct adding *adding)
{
	for (size_t i = 0; i < adding->counted_count; i++) {
		const size_t row = adding->counted[i];

		/* That of samples that are not shown stays hidden. */
		if (!adding->hidden)
			profile->rows[row].hidden = false;
		else if (!profile->callees[row].sums.samples)
			profile->rows[row].hidden = true;
	}
	if (!adding->hidden)
		return;
	adding->event->not_shown[0]++;
	adding->event->not_shown[1] = add_saturating(adding->event->not_shown[1], adding->period);
}

/* Adds a sample to its rows and to its lane. */
static int add_values(struct plumb_profile *profile, const struct adding *adding)
{
	const uint64_t key[] = {adding->event_index, lane_of(adding->item)};
	struct lane *lane = lane_find(profile, key);
	struct profiled_event *event = adding->event;
	const double period = (double)adding->period;
	struct record_values values = {0};

	if (!lane)
		return PLUMB_ERR_NO_MEMORY;
	if (adding->item->spe)
		values = record_values(adding->item->spe);
	if (adding->item->spe && profile->latencies.kind_count &&
	    (!latencies_reserve(&profile->latencies, adding->row) ||
	     latencies_add(&profile->latencies, adding->row, adding->item->spe) < 0))
		return PLUMB_ERR_NO_MEMORY;
	if (profile->options.batches && add_to_batch(profile, lane, adding) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (!add_to_group(profile, adding))
		return PLUMB_ERR_NO_MEMORY;
	if (profile->options.shows)
		note_shown(profile, adding);
	for (size_t i = 0; i < adding->counted_count; i++) {
		add_sums(&profile->callees[adding->counted[i]].sums, adding->period);
		profile->callees[adding->counted[i]].mark = profile->mark;
	}
	add_sums(&profile->rows[adding->row].own, adding->period);
	if (adding->item->spe)
		add_record(profile, lane, adding->row, &values);
	if (lane->begun) {
		step_own(profile, lane, adding->row, period);
		step_children(profile, lane, adding->counted, adding->counted_count, period);
		paths_step(profile, lane, adding->ends, adding->ends_count, period);
		event->pairs++;
		event->steps += (period - lane->period) * (period - lane->period);
	}
	lane->begun = true;
	lane->period = period;
	lane->row = adding->row;
	event->public.samples++;
	event->public.not_retired += adding->item->spe && is_not_retired(adding->item->spe);
	event->public.period = add_saturating(event->public.period, adding->period);
	event->public.latencies |= values.has_latency;
	event->public.l1d_accesses |= values.accesses;
	event->public.branches |= values.branches;
	event->latency += values.latency;
	event->members += adding->period != 0;
	event->periods[0] += period;
	event->periods[1] += period * period;
	event->periods[2] += period * period * period;
	return remember(&lane->counted, &lane->counted_count, &lane->counted_room, adding->counted,
			adding->counted_count) &&
			       remember(&lane->ends, &lane->ends_count, &lane->ends_room,
					adding->ends, adding->ends_count)
		       ? 0
		       : PLUMB_ERR_NO_MEMORY;
}

/* Adds a sample that is not shown to the row for these. */
static int add_hidden(struct plumb_profile *profile, struct adding *adding)
{
	int status = 0;

	if (profile->row_count >= profile->options.rows_max)
		status = rows_give_up(profile);
	if (status == 0)
		status = rows_find_hidden(profile, adding->event_index, &adding->row);
	return status < 0 ? status : add_values(profile, adding);
}

static int add_rows(struct plumb_profile *profile, struct adding *adding)
{
	const struct plumb_profile_options *options = &profile->options;
	int status;

	profile->mark++;
	if (adding->hidden && !(options->children && options->shows_callers))
		return add_hidden(profile, adding);
	if (options->children || options->paths)
		adding->frame_count =
			plumb_symbolizer_callchain(profile->symbolizer, adding->item->task,
						   adding->item->record, adding->frames);
	adding->event->public.chains |= adding->frame_count > 0;
	status = find_functions(profile, adding);
	if (status == 0 && profile->row_count + adding->function_count > options->rows_max)
		status = rows_give_up(profile);
	if (status == 0)
		status = find_row(profile, adding, 0, &adding->row);
	if (status == 0 && options->paths)
		status = add_path(profile, adding, adding->row, 0);
	if (status == 0 && options->children) {
		adding->counted[adding->counted_count++] = adding->row;
		status = count_callers(profile, adding);
	}
	return status < 0 ? status : add_values(profile, adding);
}

/* Tells whether samples of an event are added. The next sample is mostly of the same event. */
static bool is_taken(struct plumb_profile *profile, const struct plumb_recorded_event *event)
{
	if (!profile->options.takes)
		return true;
	if (event != profile->last_event) {
		profile->last_event = event;
		profile->last_taken = profile->options.takes(profile->options.user, event);
	}
	return profile->last_taken;
}

static int add_sample(struct plumb_profile *profile, const struct plumb_samples_item *item)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	const struct plumb_frame own = {.ip = item->record->sample.ip, .mode = mode};
	struct adding adding;
	struct place *place;

	if (!item->record->event || mode == PLUMB_MODE_GUEST_KERNEL ||
	    mode == PLUMB_MODE_GUEST_USER || !is_taken(profile, item->record->event))
		return 0;
	if (profile->options.branches)
		return branches_are_in(item) ? branches_add(profile, item) : 0;
	adding.event = profiled_event_find(profile, item);
	if (!adding.event)
		return PLUMB_ERR_NO_MEMORY;
	place = place_find(profile, item->task, own);
	if (profile->options.wants &&
	    !profile->options.wants(profile->options.user, item, &place->location)) {
		adding.event->public.left_out++;
		adding.event->public.left_out_period =
			add_saturating(adding.event->public.left_out_period, profile_period(item));
		return 0;
	}
	adding.hidden = profile->options.shows &&
			!profile->options.shows(profile->options.user, item, &place->location);
	adding.event_index = (size_t)(adding.event - profile->events);
	adding.item = item;
	adding.function = place->location.symbol ? (const void *)place->location.symbol
			  : place->bounds        ? (const void *)place->bounds
						 : place->location.file;
	adding.period = profile_period(item);
	adding.row = NO_ROW;
	adding.counted_count = adding.ends_count = 0;
	adding.frame_count = adding.function_count = 0;
	return add_rows(profile, &adding);
}

static bool name_control_group(struct plumb_profile *profile, const struct plumb_record *record)
{
	const char *name = text_table_keep(&profile->texts, record->cgroup.path);

	return name &&
	       numbered_set(&profile->control_groups.names, record->cgroup.id, (uintptr_t)name, 0);
}

static bool set_namespaces(struct plumb_profile *profile, const struct plumb_record *record)
{
	const uint64_t *all = record->namespaces.namespaces;
	const size_t first = 2 * (size_t)CONTROL_GROUPS_NAMESPACE;

	if (record->namespaces.count <= CONTROL_GROUPS_NAMESPACE)
		return true;
	return numbered_set(&profile->control_groups.namespaces, (uint32_t)record->namespaces.tid,
			    all[first], all[first + 1]);
}

/* A new thread has none until a record says so. */
static bool forget_namespaces(struct plumb_profile *profile, uint32_t tid)
{
	return !numbered_find(&profile->control_groups.namespaces, tid) ||
	       numbered_set(&profile->control_groups.namespaces, tid, 0, 0);
}

int profile_add_item(struct plumb_profile *profile, const struct plumb_samples_item *item)
{
	switch (item->record->type) {
	case PLUMB_RECORD_SAMPLE:
		return add_sample(profile, item);
	case PLUMB_RECORD_CGROUP:
		if (!name_control_group(profile, item->record))
			return PLUMB_ERR_NO_MEMORY;
		return plumb_symbolizer_add(profile->symbolizer, item->record);
	case PLUMB_RECORD_NAMESPACES:
		if (!set_namespaces(profile, item->record))
			return PLUMB_ERR_NO_MEMORY;
		return plumb_symbolizer_add(profile->symbolizer, item->record);
	case PLUMB_RECORD_FORK:
		if (!forget_namespaces(profile, (uint32_t)item->record->task.tid))
			return PLUMB_ERR_NO_MEMORY;
		__attribute__((fallthrough));
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
	case PLUMB_RECORD_KSYMBOL:
	case PLUMB_RECORD_TEXT_POKE:
		profile->generation++;
		__attribute__((fallthrough));
	case PLUMB_RECORD_COMM:
	case PLUMB_RECORD_EXIT:
		profile->tasks_generation++;
		return plumb_symbolizer_add(profile->symbolizer, item->record);
	default:
		return plumb_symbolizer_add(profile->symbolizer, item->record);
	}
}
