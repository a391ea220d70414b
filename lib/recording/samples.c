/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merged stream. Before a record of the file is given, all SPE records that are older are: a
 * heap has the rings by their next record's time, and the first of them is decoded until it is no
 * longer the oldest. Which samples come, in what order, and whose they are is perf 6.1's behaviour
 * (tools/perf/util/arm-spe.c), so that its output can be compared.
 */
#include <plumb/samples.h>

#include <stdlib.h>

#include "recording/decoding.h"
#include "recording/owners.h"
#include "recording/reader.h"
#include "recording/ring_heap.h"
#include "recording/rings.h"

struct plumb_samples {
	struct decoding decoding;
	struct rings rings;
	struct ring_heap heap;
	struct owners owners;
	struct plumb_samples_totals totals;

	struct plumb_record from_file;
	bool has_from_file; /* to be given when all that is older was */
	size_t next_value;  /* of those that it read, if it is a sample that reads counters */
	bool ended;         /* the file's records were all given */
	bool contexts;      /* context packets tell the threads */
	uint64_t limit;     /* ticks; what is older is due. UINT64_MAX: all is */

	struct ring *current; /* that is being decoded */
	uint64_t bound;       /* ticks up to which it is */
	size_t next_timeless; /* index of the ring whose turn is next */
	size_t begun_chunks;  /* chunks whose rings are in the heap */

	uint32_t pending; /* groups of the current record that are yet to be given */
	uint32_t groups;  /* all of its */
	struct synthesis_origin origin;
	struct plumb_record
		sample; /* that was made of an SPE record, or of a value that was read */
};

int plumb_samples_begin(struct plumb_recording *recording,
			const struct plumb_samples_options *options, struct plumb_samples **samples,
			struct plumb_diagnostics *found)
{
	struct plumb_samples *s = calloc(1, sizeof(*s));

	*samples = NULL;
	if (!s || owners_begin(&s->owners)) {
		free(s);
		return PLUMB_ERR_NO_MEMORY;
	}
	decoding_begin(&s->decoding, recording, options, found);
	s->rings.recording = recording;
	*samples = s;
	return 0;
}

void plumb_samples_end(struct plumb_samples *samples)
{
	if (!samples)
		return;
	rings_free(&samples->rings);
	free(samples->heap.at);
	owners_free(&samples->owners);
	free(samples);
}

/* ---- Whose a record is
 * --------------------------------------------------------------------------- */

/* What is known of the ring's CPU or thread. */
static void locate(struct plumb_samples *s, struct ring *ring)
{
	int32_t tid = owners_running(&s->owners, ring->cpu);

	ring->tid = tid != -1 ? tid : ring->ring_tid;
	ring->pid = ring->tid == -1 ? -1 : owners_pid(&s->owners, ring->tid);
}

/* The thread that a context packet names. */
static int follow_context(struct plumb_samples *s, struct ring *ring)
{
	const struct plumb_spe_record *record = &ring->record;
	bool el2 = record->has & PLUMB_SPE_HAS_CONTEXT_EL2;
	bool timeless = s->decoding.synthesis.timeless;
	int32_t tid = (int32_t)record->contexts[el2];

	if (!el2 && !(record->has & PLUMB_SPE_HAS_CONTEXT_EL1))
		return 0;
	/* Timeless, perf goes by the ring; which may be none's. */
	if (tid == -1 || (timeless && ring->ring_tid != -1))
		return 0;
	if (timeless && s->decoding.synthesis.like_perf_6_1)
		return 0;
	s->contexts = true;
	if (owners_run(&s->owners, ring->cpu, -1, tid))
		return PLUMB_ERR_NO_MEMORY;
	ring->tid = tid;
	ring->pid = owners_pid(&s->owners, tid);
	return 0;
}

