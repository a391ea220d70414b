/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records compressed with zstd, as perf record -z does it: COMPRESSED records, whose contents one
 * after the other are one zstd stream, flushed at the end of each.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "recording/writer.h"

#define RECORD_HEADER 8u

struct compressor {
	ZSTD_CStream *stream;
	uint64_t in, out;
	uint8_t *room; /* for what a run becomes */
	size_t room_size;
};

int compressor_new(int level, struct compressor **compressor)
{
	struct compressor *made = calloc(1, sizeof(*made));
	/* Incompressible runs get a little longer; each has a header. */
	size_t runs = WRITER_BUFFER / (WRITER_COMPRESSED / 2) + 2;

	*compressor = NULL;
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->room_size = WRITER_BUFFER + runs * 1024;
	made->stream = ZSTD_createCStream();
	made->room = malloc(made->room_size);
	if (!made->stream || !made->room || ZSTD_isError(ZSTD_initCStream(made->stream, level))) {
		compressor_free(made);
		return PLUMB_ERR_NO_MEMORY;
	}
	*compressor = made;
	return 0;
}

void compressor_free(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCStream(compressor->stream);
	free(compressor->room);
	free(compressor);
}

uint32_t compressor_ratio(const struct compressor *compressor)
{
	if (!compressor->out)
		return 1;
	return (uint32_t)((compressor->in + compressor->out / 2) / compressor->out);
}

static size_t record_size(const uint8_t *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

/* As many whole records as one COMPRESSED record may hold; 0: already the first is too long. */
static size_t next_run(const uint8_t *records, size_t size)
{
	size_t run = 0;

	while (run < size && run + record_size(records + run) <= WRITER_COMPRESSED)
		run += record_size(records + run);
	return run;
}

/* One COMPRESSED record of `size` bytes of records, at `out`; returns its size, or an error. */
static int compress_run(struct compressor *compressor, const uint8_t *records, size_t size,
			uint8_t *out, size_t room)
{
	ZSTD_inBuffer from = {records, size, 0};
	ZSTD_outBuffer to = {out + RECORD_HEADER, room - RECORD_HEADER, 0};
	const uint32_t type = PLUMB_RECORD_COMPRESSED;
	uint16_t misc = 0, whole;

	if (ZSTD_compressStream2(compressor->stream, &to, &from, ZSTD_e_flush) != 0)
		return PLUMB_ERR_NO_MEMORY;
	whole = (uint16_t)(to.pos + RECORD_HEADER);
	memcpy(out, &type, sizeof(type));
	memcpy(out + 4, &misc, sizeof(misc));
	memcpy(out + 6, &whole, sizeof(whole));
	compressor->in += size;
	compressor->out += whole;
	return whole;
}

int compressor_run(struct compressor *compressor, const uint8_t *records, size_t size,
		   const uint8_t **out, size_t *out_size)
{
	size_t done = 0;

	*out = compressor->room;
	while (size > 0) {
		size_t run = next_run(records, size), left = compressor->room_size - done;

		if (run == 0) {
			/* Longer than a COMPRESSED record could be: as it is. */
			run = record_size(records);
			if (run > left)
				return PLUMB_ERR_LIMIT;
			memcpy(compressor->room + done, records, run);
			done += run;
		} else {
			size_t most = left < UINT16_MAX ? left : UINT16_MAX;
			int n = compress_run(compressor, records, run, compressor->room + done,
					     most);

			if (n < 0)
				return n;
			done += (size_t)n;
		}
		records += run;
		size -= run;
	}
	*out_size = done;
	return 0;
}
