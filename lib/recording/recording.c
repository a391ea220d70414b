/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the records of a recording, in which order, and what is known of it. */
#include <sys/stat.h>

#include "recording/access.h"
#include "recording/folder.h"
#include "recording/reader.h"

/* ---- In which order -------------------------------------------------------------------------- */

static void note_order(struct plumb_recording *r, const struct raw_record *raw)
{
	if (raw->time >= r->given_time) {
		r->given_time = raw->time;
		return;
	}
	r->losses.out_of_order++;
	reader_complain_of(
		r, COMPLAINT_ORDER, raw,
		"a record is older than one before it: the file was not written in order, or "
		"sorting it exceeds the memory limit of 1 GiB");
}

/* The oldest record, if the last round lets it go, or nothing else is left to do with it. */
static bool take_due(struct plumb_recording *r, struct raw_record *raw)
{
	const uint64_t due = r->ended ? UINT64_MAX : r->due;

	if (!order_has(&r->order, due) && r->order.held <= ORDER_LIMIT) {
		r->due = 0;
		return false;
	}
	if (!order_take(&r->order, raw))
		return false;
	note_order(r, raw);
	return true;
}

/*
 * The end of a round lets go what is not younger than the youngest record at the end of the round
 * before. A record that comes later than that waits for the end of its own round, as in perf, and a
 * round during which nothing was held changes nothing.
 */
static void end_round(struct plumb_recording *r)
{
	if (order_empty(&r->order))
		return;
	r->due = r->round_end;
	r->round_end = r->order.newest;
}

/* Keeps a record for later. 1: it is to be given at once instead. */
static int keep_for_later(struct plumb_recording *r, const struct raw_record *raw)
{
	if (r->in_file_order)
		return 1;
	if (raw->type == PLUMB_RECORD_FINISHED_ROUND) {
		end_round(r);
		r->pending = *raw;
		r->has_pending = true;
		return 0;
	}
	/* perf does not sort these either. */
	if (raw->time == 0 || raw->time == UINT64_MAX)
		return 1;
	return order_add(&r->order, raw) < 0 ? out_of_memory(r) : 0;
}

static int next_raw(struct plumb_recording *r, struct raw_record *raw)
{
	if (r->early_next < r->early_count) {
		*raw = r->early[r->early_next++];
		return 1;
	}
	for (;;) {
		int got;

		if (take_due(r, raw))
			return 1;
		if (r->has_pending) {
			r->has_pending = false;
			*raw = r->pending;
			return 1;
		}
		if (r->ended) {
			got = r->failure;
			r->failure = 0;
			return got;
		}
		got = read_record(r, raw);
		if (got > 0)
			got = keep_for_later(r, raw);
		else
			r->ended = true;
		if (got > 0)
			return got;
		r->failure = got;
		r->ended |= got < 0;
	}
}

/* ---- Giving ---------------------------------------------------------------------------------- */

static void count_losses(struct plumb_recording *r, const struct plumb_record *record)
{
	struct plumb_recording_losses *losses = &r->losses;

	switch (record->type) {
	case PLUMB_RECORD_SAMPLE:
		losses->samples++;
		break;
	case PLUMB_RECORD_LOST:
		losses->lost_records += record->lost.lost;
		break;
	case PLUMB_RECORD_LOST_SAMPLES:
		losses->lost_samples += record->lost.lost;
		break;
	case PLUMB_RECORD_THROTTLE:
		losses->throttled++;
		break;
	case PLUMB_RECORD_AUX:
		losses->aux_records++;
		losses->aux_truncated += !!(record->aux.flags & PLUMB_AUX_TRUNCATED);
		losses->aux_partial += !!(record->aux.flags & PLUMB_AUX_PARTIAL);
		losses->aux_collisions += !!(record->aux.flags & PLUMB_AUX_COLLISION);
		break;
	default:
		losses->unknown_records += !plumb_record_type_name(record->type);
	}
}

int recording_next(struct plumb_recording *r, struct plumb_record *record)
{
	for (;;) {
		struct raw_record raw = {0};
		int got = next_raw(r, &raw);

		if (got <= 0)
			return got;
		/* Arrays of numbers are given where they lie. */
		if ((uintptr_t)raw.bytes % 8)
			carry_record(r, &raw);
		if (record_parse(r, &raw, record)) {
			count_losses(r, record);
			if (!r->has_stream && tasks_follow(r->tasks, record) < 0)
				return out_of_memory(r);
			return 1;
		}
		r->losses.damaged_records++;
		reader_complain_of(r, COMPLAINT_DAMAGED, &raw,
				   "a record of type %u with %zu bytes is malformed", raw.type,
				   raw.size);
	}
}

int plumb_recording_next(struct plumb_recording *r, const struct plumb_record **record)
{
	*record = &r->given;
	return recording_next(r, &r->given);
}

/* ---- What is known of it --------------------------------------------------------------------- */

const struct plumb_recorded_event *plumb_recording_event(const struct plumb_recording *r, size_t i)
{
	return i < r->event_count ? &r->events[i]->event : NULL;
}

const struct plumb_recording_losses *plumb_recording_losses(const struct plumb_recording *r)
{
	return &r->losses;
}

const struct plumb_auxtrace_info *recording_auxtrace_info(const struct plumb_recording *r)
{
	return r->has_auxtrace_info ? &r->auxtrace_info : NULL;
}

const struct plumb_time_conv *recording_time_conv(const struct plumb_recording *r)
{
	return r->has_time_conv ? &r->time_conv : NULL;
}

bool recording_written(const struct plumb_recording *r, struct timespec *time)
{
	struct stat status;

	if (r->pipe_format || fstat(r->fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	*time = status.st_mtim;
	return true;
}

struct tasks *recording_tasks(const struct plumb_recording *r)
{
	return r->tasks;
}
