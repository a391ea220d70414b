/* SPDX-License-Identifier: Apache-2.0 */
/* A recording from opening to closing: what is read when, and in which order it is given. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "recording/access.h"
#include "recording/folder.h"
#include "recording/reader.h"
#include "recording/unfinished.h"

#define COMPLAINTS_TOLD 5u
#define PROGRESS_STEP   ((uint64_t)1 << 20)
#define SCRATCH_ROOM    ((size_t)256 << 10)
/* The most bytes of records that opening a pipe passes; they are given later. */
#define EARLY_LIMIT ((size_t)4 << 20)

/* ---- Findings -------------------------------------------------------------------------------- */

static const char *const complaint_ids[COMPLAINT_KINDS] = {
	[COMPLAINT_CUT_OFF] = "cut-off",          [COMPLAINT_DAMAGED] = "damaged-record",
	[COMPLAINT_UNKNOWN_ID] = "unknown-event", [COMPLAINT_FEATURE] = "damaged-feature",
	[COMPLAINT_ATTRIBUTE] = "odd-attribute",  [COMPLAINT_AUX] = "damaged-aux-index",
	[COMPLAINT_ORDER] = "out-of-order",
};

/* The name of the file that is read. */
static const char *name_now(const struct plumb_recording *r)
{
	return r->folder && r->folder->count ? r->folder->parts[r->folder->current].name : r->name;
}

static PLUMB_PRINTF(5, 0) void add_warning(struct plumb_recording *r, const char *name,
					   enum complaint_kind kind, uint64_t offset,
					   const char *format, va_list args)
{
	const struct place where = {.file = name};
	char text[320];

	(void)vsnprintf(text, sizeof(text), format, args);
	pthread_mutex_lock(&r->found_lock);
	diagnostics_add(r->diagnostics, PLUMB_WARNING, complaint_ids[kind], &where, "at %#llx: %s",
			(unsigned long long)offset, text);
	pthread_mutex_unlock(&r->found_lock);
}

void reader_complain(struct plumb_recording *r, enum complaint_kind kind, uint64_t offset,
		     const char *format, ...)
{
	va_list args;

	if (r->complaints[kind]++ >= COMPLAINTS_TOLD)
		return;
	va_start(args, format);
	add_warning(r, name_now(r), kind, offset, format, args);
	va_end(args);
}

/* Complains about a record that was read a while ago. */
static PLUMB_PRINTF(4, 5) void complain_of(struct plumb_recording *r, enum complaint_kind kind,
					   const struct raw_record *raw, const char *format, ...)
{
	va_list args;

	if (r->complaints[kind]++ >= COMPLAINTS_TOLD)
		return;
	va_start(args, format);
	add_warning(r, r->folder ? r->folder->parts[raw->part].name : r->name, kind, raw->offset,
		    format, args);
	va_end(args);
}

int refuse(const struct plumb_recording *r, int error, const char *id, const char *format, ...)
{
	/* The lock is not what is constant of a recording. */
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&r->found_lock;
	const struct place where = {.file = name_now(r)};
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(lock);
	diagnostics_vadd(r->diagnostics, PLUMB_ERROR, id, &where, format, args);
	pthread_mutex_unlock(lock);
	va_end(args);
	return error;
}

int out_of_memory(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_NO_MEMORY, "no-memory", "out of memory");
}

/* ---- What comes next in the file ------------------------------------------------------------- */

static void tell_progress(struct plumb_recording *r)
{
	const uint64_t read = r->folder ? r->folder->read : r->source.position;

	if (!r->options.progress || read < r->next_progress)
		return;
	r->options.progress(r->options.user, read, r->folder ? r->folder->size : r->file_size);
	r->next_progress = read + PROGRESS_STEP;
}

static int read_failed(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_IO, "read", "reading failed at %#llx: %s",
		      (unsigned long long)r->source.position, strerrordesc_np(errno));
}

static int cut_off(struct plumb_recording *r, uint64_t offset)
{
	r->losses.cut_off = true;
	reader_complain(r, COMPLAINT_CUT_OFF, offset, "the recording is truncated here");
	return 0;
}

/* Brings the next record's header to hand: 1, or 0 at the end, or an error. */
static int reach_header(struct plumb_recording *r, const uint8_t **bytes)
{
	size_t have;

	if (source_reach(&r->source, RECORD_HEADER, bytes, &have) < 0)
		return read_failed(r);
	if (have >= RECORD_HEADER)
		return 1;
	if (have > 0 || (!r->pipe_format && r->source.position < r->source.end))
		return cut_off(r, r->source.position);
	return 0;
}

