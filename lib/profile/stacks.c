/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "profile/stacks_parts.h"
#include "recording/tasks.h"

int stacks_new(const struct plumb_recording *recording, struct plumb_symbolizer *symbolizer,
	       unsigned by, struct stacks **stacks)
{
	static const uint8_t key = PLUMB_KEY_SYMBOL;
	const struct plumb_profile_options options = {
		.size = sizeof(options), .keys = &key, .key_count = 1};
	struct stacks *made = calloc(1, sizeof(*made));
	int status = made ? plumb_profile_new(&options, recording, symbolizer, &made->profile)
			  : PLUMB_ERR_NO_MEMORY;

	*stacks = NULL;
	if (status < 0) {
		free(made);
		return status;
	}
	made->by = by;
	made->by_function.words = made->by_code.words = made->by_row.words = 3;
	made->by_node.words = made->by_thread.words = 2;
	made->by_cell.words = 1;
	made->by_function.most = made->by_code.most = made->by_row.most = made->by_node.most =
		made->by_thread.most = made->by_cell.most = UINT32_MAX - 1;
	made->details_most = STACKS_DETAILS_MOST;
	made->last.node = STACKS_NONE;
	*stacks = made;
	return 0;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->functions);
	free(stacks->lines);
	free(stacks->codes);
	free(stacks->nodes);
	free(stacks->threads);
	free(stacks->rows);
	free(stacks->types);
	free(stacks->moments);
	free(stacks->cells);
	free(stacks->first);
	stacks_free_details(stacks);
	codes_free(&stacks->by_function);
	codes_free(&stacks->by_code);
	codes_free(&stacks->by_node);
	codes_free(&stacks->by_thread);
	codes_free(&stacks->by_row);
	codes_free(&stacks->by_cell);
	plumb_profile_free(stacks->profile);
	free(stacks);
}

bool stacks_reserve(void *array, size_t count, size_t *room, size_t size)
{
	const size_t wanted = *room ? 2 * *room : 64;
	void *old, *grown;

	if (count < *room)
		return true;
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, wanted, size);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*room = wanted;
	/* cppcheck-suppress memleak; the copied pointer owns it */
	return true;
}

int stacks_number(struct code_table *table, const uint64_t *words, uint32_t *number, bool *fresh)
{
	const size_t before = table->count;
	const int status = codes_find(table, words, number);

	if (status < 0)
		return PLUMB_ERR_NO_MEMORY;
	--*number;
	*fresh = table->count > before;
	return 0;
}

