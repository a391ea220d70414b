/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/synthesize.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES_MAX 4096

struct synthesis *synthesis_begin(uint64_t sample_type, uint64_t id, bool build_ids, ring_sink sink,
				  void *user)
{
	struct synthesis *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->sample_type = sample_type;
	s->id = id;
	s->sink = sink;
	s->user = user;
	s->used = 0;
	s->error = 0;
	s->build_ids = build_ids ? calloc(1, sizeof(*s->build_ids)) : NULL;
	if (s->build_ids || !build_ids)
		return s;
	free(s);
	return NULL;
}

static void flush(struct synthesis *s)
{
	if (s->used && s->error == 0)
		s->error = s->sink(s->user, s->buffer, s->used);
	s->used = 0;
}

int synthesis_end(struct synthesis *s)
{
	int error;

	flush(s);
	error = s->error;
	free(s->build_ids);
	free(s);
	return error;
}

static void put(struct synthesis *s, const void *bytes, size_t size)
{
	memcpy(s->buffer + s->used, bytes, size);
	s->used += size;
}

static void put_u32(struct synthesis *s, uint32_t value)
{
	put(s, &value, sizeof(value));
}

static void put_u64(struct synthesis *s, uint64_t value)
{
	put(s, &value, sizeof(value));
}

/* Appends the text with its NUL, padded to 8 bytes. */
static void put_text(struct synthesis *s, const char *text)
{
	static const uint8_t zeros[8];
	size_t size = strnlen(text, PATH_BYTES_MAX - 1);

	put(s, text, size);
	put(s, zeros, 8 - size % 8);
}

static size_t begin_record(struct synthesis *s, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	if (s->used > sizeof(s->buffer) - RING_RECORD_MAX)
		flush(s);
	put(s, &header, sizeof(header));
	return s->used - sizeof(header);
}

/* What every record ends with: perf_event_open(2), "sample_id_all". */
static void end_record(struct synthesis *s, size_t start, pid_t pid, pid_t tid)
{
	struct perf_event_header header;

	if (s->sample_type & PERF_SAMPLE_TID) {
		put_u32(s, (uint32_t)pid);
		put_u32(s, (uint32_t)tid);
	}
	if (s->sample_type & PERF_SAMPLE_TIME)
		put_u64(s, 0);
	if (s->sample_type & PERF_SAMPLE_ID)
		put_u64(s, s->id);
	if (s->sample_type & PERF_SAMPLE_STREAM_ID)
		put_u64(s, s->id);
	if (s->sample_type & PERF_SAMPLE_CPU)
		put_u64(s, 0);
	if (s->sample_type & PERF_SAMPLE_IDENTIFIER)
		put_u64(s, s->id);
	memcpy(&header, s->buffer + start, sizeof(header));
	header.size = (uint16_t)(s->used - start);
	memcpy(s->buffer + start, &header, sizeof(header));
}

static void put_build_id(struct synthesis *s, const struct build_id *id)
{
	put_u32(s, id->size); /* and two members that are 0 */
	put(s, id->bytes, sizeof(id->bytes));
}

void synthesis_add_map(struct synthesis *s, pid_t pid, pid_t tid, const struct synthetic_map *map)
{
	const bool build_id = map->build_id && map->build_id->size;
	uint16_t misc = map->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	size_t start =
		begin_record(s, PERF_RECORD_MMAP2,
			     (uint16_t)(misc | (build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0)));

	put_u32(s, (uint32_t)pid);
	put_u32(s, (uint32_t)tid);
	put_u64(s, map->start);
	put_u64(s, map->length);
	put_u64(s, map->offset);
	if (build_id) {
		put_build_id(s, map->build_id);
	} else {
		put_u32(s, map->major);
		put_u32(s, map->minor);
		put_u64(s, map->inode);
		put_u64(s, 0); /* the inode's generation, which /proc does not tell */
	}
	put_u32(s, map->protection);
	put_u32(s, map->flags);
	put_text(s, map->path);
	end_record(s, start, pid, tid);
}

void synthesis_add_name(struct synthesis *s, pid_t pid, pid_t tid, const char *name)
{
	size_t start = begin_record(s, PERF_RECORD_COMM, 0);

	put_u32(s, (uint32_t)pid);
	put_u32(s, (uint32_t)tid);
	put_text(s, name);
	end_record(s, start, pid, tid);
}

void synthesis_add_fork(struct synthesis *s, pid_t pid, pid_t parent, pid_t tid, pid_t parent_tid)
{
	/* Tells readers not to inherit the parent's maps, because this process's own follow. */
	size_t start = begin_record(s, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC);

	put_u32(s, (uint32_t)pid);
	put_u32(s, (uint32_t)parent);
	put_u32(s, (uint32_t)tid);
	put_u32(s, (uint32_t)parent_tid);
	put_u64(s, 0);
	end_record(s, start, pid, tid);
}

void synthesis_add_lost(struct synthesis *s, uint64_t id, uint64_t lost)
{
	size_t start = begin_record(s, PERF_RECORD_LOST_SAMPLES, 0);

	s->id = id;
	put_u64(s, lost);
	end_record(s, start, 0, 0);
}
