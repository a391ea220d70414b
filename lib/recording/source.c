/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is read and not mapped: one that is cut short while it is being read then ends, where a
 * mapping would end the program.
 */
#include "recording/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <plumb/error.h>

/* How much is read at first, and behind what was leapt over: there may be more of that soon, AUX
 * data with a few records in between. */
#define READ_FIRST (8u << 10)
#define READ_NEXT  (1u << 10)

int source_open(struct source *source, int fd)
{
	*source = (struct source){.fd = fd, .end = UINT64_MAX, .ahead = READ_FIRST};
	source->seekable = lseek(fd, 0, SEEK_CUR) >= 0;
	source->window = malloc(SOURCE_WINDOW);
	return source->window ? 0 : PLUMB_ERR_NO_MEMORY;
}

void source_close(struct source *source)
{
	free(source->window);
	source->window = NULL;
}

void source_seek(struct source *source, uint64_t position, uint64_t end)
{
	source->position = position;
	source->end = end;
	source->start = source->filled = 0;
	source->dry = false;
}

static ssize_t read_once(const struct source *source, uint64_t offset, uint8_t *bytes, size_t size)
{
	ssize_t got;

	do {
		if (source->seekable)
			got = pread(source->fd, bytes, size, (off_t)offset);
		else
			got = read(source->fd, bytes, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* Appends to the window what one read gives. */
static int fill(struct source *source)
{
	uint64_t offset = source->position + (source->filled - source->start);
	size_t room = SOURCE_WINDOW - source->filled;
	ssize_t got;

	if (offset >= source->end || offset > INT64_MAX) {
		source->dry = true;
		return 0;
	}
	if (room > source->ahead)
		room = source->ahead;
	if (room > source->end - offset)
		room = (size_t)(source->end - offset);
	if (source->ahead < SOURCE_WINDOW)
		source->ahead *= 2;
	got = read_once(source, offset, source->window + source->filled, room);
	if (got < 0)
		return PLUMB_ERR_IO;
	source->dry = got == 0;
	source->filled += (size_t)got;
	return 0;
}

int source_reach(struct source *source, size_t wanted, const uint8_t **bytes, size_t *have)
{
	if (source->filled - source->start < wanted && !source->dry) {
		source->filled -= source->start;
		memmove(source->window, source->window + source->start, source->filled);
		source->start = 0;
		while (source->filled < wanted && !source->dry) {
			int err = fill(source);

			if (err)
				return err;
		}
	}
	*bytes = source->window + source->start;
	*have = source->filled - source->start;
	return 0;
}

/* Past what is at hand a file needs no reading: but its end must be looked for. */
static int leap(struct source *source, uint64_t size, uint64_t *leapt)
{
	const off_t file_end = lseek(source->fd, 0, SEEK_END);
	uint64_t end = source->end, left;

	if (file_end < 0)
		return PLUMB_ERR_IO;
	if (end > (uint64_t)file_end)
		end = (uint64_t)file_end;
	left = end > source->position ? end - source->position : 0;
	*leapt = size < left ? size : left;
	source->position += *leapt;
	source->ahead = READ_NEXT;
	return 0;
}

int source_skip(struct source *source, uint64_t size, source_sink *sink, void *user,
		uint64_t *skipped)
{
	*skipped = 0;
	while (*skipped < size) {
		size_t part = source->filled - source->start;
		const uint8_t *bytes;
		int err;

		if (part == 0 && !sink && source->seekable) {
			uint64_t leapt = 0;

			source->start = source->filled = 0;
			err = leap(source, size - *skipped, &leapt);
			*skipped += leapt;
			return err;
		}
		if (part == 0) {
			err = source_reach(source, 1, &bytes, &part);
			if (err)
				return err;
			if (part == 0)
				return 0;
		}
		if (part > size - *skipped)
			part = (size_t)(size - *skipped);
		err = sink ? sink(user, source->window + source->start, part) : 0;
		if (err)
			return err;
		source_pass(source, part);
		*skipped += part;
	}
	return 0;
}

int source_read_at(int fd, uint64_t offset, void *bytes, size_t size, size_t *got)
{
	*got = 0;
	while (*got < size) {
		ssize_t part;

		if (offset + *got > INT64_MAX || offset + *got < offset)
			return 0;
		part = pread(fd, (uint8_t *)bytes + *got, size - *got, (off_t)(offset + *got));
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return PLUMB_ERR_IO;
		if (part == 0)
			return 0;
		*got += (size_t)part;
	}
	return 0;
}
