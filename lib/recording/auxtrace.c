/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AUX data: where its chunks are. In a file they stay where they are; what comes through a pipe is
 * put aside into a temporary file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "recording/access.h"
#include "recording/folder.h"
#include "recording/reader.h"

#define INDEX_ENTRY 16u

bool chunk_parse(struct cursor *in, struct plumb_aux_chunk *chunk)
{
	*chunk = (struct plumb_aux_chunk){0};
	chunk->size = take64(in);
	chunk->offset = take64(in);
	chunk->reference = take64(in);
	chunk->index = take32(in);
	chunk->tid = (int32_t)take32(in);
	chunk->cpu = (int32_t)take32(in);
	return !in->short_of;
}

static int add_chunk(struct plumb_recording *r, const struct plumb_aux_chunk *chunk)
{
	if (r->chunk_count == r->chunk_room) {
		size_t room = r->chunk_room ? 2 * r->chunk_room : 64;
		struct plumb_aux_chunk *grown = reallocarray(r->chunks, room, sizeof(*grown));

		if (!grown)
			return out_of_memory(r);
		r->chunks = grown;
		r->chunk_room = room;
	}
	r->chunks[r->chunk_count++] = *chunk;
	return 0;
}

/* ---- The index of a file --------------------------------------------------------------------- */

/* The record that an entry of the index leads to. 1, or 0: there is none there. */
static int look_up(struct plumb_recording *r, uint64_t place, struct plumb_aux_chunk *chunk)
{
	uint8_t bytes[AUXTRACE_SIZE];
	struct cursor in = cursor_over(r, bytes + RECORD_HEADER, sizeof(bytes) - RECORD_HEADER);
	size_t got, size;

	if (source_read_at(r->fd, place, bytes, sizeof(bytes), &got) < 0)
		return refuse(r, PLUMB_ERR_IO, "read", "reading failed at %#llx: %s",
			      (unsigned long long)place, strerrordesc_np(errno));
	size = read16(r, bytes + 6);
	if (got < sizeof(bytes) || read32(r, bytes) != PLUMB_RECORD_AUXTRACE ||
	    size < AUXTRACE_SIZE || !chunk_parse(&in, chunk))
		return 0;
	chunk->place = place + size;
	return chunk->place <= r->file_size && chunk->size <= r->file_size - chunk->place;
}

static int compare_places(const void *a, const void *b)
{
	const struct plumb_aux_chunk *first = a, *second = b;

	return (first->place > second->place) - (first->place < second->place);
}

int chunks_read_index(struct plumb_recording *r)
{
	const struct kept_feature *feature = &r->features[PLUMB_FEATURE_AUXTRACE];
	struct cursor in = cursor_over(r, feature->bytes, feature->size);
	const uint64_t count = take64(&in);

	if (count > cursor_left(&in) / INDEX_ENTRY || count > CHUNKS_LIMIT) {
		reader_complain(r, COMPLAINT_AUX, 0, "the index of AUX data is malformed");
		return 0;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct plumb_aux_chunk chunk;
		const uint64_t place = take64(&in);
		int got = look_up(r, place, &chunk);

		(void)take64(&in); /* the size of the record, which the record says too */
		if (got > 0)
			got = add_chunk(r, &chunk);
		else if (got == 0) {
			reader_complain(r, COMPLAINT_AUX, place,
					"the index of AUX data is wrong, and is ignored");
			r->chunk_count = 0;
			return 0;
		}
		if (got < 0)
			return got;
	}
	if (r->chunk_count > 1)
		qsort(r->chunks, r->chunk_count, sizeof(*r->chunks), compare_places);
	r->chunks_indexed = true;
	return 0;
}

/* ---- Chunks as they come --------------------------------------------------------------------- */

static int spool_failed(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_IO, "spool",
		      "cannot keep AUX data in a temporary file in " P_tmpdir ": %s",
		      strerrordesc_np(errno));
}

