/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merged stream: the file's records, and between them the runs of SPE records that come before
 * each (samples_runs.c), as items or in batches.
 */
#include "recording/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "recording/access.h"
#include "recording/reader.h"
#include "recording/samples_stream.h"
#include "spe/data_source_perf.h"
#include "spe/perf_version.h"
#include "spe/stream.h"

int plumb_samples_begin(struct plumb_recording *recording,
			const struct plumb_samples_options *options, struct plumb_samples **samples,
			struct plumb_diagnostics *diagnostics)
{
	struct plumb_samples_options chosen = {.size = sizeof(chosen)};
	struct plumb_samples *s;

	*samples = NULL;
	if (options && !sized_read(&chosen, sizeof(chosen), options))
		return PLUMB_ERR_ARGUMENT;
	s = calloc(1, sizeof(*s));
	if (!s)
		return PLUMB_ERR_NO_MEMORY;
	decoding_begin(&s->decoding, recording, &chosen, diagnostics);
	s->order = chosen.order;
	s->rings.recording = recording;
	s->rings.chunk_limit = s->order == PLUMB_ORDER_FILE ? 0 : SIZE_MAX;
	s->attribution.tasks = recording->tasks;
	s->attribution.like_perf = perf_is_exact(chosen.like_perf);
	recording->has_stream = true;
	*samples = s;
	return 0;
}

void plumb_samples_end(struct plumb_samples *samples)
{
	if (!samples)
		return;
	rings_free(&samples->rings);
	free(samples->heap.at);
	attribution_free(&samples->attribution);
	free(samples->ahead.at);
	free(samples);
}

int samples_no_memory(const struct plumb_samples *s)
{
	plumb_diagnostics_add(s->decoding.diagnostics, PLUMB_ERROR, "no-memory", NULL,
			      "out of memory");
	return PLUMB_ERR_NO_MEMORY;
}

int samples_put_off(struct plumb_samples *s, int error)
{
	if (error == PLUMB_ERR_NO_MEMORY)
		return samples_no_memory(s);
	if (error < 0 && !s->failure)
		s->failure = error;
	return 0;
}

/* ---- Records of the file --------------------------------------------------------------------- */

int samples_update(struct plumb_samples *s, size_t chunks)
{
	int error = rings_update(&s->rings, chunks);

	if (error == PLUMB_ERR_LIMIT)
		plumb_diagnostics_add(s->decoding.diagnostics, PLUMB_ERROR, "too-many-rings", NULL,
				      "the recording has more than %d AUX rings", RINGS_LIMIT);
	if (error)
		return error == PLUMB_ERR_NO_MEMORY ? samples_no_memory(s) : error;
	if (s->rings.count && !s->decoding.decided &&
	    (recording_auxtrace_info(s->decoding.recording) || s->ended)) {
		decoding_decide(&s->decoding);
		s->attribution.timeless =
			s->decoding.synthesis.timeless || s->order == PLUMB_ORDER_FILE;
	}
	return 0;
}

