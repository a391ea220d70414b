/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PERF_RECORD_COMPRESSED: parts of one zstd stream, which holds whole records, though one may
 * begin in one part and end in another. It is unpacked a window at a time, however much a part
 * grows to.
 */
#include <stdlib.h>
#include <zstd.h>

#include "recording/reader.h"

#define WINDOW ((size_t)256 << 10)

struct decompressor {
	ZSTD_DStream *stream;
	uint8_t *window; /* unpacked: window[start] to window[filled - 1] are yet to be given */
	size_t start, filled;
	uint8_t *fed; /* a part, of which what stands from `fed_start` on is yet to be unpacked */
	size_t fed_start, fed_size;
	uint64_t offset; /* of that part */
	bool more;       /* the stream may hold more than would fit into the window */
};

static struct decompressor *decompressor_new(void)
{
	struct decompressor *unpacked = calloc(1, sizeof(*unpacked));

	if (!unpacked)
		return NULL;
	unpacked->stream = ZSTD_createDStream();
	unpacked->window = malloc(WINDOW);
	unpacked->fed = malloc(RECORD_SIZE_MAX);
	return unpacked;
}

void decompressor_free(struct plumb_recording *r)
{
	if (!r->decompressor)
		return;
	ZSTD_freeDStream(r->decompressor->stream);
	free(r->decompressor->window);
	free(r->decompressor->fed);
	free(r->decompressor);
	r->decompressor = NULL;
}

int decompressor_feed(struct plumb_recording *r, const struct raw_record *raw)
{
	struct decompressor *unpacked = r->decompressor;
	size_t size = raw->size - RECORD_HEADER, skip = RECORD_HEADER;

	if (!unpacked) {
		unpacked = r->decompressor = decompressor_new();
		if (!unpacked || !unpacked->stream || !unpacked->window || !unpacked->fed)
			return out_of_memory(r);
	}
	/* The newer form is padded, and says how much of it counts. */
	if (raw->type == PLUMB_RECORD_COMPRESSED2) {
		uint64_t said = size >= 8 ? read64(r, raw->bytes + RECORD_HEADER) : UINT64_MAX;

		if (size < 8 || said > size - 8)
			return refuse(r, PLUMB_ERR_INVALID, "bad-compressed",
				      "at %#llx: compressed data exceeds its record",
				      (unsigned long long)raw->offset);
		skip += 8;
		size = (size_t)said;
	}
	memcpy(unpacked->fed, raw->bytes + skip, size);
	unpacked->fed_start = 0;
	unpacked->fed_size = size;
	unpacked->offset = raw->offset;
	unpacked->more = true;
	return 0;
}

static int unpack(struct plumb_recording *r, struct decompressor *unpacked)
{
	ZSTD_inBuffer in = {unpacked->fed, unpacked->fed_size, unpacked->fed_start};
	ZSTD_outBuffer out = {unpacked->window, WINDOW, 0};
	size_t result;

	unpacked->filled -= unpacked->start;
	memmove(unpacked->window, unpacked->window + unpacked->start, unpacked->filled);
	unpacked->start = 0;
	out.pos = unpacked->filled;
	result = ZSTD_decompressStream(unpacked->stream, &out, &in);
	if (ZSTD_isError(result))
		return refuse(r, PLUMB_ERR_INVALID, "bad-compressed",
			      "at %#llx: cannot decompress: %s",
			      (unsigned long long)unpacked->offset, ZSTD_getErrorName(result));
	/* Room left in the window means that the stream has given all it has so far. */
	unpacked->more = out.pos == out.size || in.pos < in.size;
	if (unpacked->more && in.pos == unpacked->fed_start && out.pos == unpacked->filled)
		return refuse(r, PLUMB_ERR_INVALID, "bad-compressed",
			      "at %#llx: decompression makes no progress",
			      (unsigned long long)unpacked->offset);
	unpacked->fed_start = in.pos;
	unpacked->filled = out.pos;
	return 0;
}

/* Whether a whole record is there: 1, 0: not yet, or an error. */
static int cut_record(struct plumb_recording *r, struct decompressor *unpacked,
		      struct raw_record *raw)
{
	const uint8_t *bytes = unpacked->window + unpacked->start;
	const size_t have = unpacked->filled - unpacked->start;

	if (have < RECORD_HEADER)
		return 0;
	*raw = (struct raw_record){
		.type = read32(r, bytes),
		.misc = read16(r, bytes + 4),
		.size = read16(r, bytes + 6),
		.bytes = bytes,
		.offset = unpacked->offset,
	};
	if (raw->size < RECORD_HEADER)
		return refuse(r, PLUMB_ERR_INVALID, "bad-size",
			      "at %#llx: a compressed record has a size of %zu bytes, less than "
			      "its header",
			      (unsigned long long)raw->offset, raw->size);
	if (have < raw->size)
		return 0;
	unpacked->start += raw->size;
	return 1;
}

int decompressor_next(struct plumb_recording *r, struct raw_record *raw)
{
	struct decompressor *unpacked = r->decompressor;

	if (!unpacked)
		return 0;
	for (;;) {
		int err, got = cut_record(r, unpacked, raw);

		if (got != 0)
			return got;
		if (!unpacked->more)
			return 0;
		err = unpack(r, unpacked);
		if (err)
			return err;
	}
}