static int follow_switch(struct plumb_samples *s, const struct plumb_record *record)
{
	const bool wide = record->type == PLUMB_RECORD_SWITCH_CPU_WIDE;
	const bool out = record->context_switch.out;
	int32_t cpu = (int32_t)record->cpu;

	if (!(record->has & PLUMB_RECORD_HAS_CPU))
		return 0;
	if (wide && out)
		return owners_run(&s->owners, cpu, record->context_switch.next_prev_pid,
				  record->context_switch.next_prev_tid);
	if (!(record->has & PLUMB_RECORD_HAS_PID))
		return 0;
	/* Of one that is not CPU-wide, perf takes who goes for who comes. */
	if (s->decoding.synthesis.like_perf_6_1 ? out : !out)
		return owners_run(&s->owners, cpu, record->pid, record->tid);
	return 0;
}

/* A record of the file, which is about to be given. */
static int follow(struct plumb_samples *s, const struct plumb_record *record)
{
	const bool truthful = !s->decoding.synthesis.like_perf_6_1;
	int error = 0;

	if (s->contexts || s->decoding.synthesis.timeless)
		return owners_follow(&s->owners, record);
	if (record->type == PLUMB_RECORD_SWITCH || record->type == PLUMB_RECORD_SWITCH_CPU_WIDE)
		error = follow_switch(s, record);
	else if (record->type == PLUMB_RECORD_ITRACE_START && truthful &&
		 record->has & PLUMB_RECORD_HAS_CPU &&
		 owners_running(&s->owners, (int32_t)record->cpu) == -1)
		error = owners_run(&s->owners, (int32_t)record->cpu, record->itrace_start.pid,
				   record->itrace_start.tid);
	return error ? error : owners_follow(&s->owners, record);
}

/* ---- Which record is next
 * ------------------------------------------------------------------------ */

static bool matches(const struct plumb_samples *s, const struct plumb_spe_record *record)
{
	const struct synthesis_origin *from = &s->origin;
	const struct plumb_spe_origin origin = {
		.pid = from->pid,
		.tid = from->tid,
		.cpu = from->cpu,
		.has_time = from->has_time,
		.time = from->time,
	};

	return !s->decoding.has_filter ||
	       plumb_spe_filter_matches(&s->decoding.filter, record, &origin);
}

/* Where the ring's record is from. */
static void trace(struct plumb_samples *s, struct ring *ring)
{
	const struct plumb_spe_record *record = &ring->record;
	const struct synthesis *synthesis = &s->decoding.synthesis;

	if (!ring->has_midr)
		ring->midr = decoding_midr(&s->decoding, ring->cpu);
	ring->has_midr = true;
	s->origin = (struct synthesis_origin){
		.place = ring_place(ring, record->offset),
		.pid = ring->pid,
		.tid = ring->tid,
		.cpu = ring->cpu,
		.midr = ring->midr,
	};
	if (synthesis->timeless)
		return;
	s->origin.has_time = synthesis->like_perf_6_1 || record->has & PLUMB_SPE_HAS_TIMESTAMP;
	s->origin.time = plumb_time_from_ticks(&s->decoding.clock, record->timestamp);
}

/* Puts the ring's record into its groups: s->pending is what is to be given of it. */
static void sort(struct plumb_samples *s, struct ring *ring)
{
	const uint32_t instructions = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS);
	const struct synthesis *synthesis = &s->decoding.synthesis;

	s->groups = synthesis_groups(synthesis, &ring->record) & synthesis->groups;
	s->pending = s->groups;
	if (s->groups & instructions) {
		if (++ring->since < synthesis->period)
			s->pending &= ~instructions;
		else
			ring->since = 0;
	}
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		s->totals.groups[i] += s->pending >> i & 1;
	if (s->decoding.each_record_once)
		s->pending = instructions;
}

/* The ring's record is due. */
static int take_record(struct plumb_samples *s, struct ring *ring)
{
	int error = follow_context(s, ring);

	if (error)
		return error;
	s->totals.records++;
	trace(s, ring);
	if (!matches(s, &ring->record))
		return 0;
	s->totals.matched++;
	sort(s, ring);
	return 0;
}

