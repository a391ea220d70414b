/* SPDX-License-Identifier: Apache-2.0 */
/* Writes recordings: what comes is checked, gathered into runs, and put into a file or a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/sized.h"
#include "recording/unfinished.h"
#include "recording/writer.h"

#define RECORD_NAME_MAX   1024u /* longer names are in the features alone */
#define EVENT_UPDATE_NAME 2     /* PERF_EVENT_UPDATE__NAME */

/* ---- opening ------------------------------------------------------------------------------ */

static int not_opened(struct plumb_recording_writer *writer, int number)
{
	struct place where = {.file = writer->path};
	char reason[PATH_MAX];

	file_why_not_written(writer->path, number, reason, sizeof(reason));
	diagnostics_add(writer->diagnostics, PLUMB_ERROR, "not-opened", &where,
			"cannot be written: %s", reason);
	return PLUMB_ERR_IO;
}

static int not_moved(struct plumb_recording_writer *writer, const char *old, int number)
{
	struct place where = {.file = old};
	char reason[128];

	diagnostics_add(writer->diagnostics, PLUMB_ERROR, "not-opened", &where,
			"the older recording cannot be moved there: %s",
			strerror_r(number, reason, sizeof(reason)));
	plumb_diagnostics_hint(writer->diagnostics, "remove it, or write to another file");
	return PLUMB_ERR_IO;
}

/*
 * Keeps an older recording as PATH.old, unless it is empty. Links stay: what they lead to becomes
 * the older recording, beside the new one.
 */
