/* SPDX-License-Identifier: Apache-2.0 */
#include "render/gzip.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "tool/memory.h"

/* deflateInit2()'s: the largest window, and a header and trailer of gzip. */
#define WINDOW_BITS  (15 + 16)
#define MEMORY_LEVEL 8

struct gzip {
	FILE *stream;
	z_stream z;
	uint8_t out[1 << 16];
};

struct gzip *gzip_begin(FILE *stream)
{
	struct gzip *gzip = memory_alloc(sizeof(*gzip));

	gzip->stream = stream;
	if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		memory_given(NULL);
	return gzip;
}

static void compress_piece(struct gzip *gzip, const uint8_t *bytes, size_t size, int flush)
{
	gzip->z.next_in = bytes;
	gzip->z.avail_in = (uInt)size;
	do {
		gzip->z.next_out = gzip->out;
		gzip->z.avail_out = sizeof(gzip->out);
		deflate(&gzip->z, flush);
		fwrite(gzip->out, 1, sizeof(gzip->out) - gzip->z.avail_out, gzip->stream);
	} while (gzip->z.avail_out == 0);
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;

	while (size) {
		const size_t piece = size < 1 << 20 ? size : 1 << 20;

		compress_piece(gzip, next, piece, Z_NO_FLUSH);
		next += piece;
		size -= piece;
	}
}

void gzip_end(struct gzip *gzip)
{
	static const uint8_t none;

	compress_piece(gzip, &none, 0, Z_FINISH);
	deflateEnd(&gzip->z);
	free(gzip);
}
