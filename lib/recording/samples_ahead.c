/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/samples_ahead.h"

#include <stdlib.h>

#include "recording/access.h"
#include "recording/samples_stream.h"

/* Switches in a row, before others are read ahead. */
#define SWITCHES_MIN 16
/* As many are worth it, unless the file ends; and as many are kept. */
#define AHEAD_MIN 1024
#define AHEAD_MAX 65536

static bool is_switch(const struct plumb_record *record)
{
	return record->type == PLUMB_RECORD_SWITCH || record->type == PLUMB_RECORD_SWITCH_CPU_WIDE;
}

/* Returns whether a record that is no switch changes nothing, wherever it stands. */
static bool is_idle(const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_AUX:
	case PLUMB_RECORD_AUXTRACE:
	case PLUMB_RECORD_FINISHED_ROUND:
		return true;
	default:
		return false;
	}
}

void samples_count_quiet(struct plumb_samples *s)
{
	if (s->has_from_file && is_switch(&s->from_file))
		s->quiet++;
	else if (!s->has_from_file || !is_idle(&s->from_file))
		s->quiet = 0;
}

/* Returns how many chunks of AUX data are known: at least `count`. */
static size_t known_chunks(const struct plumb_samples *s, size_t count)
{
	while (recording_aux_chunk(s->rings.recording, count))
		count++;
	return count;
}

static bool reserve(struct switches_ahead *ahead)
{
	const size_t room = ahead->room ? 2 * ahead->room : SWITCHES_MIN;
	struct switch_ahead *grown;

	if (ahead->count < ahead->room)
		return true;
	if (ahead->count >= AHEAD_MAX)
		return false;
	grown = reallocarray(ahead->at, room, sizeof(*grown));
	if (!grown)
		return false;
	ahead->at = grown;
	ahead->room = room;
	return true;
}

/* Takes the file's record as one of those ahead. Returns false if that is impossible. */
static bool take(struct plumb_samples *s, size_t chunks)
{
	struct switches_ahead *ahead = &s->ahead;
	struct attribution_switch change = {.cpu = NO_SWITCH};

	if (!s->has_from_file)
		return false;
	if (is_idle(&s->from_file))
		return true;
	/* A thread that is not known yet changes more than its CPU's records. */
	if (!is_switch(&s->from_file) || !reserve(ahead) ||
	    ahead->limit < (ahead->count ? ahead->at[ahead->count - 1].limit : 1) ||
	    (attribution_find_switch(&s->attribution, &s->from_file, &change) && change.tid != -1 &&
	     !tasks_has(s->attribution.tasks, change.pid, change.tid)))
		return false;
	ahead->at[ahead->count++] = (struct switch_ahead){
		.limit = ahead->limit, .chunks = chunks, .cpu = change.cpu, .tid = change.tid};
	return true;
}

bool samples_read_ahead(struct plumb_samples *s)
{
	struct switches_ahead *ahead = &s->ahead;

	if (s->quiet < SWITCHES_MIN || ahead->next < ahead->count || !s->has_from_file ||
	    !is_switch(&s->from_file) || s->decoding.synthesis.timeless)
		return false;
	s->quiet = 0;
	ahead->count = ahead->next = 0;
	ahead->limit = s->limit;
	for (size_t chunks = s->rings.chunks_seen; take(s, chunks);
	     chunks = known_chunks(s, chunks)) {
		const int error = samples_read_record(s);

		if (error < 0)
			s->failure = error;
		ahead->limit = samples_limit(s);
	}
	return ahead->count >= AHEAD_MIN || (ahead->count && s->ended);
}

static int follow(struct plumb_samples *s, const struct switch_ahead *ahead)
{
	return ahead->cpu == NO_SWITCH ? 0
				       : attribution_run(&s->attribution, ahead->cpu, ahead->tid);
}

int samples_follow_ahead(struct plumb_samples *s)
{
	struct switches_ahead *ahead = &s->ahead;
	const struct switch_ahead *next;
	int status = follow(s, &ahead->at[ahead->next++]);

	s->due_batches = 0;
	next = ahead->next < ahead->count ? &ahead->at[ahead->next] : NULL;
	s->limit = next ? next->limit : ahead->limit;
	return status < 0 ? status : samples_update(s, next ? next->chunks : SIZE_MAX);
}

int samples_skip_ahead(struct plumb_samples *s)
{
	struct switches_ahead *ahead = &s->ahead;
	int status = 0;

	for (; status == 0 && ahead->next < ahead->count; ahead->next++)
		status = follow(s, &ahead->at[ahead->next]);
	s->limit = ahead->limit;
	s->due_batches = 0;
	return status;
}
