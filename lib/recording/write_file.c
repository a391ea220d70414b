/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file, which can be read at any moment: its header says how long the data is, and is written
 * after the data. The features stand behind the data and give way to more of it: while that is
 * being written the header says that there are none. It is a recording only with the first record:
 * of one without any, perf warns.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "recording/unfinished.h"
#include "recording/writer.h"

#define HEADER_SIZE 104u

static uint16_t record_size(const uint8_t *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

/* ---- calls that may do less than asked for -------------------------------------------------- */

/* Consumes `size` bytes of the parts. */
static void advance(struct iovec **parts, int *count, size_t size)
{
	while (*count > 0 && size >= (*parts)->iov_len) {
		size -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + size;
		(*parts)->iov_len -= size;
	}
}

/* Writes all of the parts at `at`, or to the pipe. Returns an errno; `*done` is how much there is.
 */
static int write_parts(const struct plumb_recording_writer *writer, struct iovec *parts, int count,
		       uint64_t at, size_t *done)
{
	*done = 0;
	advance(&parts, &count, 0);
	while (count > 0) {
		ssize_t n = writer->pipe ? writev(writer->fd, parts, count)
					 : pwritev(writer->fd, parts, count, (off_t)(at + *done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		*done += (size_t)n;
		advance(&parts, &count, (size_t)n);
	}
	return 0;
}

static int write_at(const struct plumb_recording_writer *writer, const void *bytes, size_t size,
		    uint64_t at)
{
	struct bytes copy = {0};
	struct iovec part;
	size_t done;
	int number;

	bytes_add(&copy, bytes, size);
	if (copy.failed)
		return ENOMEM;
	part = (struct iovec){copy.at, copy.size};
	number = write_parts(writer, &part, 1, at, &done);
	bytes_free(&copy);
	return number;
}

/* Returns whether the file can still be found: a temporary one may have no name. */
static bool has_name(const struct plumb_recording_writer *writer)
{
	struct stat status;

	return fstat(writer->fd, &status) != 0 || status.st_nlink > 0;
}

static int failed(struct plumb_recording_writer *writer, int number)
{
	struct place where = {.file = writer->path};
	char text[512];

	disk_failure(writer->fd, writer->path, number, text, sizeof(text));
	diagnostics_add(writer->diagnostics, PLUMB_ERROR,
			number == ENOSPC ? "disk-full" : "not-written", &where, "%s", text);
	if (!writer->pipe && writer->data_end > writer->data_begin && has_name(writer))
		plumb_diagnostics_hint(writer->diagnostics,
				       "the recording up to then is kept and can be read");
	writer->error = PLUMB_ERR_IO;
	return writer->error;
}

/* ---- the header --------------------------------------------------------------------------- */

/* One call, so that a reader, or whoever comes after a SIGKILL, sees the one before or this one. */
static int put_header(struct plumb_recording_writer *writer, const uint64_t bits[4])
{
	size_t row = writer->attr_size + 2 * sizeof(uint64_t);
	size_t attrs = row * writer->setup.event_count;
	struct bytes header = {0};
	int number;

	bytes_add(&header, "PERFILE2", 8);
	bytes_u64(&header, HEADER_SIZE);
	bytes_u64(&header, row);
	bytes_u64(&header, writer->data_begin - attrs);
	bytes_u64(&header, attrs);
	bytes_u64(&header, writer->data_begin);
	bytes_u64(&header, writer->data_end - writer->data_begin);
	/* Event types: an empty section, which readers have ignored since Linux 3.7. */
	bytes_u64(&header, writer->incomplete ? RECORDING_INCOMPLETE
			   : writer->finished ? 0
					      : RECORDING_UNFINISHED);
	bytes_u64(&header, 0);
	bytes_add(&header, bits, 4 * sizeof(*bits));
	number = header.failed ? ENOMEM : write_at(writer, header.at, header.size, 0);
	bytes_free(&header);
	if (number == 0)
		writer->has_features = bits[0] != 0;
	return number;
}

static int put_bare_header(struct plumb_recording_writer *writer)
{
	static const uint64_t none[4];

	return put_header(writer, none);
}

int file_begin(struct plumb_recording_writer *writer)
{
	const struct plumb_recording_setup *setup = &writer->setup;
	struct bytes bytes = {0};
	uint64_t ids = HEADER_SIZE;
	int number;

	for (size_t i = 0; i < setup->event_count; i++)
		bytes_add(&bytes, setup->events[i].ids,
			  setup->events[i].id_count * sizeof(uint64_t));
	for (size_t i = 0; i < setup->event_count; i++) {
		size_t size = setup->events[i].id_count * sizeof(uint64_t);

		write_attr(&bytes, &setup->events[i].attr, writer->attr_size);
		bytes_u64(&bytes, ids);
		bytes_u64(&bytes, size);
		ids += size;
	}
	writer->data_begin = writer->data_end = HEADER_SIZE + bytes.size;
	number = bytes.failed ? ENOMEM : write_at(writer, bytes.at, bytes.size, HEADER_SIZE);
	bytes_free(&bytes);
	return number ? failed(writer, number) : 0;
}

/* ---- data --------------------------------------------------------------------------------- */

static bool add_features(struct plumb_recording_writer *writer, bool index)
{
	struct bytes bytes = {0};
	uint64_t bits[4];
	int number;

	write_features(writer, writer->data_end, index, &bytes, bits);
	writer->features_size = bytes.size;
	number = bytes.failed ? ENOMEM : write_at(writer, bytes.at, bytes.size, writer->data_end);
	bytes_free(&bytes);
	if (number == 0)
		number = put_header(writer, bits);
	if (number)
		errno = number;
	else
		writer->settled_end = writer->data_end;
	return number == 0;
}

/* Returns how many of `size` bytes of records are whole records within `limit`. */
static size_t whole(const uint8_t *records, size_t size, size_t limit)
{
	size_t at = 0;

	while (at < size && at + record_size(records + at) <= limit)
		at += record_size(records + at);
	return at;
}

/*
 * The disk took `done` bytes and no more. Room for the features is won back from the last records:
 * without them a reader knows neither the events' names nor how to decompress.
 */
static void cut(struct plumb_recording_writer *writer, const uint8_t *records, size_t size,
		size_t done)
{
	writer->incomplete = true;
	if (records) {
		struct bytes features = {0};
		uint64_t bits[4];

		write_features(writer, 0, false, &features, bits);
		if (done > features.size)
			writer->data_end += whole(records, size, done - features.size);
		bytes_free(&features);
	}
	if (ftruncate(writer->fd, (off_t)writer->data_end) < 0 || !add_features(writer, false)) {
		/* At least the data ends where the header says. */
		(void)!ftruncate(writer->fd, (off_t)writer->data_end);
		(void)put_bare_header(writer);
	}
}

/*
 * Writes to a pipe. Of records, as many at a time as a pipe takes whole or not at all: whoever
 * reads what a killed recorder left finds no part of one.
 */
static int write_pipe(struct plumb_recording_writer *writer, struct iovec *parts, int count,
		      const uint8_t *records, size_t size)
{
	size_t done;
	int number = 0;

	if (!records) {
		number = write_parts(writer, parts, count, 0, &done);
		writer->data_end += done;
		return number;
	}
	while (size > 0 && number == 0) {
		size_t run = whole(records, size, PIPE_BUF);
		struct iovec part;

		if (!run)
			run = record_size(records);
		memcpy(&part.iov_base, &records, sizeof(records));
		part.iov_len = run;
		number = write_parts(writer, &part, 1, 0, &done);
		writer->data_end += done;
		records += run;
		size -= run;
	}
	return number;
}

int file_append(struct plumb_recording_writer *writer, struct iovec *parts, int count, size_t size,
		bool records)
{
	const uint8_t *first = records ? parts[0].iov_base : NULL;
	size_t done = 0;
	int number = 0;

	if (writer->pipe) {
		number = write_pipe(writer, parts, count, first, size);
		return number ? failed(writer, number) : 0;
	}
	if (writer->has_features)
		number = put_bare_header(writer);
	if (number == 0)
		number = write_parts(writer, parts, count, writer->data_end, &done);
	if (number) {
		cut(writer, first, size, done);
		return failed(writer, number);
	}
	writer->data_end += size;
	number = put_bare_header(writer);
	return number ? failed(writer, number) : 0;
}

/* Bytes that are read and written at once, and between changes for which that is worth while. */
#define SPAN_BYTES 16384u
#define SPAN_GAP   512u

/* Reads from the file, which is open for writing alone. Returns whether it did. */
static bool read_back(struct plumb_recording_writer *writer, uint8_t *bytes, size_t size,
		      uint64_t at)
{
	char name[32];

	if (writer->read_fd == 0) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", writer->fd);
		writer->read_fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	return writer->read_fd > 0 &&
	       pread(writer->read_fd, bytes, size, (off_t)at) == (ssize_t)size;
}

/* Returns how many changes belong to the span that begins with the first. */
static size_t span_of(const struct plumb_recording_change *changes, size_t count)
{
	size_t span = 1;

	while (span < count && changes[span].position - changes[span - 1].position <= SPAN_GAP &&
	       changes[span].position - changes[0].position <= SPAN_BYTES - 8)
		span++;
	return span;
}

static int change_span(struct plumb_recording_writer *writer,
		       const struct plumb_recording_change *changes, size_t count)
{
	uint64_t begin = changes[0].position, size = changes[count - 1].position + 8 - begin;
	uint8_t bytes[SPAN_BYTES];
	struct iovec part = {bytes, size};
	size_t done;

	if (count > 1 && !read_back(writer, bytes, size, begin)) {
		int number = 0;

		for (size_t i = 0; i < count && number == 0; i++)
			number = change_span(writer, &changes[i], 1);
		return number;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + (changes[i].position - begin), &changes[i].value,
		       sizeof(changes[i].value));
	return write_parts(writer, &part, 1, begin, &done);
}

int file_change(struct plumb_recording_writer *writer, const struct plumb_recording_change *changes,
		size_t count)
{
	int number = 0;

	for (size_t span; count > 0 && number == 0; changes += span, count -= span) {
		span = span_of(changes, count);
		number = change_span(writer, changes, span);
	}
	return number ? failed(writer, number) : 0;
}

int file_features(struct plumb_recording_writer *writer, bool index)
{
	int number;

	if (add_features(writer, index))
		return 0;
	number = errno;
	cut(writer, NULL, 0, 0);
	return failed(writer, number);
}