/* Returns whether a record is about threads or address spaces, so that its place matters. */
static bool tells_of_tasks(uint32_t type)
{
	switch (type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
	case PLUMB_RECORD_COMM:
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
	case PLUMB_RECORD_NAMESPACES:
	case PLUMB_RECORD_ITRACE_START:
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
	case PLUMB_RECORD_KSYMBOL:
	case PLUMB_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

/* Returns up to which time, in ticks, the rings come before the file's record. */
static uint64_t limit_before(const struct plumb_samples *s, const struct plumb_record *record)
{
	if (!(record->has & PLUMB_RECORD_HAS_TIME) || s->order == PLUMB_ORDER_FILE ||
	    (s->order == PLUMB_ORDER_TASKS && !tells_of_tasks(record->type)))
		return 0;
	return decoding_ticks(&s->decoding, record->time);
}

/* Returns the ring whose next chunk stands at the file's record. */
static void choose_chunk(struct plumb_samples *s)
{
	struct ring *ring = rings_find(&s->rings, s->from_file.auxtrace.index);

	if (!ring || !s->decoding.is_spe)
		return;
	ring->chunk_limit++;
	samples_choose(s, ring, UINT64_MAX);
}

/*
 * Puts a record that tells of changed code before what the file has next, if it is due: each such
 * time only once, whether or not anyone takes it in.
 */
static void change_code(struct plumb_samples *s, int *status)
{
	const uint64_t time = s->attribution.tasks->code_changes;
	const struct plumb_record *next = &s->from_file;

	if (time == UINT64_MAX || time <= s->code_changed || *status < 0 ||
	    (*status > 0 && (!(next->has & PLUMB_RECORD_HAS_TIME) || next->time < time)))
		return;
	s->code_changed = time;
	s->held = s->from_file;
	s->held_status = *status;
	s->holds = true;
	s->from_file = (struct plumb_record){.type = PLUMB_RECORD_TEXT_POKE,
					     .has = PLUMB_RECORD_HAS_TIME,
					     .time = time,
					     .pid = -1,
					     .tid = -1};
	*status = 1;
}

int samples_read_record(struct plumb_samples *s)
{
	int status = s->held_status;

	if (s->holds)
		s->from_file = s->held;
	else
		status = recording_next(s->decoding.recording, &s->from_file);
	s->holds = false;
	change_code(s, &status);
	s->has_from_file = status > 0;
	s->ended = status <= 0;
	return samples_put_off(s, status);
}

uint64_t samples_limit(const struct plumb_samples *s)
{
	/* At the file's end, everything left is due. */
	return s->ended ? UINT64_MAX : limit_before(s, &s->from_file);
}

static int next_record(struct plumb_samples *s)
{
	int error = samples_read_record(s);

	s->due_batches = 0;
	samples_count_quiet(s);
	if (!error)
		error = samples_update(s, SIZE_MAX);
	if (error)
		return error;
	s->limit = samples_limit(s);
	if (s->has_from_file && s->order == PLUMB_ORDER_FILE &&
	    s->from_file.type == PLUMB_RECORD_AUXTRACE)
		choose_chunk(s);
	return 0;
}

/* Returns whether a sample holds the counts of its group, each with its event's id. */
static bool reads_counts(const struct plumb_record *record)
{
	return record->type == PLUMB_RECORD_SAMPLE && record->event &&
	       record->event->attr.sample_type & PLUMB_SAMPLE_READ &&
	       record->event->attr.read_format & PLUMB_FORMAT_ID;
}

/* Makes the sample of the next event whose count has grown since it was read last; false: none. */
static bool make_of_value(struct plumb_samples *s)
{
	const struct plumb_sample *sample = &s->from_file.sample;

	while (s->next_value < sample->read_count) {
		const struct plumb_read_value *value = &sample->reads[s->next_value++];
		const struct plumb_recorded_event *event;
		const uint64_t grown =
			events_count(s->decoding.recording, value->id, s->from_file.tid,
				     value->value, s->from_file.offset, &event);

		if (!grown)
			continue;
		s->sample = s->from_file;
		s->sample.event = event;
		s->sample.id = value->id;
		s->sample.sample.period = grown;
		s->sample.sample.by_member = s->from_file.id != sample->reads[0].id;
		return true;
	}
	return false;
}

/* The file's record, or the next sample that it is, into `*record`; NULL if there is none. */
static int take_from_file(struct plumb_samples *s, const struct plumb_record **record)
{
	*record = &s->from_file;
	if (!s->next_value && attribution_follow(&s->attribution, &s->from_file))
		return samples_no_memory(s);
	if (!reads_counts(&s->from_file)) {
		s->has_from_file = false;
	} else if (make_of_value(s)) {
		*record = &s->sample;
	} else {
		s->has_from_file = false;
		s->next_value = 0;
		*record = NULL;
	}
	if (*record && (*record)->type == PLUMB_RECORD_SAMPLE &&
	    !decoding_takes_sample(&s->decoding, *record))
		*record = NULL;
	return 0;
}

/* ---- The stream ------------------------------------------------------------------------------ */

/*
 * Advances to the next run (`*record` is NULL) or record of the file. Returns 1, 0 at the end, or
 * an error.
 */
static int advance(struct plumb_samples *s, const struct plumb_record **record)
{
	for (;;) {
		int status = samples_next_run(s);

		*record = NULL;
		if (status < 0)
			return status;
		if (s->count > 0)
			return 1;
		if (s->ahead.next < s->ahead.count) {
			status = samples_follow_ahead(s);
			if (status < 0)
				return status == PLUMB_ERR_NO_MEMORY ? samples_no_memory(s)
								     : status;
			continue;
		}
		if (s->has_from_file) {
			status = take_from_file(s, record);
			if (status < 0 || *record)
				return status < 0 ? status : 1;
			continue;
		}
		if (s->ended) {
			status = s->failure;
			s->failure = 0;
			return status;
		}
		status = next_record(s);
		if (status < 0)
			return status;
	}
}

/* Returns the thread of a sample, or of the current ring. */
static int find_task(struct plumb_samples *s, int32_t pid, int32_t tid,
		     const struct plumb_task **task)
{
	const struct plumb_task **known = &s->known_tasks[(uint32_t)tid % KNOWN_THREADS];
	const struct task *found;

	*task = *known;
	if (*task && (*task)->tid == tid && (pid == -1 || (*task)->pid == pid))
		return 0;
	split_lock(s);
	found = tasks_get(s->attribution.tasks, pid, tid);
	split_unlock(s);
	*task = found ? &found->public : NULL;
	/* No thread ends while parts of a stream are read. */
	if (s->split)
		*known = *task;
	return found ? 0 : samples_no_memory(s);
}

static int find_task_of(struct plumb_samples *s, const struct plumb_record *record,
			const struct plumb_task **task)
{
	const bool known = record->has & PLUMB_RECORD_HAS_PID;

	*task = NULL;
	if (record->type != PLUMB_RECORD_SAMPLE)
		return 0;
	return find_task(s, known ? record->pid : -1, known ? record->tid : -1, task);
}

/* Returns where the run's i-th record comes from. */
static inline struct synthesis_origin origin_of(const struct plumb_samples *s, size_t i)
{
	const struct ring *ring = s->current;
	struct synthesis_origin origin = {
		.place = ring_place(ring, s->run[i].offset),
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a run has a ring */
		.pid = ring->pid,
		.tid = ring->tid,
		.cpu = ring->cpu,
		.core = &ring->core,
	};

	origin.has_time = plumb_samples_time(s, &s->run[i], &origin.time);
	return origin;
}

/* Sets what the item of the run's i-th record has beside its sample. */
static void begin_item(struct plumb_samples *s, size_t i)
{
	s->item.record = &s->synthesized.record;
	s->item.spe = &s->run[i];
	s->item.groups = s->groups[i];
	s->item.ring = s->current->index;
	s->item.midr = s->current->core.midr;
}

/* Sets what all samples of the next record have in common. */
static void begin_samples(struct plumb_samples *s)
{
	const struct synthesis_origin origin = origin_of(s, s->next);

	synthesis_common(&s->decoding.synthesis, &s->run[s->next], &origin, &s->synthesized);
	begin_item(s, s->next);
}

/* Makes the sample of the lowest of the pending groups. */
static void make_sample(struct plumb_samples *s)
{
	const unsigned group = (unsigned)__builtin_ctz(s->pending);

	synthesis_sample(&s->decoding.synthesis, &s->run[s->next], group, &s->synthesized);
	s->item.group = group;
	s->pending &= s->pending - 1;
}

int plumb_samples_next(struct plumb_samples *samples, const struct plumb_samples_item **item)
{
	struct plumb_samples *s = samples;
	const struct plumb_record *record;
	int status;

	*item = &s->item;
	while (!s->pending) {
		if (s->next < s->count && ++s->next < s->count) {
			s->pending = s->groups[s->next];
		} else {
			status = advance(s, &record);
			if (status <= 0)
				return status;
			if (record) {
				s->item = (struct plumb_samples_item){.record = record};
				status = find_task_of(s, record, &s->item.task);
				return status < 0 ? status : 1;
			}
			s->pending = s->groups[0];
			status = find_task(s, s->current->pid, s->current->tid, &s->item.task);
			if (status < 0)
				return status;
		}
		if (s->decoding.each_record_once)
			s->pending = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS);
		if (s->pending)
			begin_samples(s);
	}
	make_sample(s);
	return 1;
}

uint32_t plumb_samples_take_alike(struct plumb_samples *samples)
{
	const uint32_t alike = synthesis_alike(&samples->decoding.synthesis, samples->item.group,
					       samples->pending);

	samples->pending &= ~alike;
	return alike;
}

bool samples_each_record_once(const struct plumb_samples *samples)
{
	return samples->decoding.each_record_once;
}

void samples_omit_groups(struct plumb_samples *samples)
{
	samples->omit_groups = true;
	memset(samples->groups, 0, sizeof(samples->groups));
}

void samples_sum_up(struct plumb_samples *samples, bool sources)
{
	const struct decoding *decoding = &samples->decoding;

	if (!decoding->has_filter && !sources)
		samples->rings.layouts.members = SPE_MEMBERS_SUMS;
	else if (!decoding->has_filter || decoding->operations.alone)
		samples->rings.layouts.members = SPE_MEMBERS_SOURCES;
}

void samples_leave_operations(struct plumb_samples *samples, uint32_t pmu_type)
{
	samples->decoding.operations_left = true;
	samples->decoding.operations_type = pmu_type;
}

const struct plumb_samples_item *samples_item(struct plumb_samples *samples,
					      const struct plumb_task *task, size_t i)
{
	const struct synthesis_origin origin = origin_of(samples, i);
	const struct synthesis *synthesis = &samples->decoding.synthesis;
	struct plumb_record *record = &samples->synthesized.record;

	synthesis_place(synthesis, &samples->run[i], &origin, record);
	record->event = &synthesis->events[PLUMB_SPE_GROUP_INSTRUCTIONS];
	record->id = record->stream_id = synthesis->ids[PLUMB_SPE_GROUP_INSTRUCTIONS];
	record->sample.period = synthesis->period;
	begin_item(samples, i);
	samples->item.task = task;
	samples->item.group = PLUMB_SPE_GROUP_INSTRUCTIONS;
	return &samples->item;
}

size_t samples_keep(struct plumb_samples *samples, const struct plumb_task *task,
		    bool (*wants)(void *user, const struct plumb_samples_item *item), void *user)
{
	const size_t count = samples->count;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!wants(user, samples_item(samples, task, i)))
			continue;
		samples->run[kept] = samples->run[i];
		samples->groups[kept++] = samples->groups[i];
	}
	samples->count = samples->batch.count = kept;
	return count - kept;
}