static int spool_open(struct plumb_recording *r)
{
	char path[] = P_tmpdir "/plumb-XXXXXX";

	if (r->spool >= 0)
		return 0;
	r->spool = open(P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (r->spool >= 0)
		return 0;
	/* Not every file system has files without a name. */
	r->spool = mkostemp(path, O_CLOEXEC);
	if (r->spool < 0)
		return spool_failed(r);
	(void)file_remove(path);
	return 0;
}

static int spool_write(void *user, const uint8_t *bytes, size_t size)
{
	struct plumb_recording *r = user;

	while (size > 0) {
		ssize_t written = pwrite(r->spool, bytes, size, (off_t)r->spooled);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return PLUMB_ERR_LIMIT;
		bytes += written;
		size -= (size_t)written;
		r->spooled += (uint64_t)written;
	}
	return 0;
}

int chunks_take(struct plumb_recording *r, struct raw_record *raw)
{
	struct cursor in = cursor_over_record(r, raw);
	const bool aside = !r->source.seekable;
	struct plumb_aux_chunk chunk;
	uint64_t skipped;
	int err;

	if (!chunk_parse(&in, &chunk))
		return refuse(
			r, PLUMB_ERR_INVALID, "bad-size",
			"at %#llx: an AUXTRACE record is too short to hold the size of its data",
			(unsigned long long)raw->offset);
	if (aside && spool_open(r) < 0)
		return PLUMB_ERR_IO;
	chunk.place = aside ? r->spooled : r->source.position;
	if (r->folder)
		chunk.place += r->folder->parts[r->folder->current].base;
	err = source_skip(&r->source, chunk.size, aside ? spool_write : NULL, r, &skipped);
	if (err == PLUMB_ERR_LIMIT)
		return spool_failed(r);
	if (err)
		return refuse(r, PLUMB_ERR_IO, "read", "reading failed at %#llx: %s",
			      (unsigned long long)r->source.position, strerrordesc_np(errno));
	if (skipped < chunk.size) {
		r->losses.cut_off = true;
		reader_complain(
			r, COMPLAINT_CUT_OFF, raw->offset,
			"the recording ends within AUX data, of which %llu bytes of %llu are there",
			(unsigned long long)skipped, (unsigned long long)chunk.size);
		chunk.size = skipped;
	}
	raw->aux_place = chunk.place;
	raw->aux_size = chunk.size;
	return r->chunks_indexed ? 0 : add_chunk(r, &chunk);
}

/* ---- SPE data alone -------------------------------------------------------------------------- */

/* How much there is; what comes through a pipe must be read for that. */
static int bare_size(struct plumb_recording *r, uint64_t *size)
{
	int err;

	*size = r->file_size;
	if (r->source.seekable)
		return 0;
	err = spool_open(r);
	if (err)
		return err;
	err = source_skip(&r->source, UINT64_MAX, spool_write, r, size);
	if (err == PLUMB_ERR_LIMIT)
		return spool_failed(r);
	return err ? refuse(r, PLUMB_ERR_IO, "read", "cannot read: %s", strerrordesc_np(errno)) : 0;
}

int bare_read(struct plumb_recording *r)
{
	static const uint64_t values[] = {0, 0};
	struct plumb_aux_chunk chunk = {.tid = -1, .cpu = -1};
	uint8_t magic[8];
	int err = bare_size(r, &chunk.size);

	if (err)
		return err;
	if (chunk.size == 0)
		return refuse(r, PLUMB_ERR_SYNTAX, "empty", "the file is empty");
	/* A pipe is not looked at. */
	if (pread(r->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	    header_has_magic(magic)) {
		err = refuse(r, PLUMB_ERR_SYNTAX, "no-bare-data",
			     "a perf.data file, not bare SPE data");
		diagnostics_remedy(r->diagnostics, "not-bare", NULL, "read it as a recording");
		return err;
	}
	r->auxtrace_info = (struct plumb_auxtrace_info){AUXTRACE_ARM_SPE, values, 2};
	r->has_auxtrace_info = true;
	r->chunks_indexed = true;
	return add_chunk(r, &chunk);
}

/* As the record would stand in a recording. */
void bare_record(const struct plumb_recording *r, uint8_t bytes[AUXTRACE_SIZE],
		 struct raw_record *raw)
{
	const struct plumb_aux_chunk *chunk = &r->chunks[0];
	const uint32_t header[] = {PLUMB_RECORD_AUXTRACE, 0}, ring[] = {0, UINT32_MAX, UINT32_MAX};
	const uint16_t size = AUXTRACE_SIZE;

	memset(bytes, 0, AUXTRACE_SIZE);
	memcpy(bytes, header, sizeof(header));
	memcpy(bytes + 6, &size, sizeof(size));
	memcpy(bytes + RECORD_HEADER, &chunk->size, sizeof(chunk->size));
	memcpy(bytes + RECORD_HEADER + 24, ring, sizeof(ring));
	*raw = (struct raw_record){
		.type = PLUMB_RECORD_AUXTRACE,
		.bytes = bytes,
		.size = AUXTRACE_SIZE,
		.aux_size = chunk->size,
	};
}

void chunks_free(struct plumb_recording *r)
{
	free(r->chunks);
	if (r->spool >= 0)
		(void)close(r->spool);
}

const struct plumb_aux_chunk *recording_aux_chunk(const struct plumb_recording *r, size_t i)
{
	return i < r->chunk_count ? &r->chunks[i] : NULL;
}

/* Reads AUX data at `place`, wherever that is kept. */
static int read_at(const struct plumb_recording *r, uint64_t place, void *bytes, size_t size,
		   size_t *got)
{
	int fd = r->source.seekable ? r->fd : r->spool;

	if (r->folder)
		fd = folder_fd(r->folder, &place);
	return source_read_at(fd, place, bytes, size, got);
}

int recording_try_aux(const struct plumb_recording *r, const struct plumb_aux_chunk *chunk,
		      uint64_t from, void *bytes, size_t size)
{
	size_t got;

	if (from > chunk->size || size > chunk->size - from || chunk->place > UINT64_MAX - from)
		return PLUMB_ERR_ARGUMENT;
	if (read_at(r, chunk->place + from, bytes, size, &got) < 0)
		return PLUMB_ERR_IO;
	return got < size ? PLUMB_ERR_INVALID : 0;
}

int plumb_recording_read_aux(const struct plumb_recording *r, const struct plumb_aux_chunk *chunk,
			     uint64_t from, void *bytes, size_t size)
{
	unsigned long long place;
	size_t got;

	if (from > chunk->size || size > chunk->size - from || chunk->place > UINT64_MAX - from)
		return refuse(r, PLUMB_ERR_ARGUMENT, "beyond-chunk",
			      "a chunk of %llu bytes has no %zu bytes at offset %llu",
			      (unsigned long long)chunk->size, size, (unsigned long long)from);
	place = chunk->place + from;
	if (read_at(r, place, bytes, size, &got) < 0)
		return refuse(r, PLUMB_ERR_IO, "read", "reading AUX data at %#llx failed: %s",
			      place, strerrordesc_np(errno));
	if (got < size)
		return refuse(r, PLUMB_ERR_INVALID, "cut-off",
			      "only %zu of %zu bytes of AUX data at %#llx are there", got, size,
			      place);
	return 0;
}

/* ---- What AUX data means --------------------------------------------------------------------- */

static int keep_info(struct plumb_recording *r, struct cursor *in)
{
	const uint32_t type = take32(in);
	uint64_t *values;
	size_t count;

	(void)take32(in);
	if (in->short_of || r->has_auxtrace_info)
		return 0;
	count = cursor_left(in) / 8;
	values = arena_alloc_array(&r->arena, count + 1, sizeof(*values));
	if (!values)
		return out_of_memory(r);
	for (size_t i = 0; i < count; i++)
		values[i] = take64(in);
	r->auxtrace_info = (struct plumb_auxtrace_info){type, values, count};
	r->has_auxtrace_info = true;
	return 0;
}

int auxtrace_info_keep(struct plumb_recording *r, const struct raw_record *raw)
{
	struct cursor in = cursor_over_record(r, raw);

	if (raw->type == PLUMB_RECORD_AUXTRACE_INFO)
		return keep_info(r, &in);
	if (!r->has_time_conv) {
		time_conv_parse(&in, &r->time_conv);
		r->has_time_conv = !in.short_of;
	}
	return 0;
}

uint64_t time_from_ticks(const struct plumb_time_conv *conv, uint64_t ticks)
{
	const unsigned shift = conv->shift < 64 ? (unsigned)conv->shift : 63;
	uint64_t quotient, remainder;

	if (conv->cap_user_time_short)
		ticks = conv->cycles + ((ticks - conv->cycles) & conv->mask);
	quotient = ticks >> shift;
	remainder = ticks & ((UINT64_C(1) << shift) - 1);
	return conv->zero + quotient * conv->mult + (remainder * conv->mult >> shift);
}