static int add_node(struct stacks *s, uint32_t item, uint32_t *node)
{
	const uint64_t words[2] = {*node, item};
	const struct stacks_node made = {.parent = *node, .item = item};
	bool fresh;

	if (!stacks_reserve(&s->nodes, s->node_count, &s->node_room, sizeof(*s->nodes)) ||
	    stacks_number(&s->by_node, words, node, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (fresh)
		s->nodes[s->node_count++] = made;
	return 0;
}

/* Adds the frames of an address below `*node`. */
static int add_frames(struct stacks_lookup *at, struct plumb_frame frame, uint32_t *node)
{
	struct stacks *s = at->stacks;
	const struct stacks_code *code;
	uint32_t number;
	int status;

	at->place = place_find(s->profile, at->item->task, frame);
	status = stacks_find_code(at, &number);
	if (status < 0 || s->by & STACKS_BY_ADDRESS)
		return status < 0 ? status : add_node(s, number, node);
	code = &s->codes[number];
	for (uint32_t i = code->lines; status == 0 && i-- > 0;)
		status = add_node(s, s->lines[code->first + i].function, node);
	return status;
}

static bool is_last(const struct stacks *s, const struct process *process,
		    const struct plumb_record *record, const struct plumb_frame *frames,
		    size_t depth)
{
	if (s->last.node == STACKS_NONE || s->last.process != process ||
	    s->last.generation != s->profile->generation || s->last.ip != record->sample.ip ||
	    s->last.mode != plumb_record_mode(record) || s->last.depth != depth)
		return false;
	for (size_t i = 0; i < depth; i++)
		if (s->last.frames[i].ip != frames[i].ip ||
		    s->last.frames[i].mode != frames[i].mode ||
		    s->last.frames[i].returns != frames[i].returns)
			return false;
	return true;
}

/* Finds the stack of a sample. The first address of a call chain is the sample's own. */
static int find_stack(struct stacks_lookup *at)
{
	struct stacks *s = at->stacks;
	const struct plumb_record *record = at->item->record;
	const struct process *process = at->item->task ? task_process(at->item->task) : NULL;
	const struct plumb_frame own = {.ip = record->sample.ip, .mode = plumb_record_mode(record)};
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	const size_t depth =
		plumb_symbolizer_callchain(s->profile->symbolizer, at->item->task, record, frames);
	const size_t first = depth && frames[0].ip == own.ip;
	uint32_t node = STACKS_NONE;
	int status = 0;

	if (is_last(s, process, record, frames, depth))
		return 0;
	s->last.node = STACKS_NONE;
	for (size_t i = depth; status == 0 && i-- > first;)
		status = add_frames(at, frames[i], &node);
	if (status == 0)
		status = add_frames(at, own, &node);
	if (status < 0)
		return status;
	s->last.process = process;
	s->last.generation = s->profile->generation;
	s->last.ip = own.ip;
	s->last.mode = own.mode;
	s->last.depth = depth;
	memcpy(s->last.frames, frames, depth * sizeof(*frames));
	s->last.node = node;
	return 0;
}

static int find_thread(struct stacks *s, const struct plumb_task *task, uint32_t *number)
{
	const bool asked = s->by & STACKS_BY_THREAD;
	const struct stacks_thread thread = {
		.pid = task && asked ? task->pid : -1,
		.tid = task && asked ? task->tid : -1,
		.comm = text_table_keep(&s->profile->texts, task ? task->comm : "-")};
	const uint64_t words[2] = {(uintptr_t)thread.comm,
				   (uint64_t)(uint32_t)thread.pid << 32 | (uint32_t)thread.tid};
	bool fresh;

	if (!thread.comm ||
	    !stacks_reserve(&s->threads, s->thread_count, &s->thread_room, sizeof(*s->threads)) ||
	    stacks_number(&s->by_thread, words, number, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (fresh)
		s->threads[s->thread_count++] = thread;
	return 0;
}

static int set_labels(const struct stacks_lookup *at, struct stacks_row *row)
{
	struct plumb_profile *profile = at->stacks->profile;
	const struct frame_values frame = {
		.item = at->item, .event = at->event, .place = at->place};
	const struct plumb_record *record = at->item->record;
	char room[PLUMB_PROFILE_TEXT];
	uint64_t value[2];

	if (record->has & PLUMB_RECORD_HAS_CPU && record->cpu <= INT32_MAX)
		row->cpu = (int32_t)record->cpu;
	if (!key_value(profile, PLUMB_KEY_DATA_SOURCE, &frame, value))
		return PLUMB_ERR_NO_MEMORY;
	if (!value[1])
		return 0;
	row->source = text_table_keep(&profile->texts,
				      key_text(profile, PLUMB_KEY_DATA_SOURCE, value, room));
	return row->source ? 0 : PLUMB_ERR_NO_MEMORY;
}

static int find_row(const struct stacks_lookup *at, uint32_t *number)
{
	struct stacks *s = at->stacks;
	struct stacks_row row = {.node = s->last.node, .cpu = -1};
	uint64_t words[3];
	bool fresh;

	if (find_thread(s, at->item->task, &row.thread) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (s->by & STACKS_BY_LABEL && set_labels(at, &row) < 0)
		return PLUMB_ERR_NO_MEMORY;
	words[0] = (uint64_t)row.node << 32 | row.thread;
	words[1] = (uint32_t)row.cpu;
	words[2] = (uintptr_t)row.source;
	if (!stacks_reserve(&s->rows, s->row_count, &s->row_room, sizeof(*s->rows)) ||
	    stacks_number(&s->by_row, words, number, &fresh) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (fresh)
		s->rows[s->row_count++] = row;
	return 0;
}

/* Notes when a sample was taken. Those before the first that has a time get its time. */
static void set_time(struct stacks *s, const struct plumb_record *record)
{
	if (!(record->has & PLUMB_RECORD_HAS_TIME))
		return;
	s->time = record->time;
	for (size_t i = 0; !s->timed && i < s->moment_count; i++)
		s->moments[i].time = s->time;
	for (size_t i = 0; !s->timed && i < s->detail_count; i++)
		s->details[i].time = s->time;
	s->timed = true;
}

static int add_detail(const struct stacks_lookup *at, uint32_t row, uint32_t type)
{
	struct stacks *s = at->stacks;
	const struct plumb_record *record = at->item->record;
	const struct plumb_frame own = {.ip = record->sample.ip, .mode = plumb_record_mode(record)};
	const struct frame_values frame = {.item = at->item,
					   .event = at->event,
					   .place = place_find(s->profile, at->item->task, own)};
	const struct stacks_detail detail = {
		.time = s->time,
		.period = profile_period(at->item),
		.type = type,
		.thread = s->rows[row].thread,
		.cpu = s->rows[row].cpu,
	};

	return stacks_add_detail(s, &detail, &frame);
}

static int add_sample(struct stacks *s, const struct plumb_samples_item *item)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	struct stacks_lookup at = {.stacks = s, .item = item};
	uint32_t row, type;
	int status;

	if (!item->record->event || mode == PLUMB_MODE_GUEST_KERNEL ||
	    mode == PLUMB_MODE_GUEST_USER)
		return 0;
	at.event = profiled_event_find(s->profile, item);
	if (!at.event || stacks_find_types(s, at.event, &type) < 0)
		return PLUMB_ERR_NO_MEMORY;
	status = find_stack(&at);
	if (status == 0)
		status = find_row(&at, &row);
	if (status != 0)
		return status;
	s->samples++;
	if (!at.event->public.exact)
		set_time(s, item->record);
	status = stacks_add_values(s, row, type, item);
	return status == 0 && s->by & STACKS_DETAILS && !at.event->public.exact
		       ? add_detail(&at, row, type)
		       : status;
}

int stacks_add_item(struct stacks *s, const struct plumb_samples_item *item)
{
	return item->record->type == PLUMB_RECORD_SAMPLE ? add_sample(s, item)
							 : profile_add_item(s->profile, item);
}

/* Returns where a sample was taken. */
static const struct plumb_location *locate(struct stacks *s, const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;
	const struct plumb_frame own = {.ip = record->sample.ip, .mode = plumb_record_mode(record)};

	return &place_find(s->profile, item->task, own)->location;
}

int stacks_add(struct stacks *s, struct plumb_samples *samples)
{
	return stacks_add_wanted(s, samples, NULL, NULL);
}

int stacks_add_wanted(struct stacks *s, struct plumb_samples *samples,
		      bool (*wants)(void *user, const struct plumb_samples_item *item,
				    const struct plumb_location *location),
		      void *user)
{
	const struct plumb_samples_item *item;
	int status = 0, added = 0;

	while (added == 0 && (status = plumb_samples_next(samples, &item)) > 0)
		if (!wants || item->record->type != PLUMB_RECORD_SAMPLE ||
		    wants(user, item, locate(s, item)))
			added = stacks_add_item(s, item);
	if (added == 0)
		added = stacks_finish(s);
	return added < 0 ? added : status;
}