void samples_set_data_source(struct plumb_samples *samples, size_t i)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a run has a current ring */
	const struct spe_core *core = &samples->current->core;

	samples->synthesized.record.sample.data_source =
		spe_perf_data_source(&samples->run[i], core, samples->decoding.synthesis.version);
}

uint64_t samples_code(const struct plumb_samples *samples, size_t i, enum plumb_cpu_mode *mode)
{
	return synthesis_code(&samples->decoding.synthesis, &samples->run[i], mode);
}

int plumb_samples_next_batch(struct plumb_samples *samples,
			     const struct plumb_samples_batch **batch)
{
	struct plumb_samples *s = samples;
	const struct ring *ring;
	const struct plumb_record *record;
	int status = advance(s, &record);

	*batch = &s->batch;
	if (status <= 0)
		return status;
	if (record) {
		s->batch = (struct plumb_samples_batch){.record = record, .pid = -1, .tid = -1};
		s->batch.cpu = -1;
		status = find_task_of(s, record, &s->batch.task);
		return status < 0 ? status : 1;
	}
	ring = s->current;
	s->due_batches++;
	s->batch = (struct plumb_samples_batch){
		.spe = s->run,
		.groups = s->groups,
		.count = s->count,
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a run has a current ring */
		.pid = ring->pid,
		.tid = ring->tid,
		.cpu = ring->cpu,
		.ring = ring->index,
		.midr = ring->core.midr,
	};
	if (ring->tid == -1)
		return 1;
	status = find_task(s, ring->pid, ring->tid, &s->batch.task);
	return status < 0 ? status : 1;
}