static int read_from_source(struct plumb_recording *r, struct raw_record *raw)
{
	const uint8_t *bytes;
	size_t have;
	int got = reach_header(r, &bytes);

	if (got <= 0)
		return got;
	*raw = (struct raw_record){
		.type = read32(r, bytes),
		.misc = read16(r, bytes + 4),
		.size = read16(r, bytes + 6),
		.offset = r->source.position,
	};
	if (raw->size < RECORD_HEADER)
		return refuse(r, PLUMB_ERR_INVALID, "bad-size",
			      "at %#llx: a record has a size of %zu bytes, less than its header",
			      (unsigned long long)raw->offset, raw->size);
	if (source_reach(&r->source, raw->size, &raw->bytes, &have) < 0)
		return read_failed(r);
	if (have < raw->size)
		return cut_off(r, raw->offset);
	source_pass(&r->source, raw->size);
	return 1;
}

/* What follows a record in the file moves its bytes: they are kept. */
static void carry(struct plumb_recording *r, struct raw_record *raw)
{
	raw->bytes = memcpy(r->carried, raw->bytes, raw->size);
}

struct tracing_data {
	uint8_t *bytes;
	size_t size, room;
};

static int keep_tracing_data(void *user, const uint8_t *bytes, size_t size)
{
	struct tracing_data *data = user;

	if (data->bytes)
		memcpy(data->bytes + data->size, bytes, size);
	data->size += size;
	return 0;
}

/* The record says how many bytes follow it, padded to 8. */
static int take_tracing_data(struct plumb_recording *r, struct raw_record *raw)
{
	struct tracing_data data = {0};
	uint64_t size, skipped;
	int err;

	if (raw->size < RECORD_HEADER + 4)
		return refuse(r, PLUMB_ERR_INVALID, "bad-size",
			      "at %#llx: a record of tracing data is too short for its size",
			      (unsigned long long)raw->offset);
	carry(r, raw);
	size = ((uint64_t)read32(r, raw->bytes + RECORD_HEADER) + 7) & ~UINT64_C(7);
	if (size <= FEATURE_LIMIT) {
		data.bytes = malloc(size + 1);
		if (!data.bytes)
			return out_of_memory(r);
	}
	err = source_skip(&r->source, size, keep_tracing_data, &data, &skipped);
	if (err)
		err = read_failed(r);
	else if (skipped < size)
		err = cut_off(r, r->source.position);
	else if (data.bytes)
		err = feature_keep(r, PLUMB_FEATURE_TRACING_DATA, data.bytes, data.size);
	free(data.bytes);
	return err;
}

static int take_attribute(struct plumb_recording *r, const struct raw_record *raw)
{
	struct plumb_event_attr attr;
	int err = attr_parse(r, raw->bytes + RECORD_HEADER, raw->size - RECORD_HEADER, raw->offset,
			     &attr);

	if (err)
		return err;
	return events_add(r, &attr, raw->bytes + RECORD_HEADER + attr.size,
			  (raw->size - RECORD_HEADER - attr.size) / 8);
}

/* Of the kinds of EVENT_UPDATE only the one that names the event matters here. */
static int take_update(struct plumb_recording *r, const struct raw_record *raw)
{
	struct cursor in = cursor_over_record(r, raw);
	const uint64_t kind = take64(&in), id = take64(&in);
	const struct known_event *event = events_find(r, id);

	if (kind == 2 && event)
		events_name(r, event, (const char *)in.at,
			    strnlen((const char *)in.at, cursor_left(&in)));
	return 0;
}

static int take_feature(struct plumb_recording *r, const struct raw_record *raw)
{
	uint64_t number;

	if (raw->size < RECORD_HEADER + 8)
		return 0; /* it will be given as damaged */
	number = read64(r, raw->bytes + RECORD_HEADER);
	if (number >= FEATURE_COUNT)
		return 0;
	return feature_keep(r, (unsigned)number, raw->bytes + RECORD_HEADER + 8,
			    raw->size - RECORD_HEADER - 8);
}

/* Whether the recorder of a pipe, plumb, came to its end: see unfinished.h. */
static void note_mark(struct plumb_recording *r, const struct raw_record *raw)
{
	uint16_t mark = read16(r, raw->bytes + 4);

	if (r->pipe_format && mark == RECORDING_PIPE_BEGINS)
		r->lacks_end = true;
	else if (mark == RECORDING_PIPE_ENDS)
		r->lacks_end = false;
}

