/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of SPE records, as part of other structs, and read one by one. */
#ifndef SPE_STREAM_H
#define SPE_STREAM_H

#include <plumb/spe.h>

#include "spe/layout.h"

struct plumb_spe_stream {
	const uint8_t *bytes; /* the current piece */
	size_t size, at;
	uint64_t offset; /* of the piece's first byte since the stream began */
	struct plumb_spe_losses lost;
	struct plumb_spe_record record; /* the current one, so far */
	uint8_t kept[16];               /* the beginning of a packet cut off by a piece's end */
	uint8_t kept_size;
	bool open;     /* `record` has packets */
	uint8_t pause; /* calls of plumb_spe_stream_read() until it looks for layouts again */
	uint32_t skip; /* bytes that an alignment still skips */
	uint32_t lanes_apart; /* bytes between the lanes of spe_lanes_read(); 0: unknown */
};

void spe_stream_begin(struct plumb_spe_stream *stream);
/* Reads the next record. Returns false, with `record` undefined, at the end of the piece. */
bool spe_stream_next(struct plumb_spe_stream *stream, struct plumb_spe_record *record);
/* As plumb_spe_stream_read(), with layouts that are learned once for several streams. */
size_t spe_stream_read(struct plumb_spe_stream *stream, struct spe_layouts *layouts,
		       struct plumb_spe_record *records, size_t room);

#endif