/* ---- What is known so far -------------------------------------------------------------------- */

const struct plumb_task *plumb_samples_task(struct plumb_samples *samples, int32_t pid, int32_t tid)
{
	const struct plumb_task *task;

	return find_task(samples, pid, tid, &task) < 0 ? NULL : task;
}

const struct plumb_recorded_event *plumb_samples_group_event(const struct plumb_samples *samples,
							     unsigned group)
{
	const struct synthesis *synthesis = &samples->decoding.synthesis;

	if (group >= PLUMB_SPE_GROUPS || !synthesis->made ||
	    !(synthesis->groups & PLUMB_SPE_GROUP_BIT(group)))
		return NULL;
	return &synthesis->events[group];
}

const struct plumb_samples_totals *plumb_samples_totals(struct plumb_samples *samples)
{
	struct plumb_samples_totals *totals = &samples->totals;
	struct plumb_recording_losses *lost = &samples->lost;

	*lost = *plumb_recording_losses(samples->decoding.recording);
	lost->aux_first_skipped = UINT64_MAX;
	lost->samples += totals->records;
	totals->bytes = samples->rings.bytes;
	totals->lost = lost;
	for (size_t i = 0; i < samples->rings.count; i++) {
		const struct ring *ring = samples->rings.at[i];
		struct plumb_spe_stream stream = ring->stream;

		/* After everything was read, an open record is cut off. */
		if (samples->ended && !samples->current && !ring->waiting)
			plumb_spe_stream_end(&stream);
		lost->aux_skipped += stream.lost.skipped;
		lost->aux_unfinished += stream.lost.unfinished;
		if (stream.lost.skipped && ring->skipped_place < lost->aux_first_skipped)
			lost->aux_first_skipped = ring->skipped_place;
	}
	return totals;
}