/* What a record means for reading on. Negative: an error. */
static int take_in(struct plumb_recording *r, struct raw_record *raw)
{
	switch (raw->type) {
	case PLUMB_RECORD_HEADER_ATTR:
		return take_attribute(r, raw);
	case PLUMB_RECORD_EVENT_UPDATE:
		return take_update(r, raw);
	case PLUMB_RECORD_HEADER_FEATURE:
		return take_feature(r, raw);
	case PLUMB_RECORD_HEADER_BUILD_ID:
		return build_id_keep(r, raw->bytes, raw->size);
	case PLUMB_RECORD_HEADER_TRACING_DATA:
		return take_tracing_data(r, raw);
	case PLUMB_RECORD_AUXTRACE_INFO:
	case PLUMB_RECORD_TIME_CONV:
		return auxtrace_info_keep(r, raw);
	case PLUMB_RECORD_AUXTRACE:
		carry(r, raw);
		return chunks_take(r, raw);
	case PLUMB_RECORD_FINISHED_ROUND:
		note_mark(r, raw);
		return 0;
	default:
		return 0;
	}
}

static bool has_data_behind(uint32_t type)
{
	return type == PLUMB_RECORD_AUXTRACE || type == PLUMB_RECORD_HEADER_TRACING_DATA;
}

static bool is_compressed(uint32_t type)
{
	return type == PLUMB_RECORD_COMPRESSED || type == PLUMB_RECORD_COMPRESSED2;
}

/* The next record of what was compressed: 1, or 0: there is none, or an error. */
static int read_decompressed(struct plumb_recording *r, struct raw_record *raw)
{
	int got = decompressor_next(r, raw);

	if (got == 1 && (is_compressed(raw->type) || has_data_behind(raw->type)))
		return refuse(
			r, PLUMB_ERR_INVALID, "bad-nesting",
			"at %#llx: compressed data contains a record of type %u, which is invalid "
			"there",
			(unsigned long long)raw->offset, raw->type);
	return got;
}

/* The next record, after what it means was taken in: 1, 0 at the end, or an error. */
static int read_record(struct plumb_recording *r, struct raw_record *raw)
{
	int got, err;

	tell_progress(r);
	for (;;) {
		got = read_decompressed(r, raw);
		if (got == 0)
			got = read_from_source(r, raw);
		if (got == 0 && r->folder && folder_turn(r))
			continue;
		if (got == 0 && r->lacks_end)
			r->losses.unfinished = true;
		if (got <= 0)
			return got;
		if (!is_compressed(raw->type))
			break;
		err = decompressor_feed(r, raw);
		if (err)
			return err;
	}
	raw->part = r->folder ? (uint32_t)r->folder->current : 0;
	err = take_in(r, raw);
	if (err)
		return err;
	events_locate(r, raw);
	if (r->folder)
		folder_note(r, raw);
	return 1;
}

/* ---- In which order -------------------------------------------------------------------------- */

static void note_order(struct plumb_recording *r, const struct raw_record *raw)
{
	if (raw->time >= r->given_time) {
		r->given_time = raw->time;
		return;
	}
	r->losses.out_of_order++;
	complain_of(r, COMPLAINT_ORDER, raw,
		    "a record is older than one before it: the file was not written in order, or "
		    "sorting it exceeds the memory limit");
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
			carry(r, &raw);
		if (record_parse(r, &raw, record)) {
			count_losses(r, record);
			if (!r->has_stream && tasks_follow(r->tasks, record) < 0)
				return out_of_memory(r);
			return 1;
		}
		r->losses.damaged_records++;
		complain_of(r, COMPLAINT_DAMAGED, &raw,
			    "a record of type %u with %zu bytes is malformed", raw.type, raw.size);
	}
}