static int move_old(struct plumb_recording_writer *writer)
{
	char *old, *real;
	struct stat status;
	int error = 0;

	if (stat(writer->path, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
	    file_is_descriptor(writer->path))
		return 0;
	real = file_follow(writer->path);
	old = real ? arena_alloc(&writer->arena, strlen(real) + sizeof(".old")) : NULL;
	if (!old) {
		free(real);
		return PLUMB_ERR_NO_MEMORY;
	}
	sprintf(old, "%s.old", real);
	if (file_rename(real, old) < 0)
		error = not_moved(writer, old, errno);
	free(real);
	return error;
}

static int open_path(struct plumb_recording_writer *writer)
{
	int error;

	if (strcmp(writer->path, "-") == 0) {
		writer->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		writer->pipe = true;
		return writer->fd < 0 ? not_opened(writer, errno) : 0;
	}
	error = move_old(writer);
	if (error < 0)
		return error;
	writer->fd = open(writer->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return not_opened(writer, errno);
	/* A FIFO. */
	writer->pipe = lseek(writer->fd, 0, SEEK_CUR) < 0;
	return 0;
}

/* ---- output ------------------------------------------------------------------------------- */

static int put(struct plumb_recording_writer *writer, struct iovec *parts, int count, size_t size,
	       bool records)
{
	if (writer->error)
		return writer->error;
	return file_append(writer, parts, count, size, records);
}

/* Writes the held records. */
static int flush(struct plumb_recording_writer *writer)
{
	struct iovec part = {writer->held, writer->held_size};

	writer->held_size = 0;
	if (!part.iov_len || writer->error)
		return writer->error;
	if (writer->compressor) {
		const uint8_t *out;
		int error = compressor_run(writer->compressor, part.iov_base, part.iov_len, &out,
					   &part.iov_len);

		if (error < 0) {
			writer->error = error;
			return error;
		}
		memcpy(&part.iov_base, &out, sizeof(out));
	}
	return put(writer, &part, 1, part.iov_len, true);
}

static int put_all(struct plumb_recording_writer *writer, struct bytes *bytes, bool records)
{
	struct iovec part = {bytes->at, bytes->size};
	int error = bytes->failed ? PLUMB_ERR_NO_MEMORY : flush(writer);

	if (error == 0 && bytes->size)
		error = put(writer, &part, 1, bytes->size, records);
	bytes_free(bytes);
	return error;
}

/* Writes records for the reader alone, which are never compressed. */
static int put_bytes(struct plumb_recording_writer *writer, struct bytes *bytes)
{
	return put_all(writer, bytes, true);
}

static void add_header(struct bytes *bytes, uint32_t type, size_t size)
{
	bytes_u32(bytes, type);
	bytes_u32(bytes, (uint32_t)size << 16);
}

/* Says in a pipe whether this is its end: unfinished.h. */
static void add_mark(struct bytes *bytes, uint32_t mark)
{
	bytes_u32(bytes, PLUMB_RECORD_FINISHED_ROUND);
	bytes_u32(bytes, RECORD_HEADER << 16 | mark);
}

static void add_events(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	for (size_t i = 0; i < writer->setup.event_count; i++) {
		const struct plumb_recorded_event *event = &writer->setup.events[i];
		size_t ids = event->id_count * sizeof(uint64_t);

		add_header(bytes, PLUMB_RECORD_HEADER_ATTR,
			   RECORD_HEADER + writer->attr_size + ids);
		write_attr(bytes, &event->attr, writer->attr_size);
		bytes_add(bytes, event->ids, ids);
	}
}

/* Writes what the features also say. */
static void add_names(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	for (size_t i = 0; i < writer->setup.event_count; i++) {
		const struct plumb_recorded_event *event = &writer->setup.events[i];
		size_t length = event->name ? strlen(event->name) : 0, room = (length + 8) & ~7u;

		if (!length || !event->id_count || room > RECORD_NAME_MAX)
			continue;
		add_header(bytes, PLUMB_RECORD_EVENT_UPDATE, RECORD_HEADER + 16 + room);
		bytes_u64(bytes, EVENT_UPDATE_NAME);
		bytes_u64(bytes, event->ids[0]);
		bytes_add(bytes, event->name, length);
		bytes_zero(bytes, room - length);
	}
}

static void add_time_conv(struct bytes *bytes, const struct plumb_time_conv *conv)
{
	uint8_t caps[8] = {conv->cap_user_time_zero, conv->cap_user_time_short};

	add_header(bytes, PLUMB_RECORD_TIME_CONV,
		   RECORD_HEADER + 5 * sizeof(uint64_t) + sizeof(caps));
	bytes_u64(bytes, conv->shift);
	bytes_u64(bytes, conv->mult);
	bytes_u64(bytes, conv->zero);
	bytes_u64(bytes, conv->cycles);
	bytes_u64(bytes, conv->mask);
	bytes_add(bytes, caps, sizeof(caps));
}

static void add_auxtrace_info(struct bytes *bytes, const struct plumb_auxtrace_info *info)
{
	size_t values = info->count * sizeof(uint64_t);

	add_header(bytes, PLUMB_RECORD_AUXTRACE_INFO, (size_t)2 * RECORD_HEADER + values);
	bytes_u32(bytes, info->type);
	bytes_u32(bytes, 0);
	bytes_add(bytes, info->values, values);
}

static int begin(struct plumb_recording_writer *writer)
{
	struct bytes bytes = {0};
	int error = 0;

	if (writer->pipe) {
		bytes_add(&bytes, "PERFILE2", 8);
		bytes_u64(&bytes, 16);
		add_events(writer, &bytes);
		write_feature_records(writer, &bytes);
	} else {
		error = file_begin(writer);
		/* While data takes their place, the file has no features. */
		add_names(writer, &bytes);
		write_compression_record(writer, &bytes);
	}
	if (writer->setup.time_conv)
		add_time_conv(&bytes, writer->setup.time_conv);
	if (writer->pipe)
		add_mark(&bytes, RECORDING_PIPE_BEGINS);
	if (error == 0)
		error = put_all(writer, &bytes, !writer->pipe);
	else
		bytes_free(&bytes);
	if (error == 0 && !writer->pipe)
		error = file_features(writer, false);
	return error;
}

/* ---- the interface ------------------------------------------------------------------------ */

static void release(struct plumb_recording_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	if (writer->read_fd > 0)
		close(writer->read_fd);
	bytes_free(&writer->build_ids);
	compressor_free(writer->compressor);
	free(writer->held);
	free(writer->index);
	arena_free(&writer->arena);
	free(writer);
}

/* `fd` is -1 to open the path. */
static int create(const char *path, int fd, const struct plumb_recording_setup *given,
		  struct plumb_recording_writer **result, struct plumb_diagnostics *diagnostics)
{
	struct plumb_recording_setup read, *setup = &read;
	const bool valid = sized_read(setup, sizeof(*setup), given);
	struct plumb_recording_writer *writer = valid ? calloc(1, sizeof(*writer)) : NULL;
	int error = valid ? PLUMB_ERR_NO_MEMORY : PLUMB_ERR_ARGUMENT;

	setup->size = sizeof(*setup);
	*result = NULL;
	if (!writer) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	writer->fd = fd;
	writer->pipe = fd >= 0;
	writer->diagnostics = diagnostics;
	writer->attr_size = ATTR_SIZE_VER7;
	writer->path = arena_strdup(&writer->arena, path);
	writer->held = malloc(WRITER_BUFFER);
	if (!writer->path || !writer->held || !setup_copy(writer, setup))
		goto fail;
	error = 0;
	if (setup->compress_level && !setup->compress_after)
		error = compressor_new(setup->compress_level, &writer->compressor);
	if (error == 0)
		error = setup_check(writer, setup);
	if (error == 0 && fd < 0)
		error = open_path(writer);
	if (error < 0)
		goto fail;
	writer->time_offset = setup_time_offset(setup);
	setup_read_clock(writer);
	error = begin(writer);
	if (error < 0)
		goto fail;
	*result = writer;
	return 0;
fail:
	release(writer);
	return error;
}

int plumb_recording_create(const char *path, const struct plumb_recording_setup *setup,
			   struct plumb_recording_writer **writer,
			   struct plumb_diagnostics *diagnostics)
{
	return create(path, -1, setup, writer, diagnostics);
}

int plumb_recording_create_fd(int fd, const char *name, const struct plumb_recording_setup *setup,
			      struct plumb_recording_writer **writer,
			      struct plumb_diagnostics *diagnostics)
{
	return create(name, fd, setup, writer, diagnostics);
}

int plumb_recording_create_next(const struct plumb_recording_writer *before, const char *path,
				struct plumb_recording_writer **writer)
{
	return create(path, -1, &before->setup, writer, before->diagnostics);
}

/* Returns the length with the held records, as if these were not compressed. */
static uint64_t length(const struct plumb_recording_writer *writer)
{
	return writer->data_end + writer->held_size;
}

/* The features have to fit, too: what they are now, the time of samples, and the AUX index. */
static int check_limit(const struct plumb_recording_writer *writer, uint64_t more)
{
	uint64_t limit = writer->setup.limit_bytes;
	uint64_t end = length(writer) + writer->features_size + writer->build_ids.size + 64 +
		       (writer->index_count + 1) * sizeof(struct aux_entry);

	return limit && (more > limit || end > limit - more) ? PLUMB_ERR_LIMIT : 0;
}

static int bad_record(struct plumb_recording_writer *writer, size_t at, const char *what)
{
	struct place where = {.file = writer->path};

	diagnostics_add(writer->diagnostics, PLUMB_ERROR, "bad-record", &where,
			"byte %zu of the records to be written: %s", at, what);
	return PLUMB_ERR_ARGUMENT;
}

static int check_records(struct plumb_recording_writer *writer, const uint8_t *records, size_t size)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header;

	for (size_t at = 0; at < size; at += header.size) {
		if (size - at < RECORD_HEADER)
			return bad_record(writer, at, "a truncated header");
		memcpy(&header, records + at, sizeof(header));
		if (header.size < RECORD_HEADER || header.size > size - at)
			return bad_record(writer, at, "an invalid size");
		if (header.type == PLUMB_RECORD_AUXTRACE || header.type == PLUMB_RECORD_COMPRESSED)
			return bad_record(writer, at, "a type that only the writer makes");
	}
	return 0;
}

static void note_times(struct plumb_recording_writer *writer, const uint8_t *records, size_t size)
{
	uint16_t record;

	for (size_t at = 0; at < size && writer->time_offset >= 0; at += record) {
		uint32_t type;
		uint64_t time;

		memcpy(&type, records + at, sizeof(type));
		memcpy(&record, records + at + 6, sizeof(record));
		if (type != PLUMB_RECORD_SAMPLE || record < writer->time_offset + 8)
			continue;
		memcpy(&time, records + at + writer->time_offset, sizeof(time));
		if (!writer->last_time || time < writer->first_time)
			writer->first_time = time;
		if (time > writer->last_time)
			writer->last_time = time;
	}
}

static uint16_t size_of(const uint8_t *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

/*
 * Compresses what comes from now on, if the file is that long. Not in the middle of what is written
 * at once: whoever will change it knows where all of it is.
 */
static int compress_later(struct plumb_recording_writer *writer)
{
	struct bytes bytes = {0};
	int error;

	if (writer->compressor || writer->pipe || !writer->setup.compress_level ||
	    !writer->setup.compress_after || length(writer) < writer->setup.compress_after)
		return 0;
	error = flush(writer);
	if (error < 0)
		return error;
	/* Without memory for that, it stays as it is. */
	if (compressor_new(writer->setup.compress_level, &writer->compressor) < 0) {
		writer->setup.compress_level = 0;
		return 0;
	}
	writer->plain_end = writer->data_end;
	write_compression_record(writer, &bytes);
	return put_bytes(writer, &bytes);
}

/* So many records go to the file by themselves: to gather them takes longer than to write more
 * often. */
#define DIRECT_BYTES (WRITER_BUFFER / 4)

static int put_directly(struct plumb_recording_writer *writer, const uint8_t *records, size_t size)
{
	struct iovec part = {.iov_len = size};
	int error = flush(writer);

	/* They are not changed, but struct iovec has no const. */
	memcpy(&part.iov_base, &records, sizeof(records));
	return error < 0 ? error : put(writer, &part, 1, size, true);
}

int plumb_recording_write(struct plumb_recording_writer *writer, const void *records, size_t size)
{
	const uint8_t *from = records;
	int error = writer->error;

	if (error == 0)
		error = check_records(writer, from, size);
	if (error == 0)
		error = check_limit(writer, size);
	if (error < 0)
		return error;
	note_times(writer, from, size);
	if (!writer->compressor && size >= DIRECT_BYTES) {
		error = put_directly(writer, from, size);
		return error < 0 ? error : compress_later(writer);
	}
	while (size > 0) {
		size_t run = 0;

		/* Write as many whole records as fit. */
		while (run < size && writer->held_size + run + size_of(from + run) <= WRITER_BUFFER)
			run += size_of(from + run);
		memcpy(writer->held + writer->held_size, from, run);
		writer->held_size += run;
		from += run;
		size -= run;
		if (size > 0) {
			error = flush(writer);
			if (error < 0)
				return error;
		}
	}
	return compress_later(writer);
}

uint64_t plumb_recording_position(const struct plumb_recording_writer *writer)
{
	return writer->pipe || writer->compressor ? 0 : length(writer);
}

int plumb_recording_change(struct plumb_recording_writer *writer,
			   const struct plumb_recording_change *changes, size_t count)
{
	uint64_t end = writer->compressor ? writer->plain_end : plumb_recording_position(writer);
	uint64_t before = writer->data_begin;
	size_t valid = 0, written = 0;
	int error = writer->error;

	while (valid < count && end >= 8 && changes[valid].position >= before &&
	       changes[valid].position <= end - 8) {
		before = changes[valid].position;
		written += before < writer->data_end;
		valid++;
	}
	for (size_t i = written; error == 0 && i < valid; i++)
		memcpy(writer->held + (changes[i].position - writer->data_end), &changes[i].value,
		       sizeof(changes[i].value));
	/* Changes that belong together reach the file together. */
	if (error == 0 && written)
		error = flush(writer);
	if (error == 0)
		error = file_change(writer, changes, written);
	return error == 0 && valid < count ? PLUMB_ERR_ARGUMENT : error;
}

static bool add_to_index(struct plumb_recording_writer *writer, uint64_t place)
{
	if (writer->index_count == writer->index_room) {
		size_t room = writer->index_room ? 2 * writer->index_room : 256;
		struct aux_entry *grown = reallocarray(writer->index, room, sizeof(*grown));

		if (!grown)
			return false;
		writer->index = grown;
		writer->index_room = room;
	}
	writer->index[writer->index_count] = (struct aux_entry){place, 6 * sizeof(uint64_t)};
	return true;
}

int plumb_recording_write_aux(struct plumb_recording_writer *writer,
			      const struct plumb_aux_chunk *chunk, const void *first,
			      size_t first_size, const void *second, size_t second_size)
{
	static const uint8_t padding[8];
	uint64_t size = (uint64_t)first_size + second_size, padded = (size + 7) & ~UINT64_C(7);
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t data_size, offset, reference;
		uint32_t index, tid, cpu, reserved;
	} record = {PLUMB_RECORD_AUXTRACE, 0,
		    sizeof(record),        padded,
		    chunk->offset,         chunk->reference,
		    chunk->index,          (uint32_t)chunk->tid,
		    (uint32_t)chunk->cpu,  0};
	struct iovec parts[5] = {{.iov_len = 0},
				 {.iov_base = &record, .iov_len = sizeof(record)},
				 {.iov_len = first_size},
				 {.iov_len = second_size},
				 {.iov_len = padded - size}};
	struct bytes info = {0};
	int error = writer->error;

	/*
	 * AUX data is announced with the first of it, in one write: perf warns of a recording that
	 * announces some and has none, like that of a recorder that was killed early.
	 */
	if (!writer->index_count && writer->setup.auxtrace_info)
		add_auxtrace_info(&info, writer->setup.auxtrace_info);
	parts[0] = (struct iovec){info.at, info.size};
	/* The data is not changed, but struct iovec has no const. */
	memcpy(&parts[2].iov_base, &first, sizeof(first));
	memcpy(&parts[3].iov_base, &second, sizeof(second));
	memcpy(&parts[4].iov_base, &(const void *){padding}, sizeof(void *));
	if (error == 0)
		error = check_limit(writer, info.size + sizeof(record) + padded);
	if (error == 0)
		error = flush(writer);
	if (error == 0 && (info.failed || !add_to_index(writer, writer->data_end + info.size)))
		error = PLUMB_ERR_NO_MEMORY;
	if (error == 0)
		error = put(writer, parts, 5, info.size + sizeof(record) + padded, false);
	if (error == 0)
		writer->index_count++;
	bytes_free(&info);
	return error;
}

int plumb_recording_finish_round(struct plumb_recording_writer *writer)
{
	struct bytes bytes = {0};
	int error;

	add_header(&bytes, PLUMB_RECORD_FINISHED_ROUND, RECORD_HEADER);
	error = put_bytes(writer, &bytes);
	if (error == 0 && !writer->pipe)
		error = file_features(writer, false);
	return error;
}

int plumb_recording_settle(struct plumb_recording_writer *writer)
{
	int error = flush(writer);

	if (error == 0 && !writer->pipe && writer->settled_end != writer->data_end)
		error = file_features(writer, false);
	return error;
}

int plumb_recording_add_build_id(struct plumb_recording_writer *writer, int32_t pid, bool kernel,
				 const uint8_t *id, size_t id_size, const char *path)
{
	struct bytes bytes = {0};

	if (writer->error)
		return writer->error;
	if (id_size > 20 || strlen(path) > 4096)
		return PLUMB_ERR_ARGUMENT;
	if (writer->pipe) {
		write_build_id(&bytes, PLUMB_RECORD_HEADER_BUILD_ID, pid, kernel, id, id_size,
			       path);
		return put_bytes(writer, &bytes);
	}
	write_build_id(&writer->build_ids, 0, pid, kernel, id, id_size, path);
	return writer->build_ids.failed ? PLUMB_ERR_NO_MEMORY : 0;
}

uint64_t plumb_recording_length(const struct plumb_recording_writer *writer)
{
	return length(writer);
}

int plumb_recording_finish(struct plumb_recording_writer *writer, uint64_t *bytes)
{
	struct stat status = {0};
	struct bytes mark = {0};
	int error;

	if (!writer)
		return 0;
	error = flush(writer);
	if (error == 0 && writer->pipe) {
		add_mark(&mark, RECORDING_PIPE_ENDS);
		error = put_bytes(writer, &mark);
	}
	writer->finished = true;
	if (error == 0 && !writer->pipe)
		error = file_features(writer, true);
	if (bytes)
		*bytes = !writer->pipe && fstat(writer->fd, &status) == 0 ? (uint64_t)status.st_size
									  : writer->data_end;
	release(writer);
	return error;
}
