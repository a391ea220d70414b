/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records as they lie in the file, and takes in what each means for reading on. */
#include <stdlib.h>
#include <string.h>

#include "recording/folder.h"
#include "recording/reader.h"
#include "recording/unfinished.h"

#define PROGRESS_STEP ((uint64_t)1 << 20)

static void tell_progress(struct plumb_recording *r)
{
	const uint64_t read = r->folder ? r->folder->read : r->source.position;

	if (!r->options.progress || read < r->next_progress)
		return;
	r->options.progress(r->options.user, read, r->folder ? r->folder->size : r->file_size);
	r->next_progress = read + PROGRESS_STEP;
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
		return reader_failed(r);
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
		.bytes = bytes,
		.offset = r->source.position,
	};
	if (raw->size < RECORD_HEADER)
		return refuse(r, PLUMB_ERR_INVALID, "bad-size",
			      "at %#llx: a record has a size of %zu bytes, less than its header",
			      (unsigned long long)raw->offset, raw->size);
	if (source_reach(&r->source, raw->size, &raw->bytes, &have) < 0)
		return reader_failed(r);
	if (have < raw->size)
		return cut_off(r, raw->offset);
	source_pass(&r->source, raw->size);
	return 1;
}

void carry_record(struct plumb_recording *r, struct raw_record *raw)
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
	carry_record(r, raw);
	size = ((uint64_t)read32(r, raw->bytes + RECORD_HEADER) + 7) & ~UINT64_C(7);
	if (size <= FEATURE_LIMIT) {
		data.bytes = malloc(size + 1);
		if (!data.bytes)
			return out_of_memory(r);
	}
	err = source_skip(&r->source, size, keep_tracing_data, &data, &skipped);
	if (err)
		err = reader_failed(r);
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
		carry_record(r, raw);
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

int read_record(struct plumb_recording *r, struct raw_record *raw)
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