/* Lets the oldest ring be the current one; false if none is due. */
static bool choose_ring(struct plumb_samples *s)
{
	struct ring_heap *heap = &s->heap;

	if (!heap->count || (heap->at[0].ticks >= s->limit && s->limit != UINT64_MAX))
		return false;
	s->current = ring_heap_take(heap);
	s->current->waiting = false;
	s->bound = s->limit;
	if (heap->count && heap->at[0].ticks < s->limit)
		s->bound = heap->at[0].ticks + 1;
	if (!s->contexts)
		locate(s, s->current);
	return true;
}

/* Puts the current ring, which has a record, back among the others. */
static int put_back(struct plumb_samples *s, struct ring *ring)
{
	if (!ring_heap_add(&s->heap, ring, ring->ticks))
		return PLUMB_ERR_NO_MEMORY;
	ring->waiting = true;
	return 0;
}

/* The next record of the current ring; 0 if it is not due, or there is none. */
static int next_of_current(struct plumb_samples *s)
{
	struct ring *ring = s->current;
	int status = ring_next(&s->rings, ring);

	if (status < 0)
		return status;
	if (status == 0) {
		s->current = NULL;
		return 0;
	}
	if (ring->record.timestamp > ring->ticks)
		ring->ticks = ring->record.timestamp;
	if (s->decoding.synthesis.timeless || ring->ticks < s->bound || s->bound == UINT64_MAX)
		return 1;
	s->current = NULL;
	return put_back(s, ring);
}

/* Rings that have got data join the heap with their first record. */
static int begin_rings(struct plumb_samples *s)
{
	for (size_t i = 0; i < s->rings.count; i++) {
		struct ring *ring = s->rings.at[i];
		int status;

		if (ring->waiting || ring == s->current)
			continue;
		status = ring_next(&s->rings, ring);
		if (status < 0)
			return status;
		if (status == 0)
			continue;
		if (ring->record.timestamp > ring->ticks)
			ring->ticks = ring->record.timestamp;
		status = put_back(s, ring);
		if (status)
			return status;
	}
	s->begun_chunks = s->rings.chunks_seen;
	return 0;
}

/* perf begins each ring with a record of nothing. */
static void sort_nothing(struct plumb_samples *s, struct ring *ring)
{
	ring->record = (struct plumb_spe_record){0};
	trace(s, ring);
	sort(s, ring);
}

static bool choose_timeless(struct plumb_samples *s)
{
	if (!s->ended || s->next_timeless == s->rings.count)
		return false;
	s->current = s->rings.at[s->next_timeless++];
	locate(s, s->current);
	if (s->decoding.synthesis.like_perf_6_1)
		sort_nothing(s, s->current);
	return true;
}

/* Advances until a record's samples are pending, or no record is due. Returns 0, or an error. */
static int next_record(struct plumb_samples *s)
{
	const bool timeless = s->decoding.synthesis.timeless;
	int status = 0;

	if (!s->decoding.is_spe)
		return 0;
	if (!timeless && s->limit && s->begun_chunks != s->rings.chunks_seen)
		status = begin_rings(s);
	while (status >= 0 && !s->pending) {
		if (s->current) {
			status = next_of_current(s);
			if (status <= 0)
				continue;
		} else if (timeless) {
			if (!choose_timeless(s))
				return 0;
			continue;
		} else if (!choose_ring(s)) {
			return 0;
		}
		status = take_record(s, s->current);
	}
	return status < 0 ? status : 0;
}

/* ---- The stream
 * ---------------------------------------------------------------------------------- */

static int no_memory(const struct plumb_samples *s, int error)
{
	if (error == PLUMB_ERR_NO_MEMORY)
		plumb_diagnostics_add(s->decoding.found, PLUMB_ERROR, "no-memory", NULL,
				      "out of memory");
	else if (error == PLUMB_ERR_LIMIT)
		plumb_diagnostics_add(s->decoding.found, PLUMB_ERROR, "too-many-rings", NULL,
				      "the recording has more than %d AUX rings", RINGS_LIMIT);
	return error;
}