int plumb_recording_next(struct plumb_recording *r, const struct plumb_record **record)
{
	*record = &r->given;
	return recording_next(r, &r->given);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool is_preface(uint32_t type)
{
	switch (type) {
	case PLUMB_RECORD_HEADER_ATTR:
	case PLUMB_RECORD_HEADER_EVENT_TYPE:
	case PLUMB_RECORD_HEADER_TRACING_DATA:
	case PLUMB_RECORD_HEADER_BUILD_ID:
	case PLUMB_RECORD_HEADER_FEATURE:
	case PLUMB_RECORD_EVENT_UPDATE:
		return true;
	default:
		return false;
	}
}

static int keep_early(struct plumb_recording *r, const struct raw_record *raw)
{
	struct raw_record *kept;
	uint8_t *bytes;

	if (r->early_count == r->early_room) {
		size_t room = r->early_room ? 2 * r->early_room : 64;

		kept = reallocarray(r->early, room, sizeof(*kept));
		if (!kept)
			return out_of_memory(r);
		r->early = kept;
		r->early_room = room;
	}
	bytes = arena_alloc(&r->arena, raw->size);
	if (!bytes)
		return out_of_memory(r);
	kept = &r->early[r->early_count++];
	*kept = *raw;
	kept->bytes = memcpy(bytes, raw->bytes, raw->size);
	r->early_bytes += sizeof(*kept) + raw->size;
	return 0;
}

/*
 * Reads the records up to the first that does not tell of the recording as a whole: those of a
 * pipe, and of a file that has lost the end, where its features are.
 */
static int read_preface(struct plumb_recording *r)
{
	while (r->early_bytes < EARLY_LIMIT) {
		struct raw_record raw;
		const uint8_t *bytes;
		size_t have;
		int got;

		if (source_reach(&r->source, RECORD_HEADER, &bytes, &have) < 0)
			return read_failed(r);
		if (have < RECORD_HEADER || !is_preface(read32(r, bytes)))
			return 0;
		got = read_record(r, &raw);
		if (got > 0)
			got = keep_early(r, &raw);
		else
			r->ended = true;
		if (got < 0 || r->ended)
			return got;
	}
	return 0;
}

static int read_bare(struct plumb_recording *r)
{
	uint8_t bytes[AUXTRACE_SIZE];
	struct raw_record raw;
	int err = bare_read(r);

	if (err)
		return err;
	r->ended = true;
	bare_record(r, bytes, &raw);
	return keep_early(r, &raw);
}

/* The first version of folders is the only one so far. */
static int check_folder(const struct plumb_recording *r)
{
	if (r->pipe_format || r->info.folder_version > 1)
		return refuse(r, PLUMB_ERR_UNSUPPORTED, "directory",
			      "a folder of an unknown version");
	return 0;
}

static int prepare(struct plumb_recording *r)
{
	struct stat status;
	int err = source_open(&r->source, r->fd);

	r->scratch = malloc(SCRATCH_ROOM);
	r->carried = malloc(RECORD_SIZE_MAX);
	if (err || !r->scratch || !r->carried || !r->name || !r->tasks)
		return out_of_memory(r);
	if (fstat(r->fd, &status) < 0)
		return refuse(r, PLUMB_ERR_IO, "stat", "cannot read: %s", strerrordesc_np(errno));
	if (S_ISDIR(status.st_mode)) {
		err = folder_open(r);
		if (err)
			return err;
		if (fstat(r->fd, &status) < 0)
			return read_failed(r);
	}
	r->file_size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	r->source.seekable = S_ISREG(status.st_mode);
	if (r->options.bare_spe)
		return read_bare(r);
	err = header_read(r);
	if (!err && r->folder)
		err = check_folder(r);
	if (!err && (r->pipe_format || !r->features[PLUMB_FEATURE_EVENT_DESC].bytes))
		err = read_preface(r);
	return err;
}

int recording_open_fd(int fd, const char *name, const struct plumb_recording_options *options,
		      struct plumb_recording **recording, struct plumb_diagnostics *diagnostics)
{
	struct plumb_recording *r = calloc(1, sizeof(*r));
	int err;

	*recording = NULL;
	if (!r) {
		(void)close(fd);
		return PLUMB_ERR_NO_MEMORY;
	}
	pthread_mutex_init(&r->found_lock, NULL);
	r->fd = fd;
	r->spool = -1;
	r->diagnostics = diagnostics;
	r->name = strdup(name);
	r->tasks = tasks_new();
	if (options && !sized_read(&r->options, sizeof(r->options), options)) {
		plumb_recording_close(r);
		return PLUMB_ERR_ARGUMENT;
	}
	r->in_file_order = r->options.in_file_order;
	err = prepare(r);
	if (err) {
		plumb_recording_close(r);
		return err;
	}
	*recording = r;
	return 0;
}

int plumb_recording_open(const char *path, const struct plumb_recording_options *options,
			 struct plumb_recording **recording, struct plumb_diagnostics *diagnostics)
{
	const bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC);

	*recording = NULL;
	if (fd < 0) {
		const struct place where = {.file = path};

		diagnostics_add(diagnostics, PLUMB_ERROR, "open", &where, "cannot be opened: %s",
				strerrordesc_np(errno));
		return PLUMB_ERR_IO;
	}
	return recording_open_fd(fd, standard ? "standard input" : path, options, recording,
				 diagnostics);
}

void plumb_recording_close(struct plumb_recording *r)
{
	if (!r)
		return;
	tasks_release(r->tasks);
	order_free(&r->order);
	decompressor_free(r);
	source_close(&r->source);
	folder_close(r);
	chunks_free(r);
	features_free(r);
	events_free(r);
	arena_free(&r->arena);
	free(r->early);
	free(r->scratch);
	free(r->carried);
	free(r->cpus);
	free(r->name);
	(void)close(r->fd);
	pthread_mutex_destroy(&r->found_lock);
	free(r);
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

struct tasks *recording_tasks(const struct plumb_recording *r)
{
	return r->tasks;
}