/* Takes in the AUX data that is known of now, and how it is decoded. */
static int update(struct plumb_samples *s)
{
	int error = rings_update(&s->rings);

	if (!error && s->rings.count && !s->decoding.decided &&
	    (plumb_recording_auxtrace_info(s->decoding.recording) || s->ended))
		decoding_decide(&s->decoding);
	return no_memory(s, error);
}

/* The file's next record becomes the one to give; at the end, all that is left is due. */
static int read_record(struct plumb_samples *s)
{
	int status = plumb_recording_next(s->decoding.recording, &s->from_file);
	int error;

	if (status < 0)
		return status;
	s->has_from_file = status > 0;
	s->ended = status == 0;
	error = update(s);
	if (error)
		return error;
	s->limit = s->ended ? UINT64_MAX : 0;
	if (s->has_from_file && s->from_file.has & PLUMB_RECORD_HAS_TIME)
		s->limit = decoding_ticks(&s->decoding, s->from_file.time);
	return 0;
}

/* Gives the lowest of the pending groups. */
static int give_sample(struct plumb_samples *s, struct plumb_samples_item *item)
{
	unsigned group = (unsigned)__builtin_ctz(s->pending);

	s->pending &= s->pending - 1;
	synthesis_sample(&s->decoding.synthesis, &s->current->record, &s->origin, group,
			 &s->sample);
	*item = (struct plumb_samples_item){
		.record = &s->sample,
		.spe = &s->current->record,
		.group = group,
		.groups = s->groups,
		.ring = s->current->index,
	};
	return 1;
}

/* A sample with the counts of its group; by their ids it is known whose they are. */
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
			events_count(s->decoding.recording, value->id, value->value, &event);

		if (!grown)
			continue;
		s->sample = s->from_file;
		s->sample.event = event;
		s->sample.id = value->id;
		s->sample.sample.period = grown;
		return true;
	}
	return false;
}

/* Gives the file's record, or the next sample of it; 0 if there is none, or the filter is against
 * it. */
static int give_from_file(struct plumb_samples *s, struct plumb_samples_item *item)
{
	const struct plumb_record *record = &s->from_file;
	int error = s->next_value ? 0 : follow(s, record);

	if (!error && reads_counts(record) && make_of_value(s)) {
		record = &s->sample;
	} else {
		const bool was_given = reads_counts(record);

		s->has_from_file = false;
		s->next_value = 0;
		if (error || was_given)
			return no_memory(s, error);
	}
	if (record->type == PLUMB_RECORD_SAMPLE && !decoding_takes_sample(&s->decoding, record))
		return 0;
	*item = (struct plumb_samples_item){.record = record};
	return 1;
}

int plumb_samples_next(struct plumb_samples *samples, struct plumb_samples_item *item)
{
	for (;;) {
		int status = samples->pending ? 0 : next_record(samples);

		if (status < 0)
			return no_memory(samples, status);
		if (samples->pending && samples->current)
			return give_sample(samples, item);
		if (samples->has_from_file)
			status = give_from_file(samples, item);
		else if (samples->ended)
			return 0;
		else
			status = read_record(samples);
		if (status)
			return status;
	}
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

bool plumb_samples_timeless(const struct plumb_samples *samples)
{
	return samples->decoding.synthesis.timeless;
}

void plumb_samples_totals(const struct plumb_samples *samples, struct plumb_samples_totals *totals)
{
	*totals = samples->totals;
	totals->bytes = samples->rings.bytes;
	totals->first_skipped = UINT64_MAX;
	for (size_t i = 0; i < samples->rings.count; i++) {
		const struct ring *ring = samples->rings.at[i];
		struct plumb_spe_stream stream = ring->stream;

		if (samples->ended && !samples->heap.count && !samples->current)
			plumb_spe_stream_end(&stream);
		totals->skipped += stream.skipped;
		totals->unfinished += stream.unfinished;
		if (stream.skipped && ring->skipped_place < totals->first_skipped)
			totals->first_skipped = ring->skipped_place;
	}
	decoding_add_losses(&samples->decoding, totals);
}
