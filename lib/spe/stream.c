/* SPDX-License-Identifier: Apache-2.0 */
/* Records read one by one, from pieces that may end anywhere. */
#include "spe/packet.h"

void plumb_spe_stream_begin(struct plumb_spe_stream *stream)
{
	*stream = (struct plumb_spe_stream){.first_skipped = UINT64_MAX};
}

void plumb_spe_stream_feed(struct plumb_spe_stream *stream, const uint8_t *bytes, size_t size)
{
	stream->offset += stream->at;
	stream->bytes = bytes;
	stream->size = size;
	stream->at = 0;
}

/* A byte that begins no packet. What came before it may be another record's: it goes, too. */
static void skip_byte(struct plumb_spe_stream *stream, uint64_t offset)
{
	if (stream->skipped++ == 0)
		stream->first_skipped = offset;
	if (stream->open)
		stream->unfinished++;
	stream->open = false;
}

static void add_address(struct plumb_spe_record *record, unsigned index, uint64_t payload)
{
	if (index < 5) {
		record->has |= 1u << index;
		record->addresses[index] = payload;
	} else {
		record->has |= PLUMB_SPE_HAS_OTHERS;
	}
}

static void add_counter(struct plumb_spe_record *record, unsigned index, uint64_t payload)
{
	if (index < 3) {
		record->has |= PLUMB_SPE_HAS_TOTAL_LATENCY << index;
		record->counters[index] = (uint16_t)payload;
	} else {
		record->has |= PLUMB_SPE_HAS_OTHERS;
	}
}

static void add_context(struct plumb_spe_record *record, unsigned index, uint64_t payload)
{
	if (index < 2) {
		record->has |= PLUMB_SPE_HAS_CONTEXT_EL1 << index;
		record->contexts[index] = (uint32_t)payload;
	} else {
		record->has |= PLUMB_SPE_HAS_OTHERS;
	}
}

/* True if the packet ends the record. */
static bool add_packet(struct plumb_spe_record *record, const struct plumb_spe_packet *packet)
{
	switch (packet->type) {
	case PLUMB_SPE_END:
		record->has |= PLUMB_SPE_HAS_END;
		return true;
	case PLUMB_SPE_TIMESTAMP:
		record->has |= PLUMB_SPE_HAS_TIMESTAMP;
		record->timestamp = packet->payload;
		return true;
	case PLUMB_SPE_EVENTS:
		record->has |= PLUMB_SPE_HAS_EVENTS;
		record->events = packet->payload;
		record->events_bytes = packet->payload_bytes;
		break;
	case PLUMB_SPE_DATA_SOURCE:
		record->has |= PLUMB_SPE_HAS_DATA_SOURCE;
		record->data_source = packet->payload;
		record->data_source_bytes = packet->payload_bytes;
		break;
	case PLUMB_SPE_OPERATION:
		record->has |= PLUMB_SPE_HAS_OPERATION;
		record->op_class = packet->index;
		record->operation = (uint8_t)packet->payload;
		break;
	case PLUMB_SPE_CONTEXT:
		add_context(record, packet->index, packet->payload);
		break;
	case PLUMB_SPE_COUNTER:
		add_counter(record, packet->index, packet->payload);
		break;
	default:
		add_address(record, packet->index, packet->payload);
		break;
	}
	return false;
}

/* A whole packet that began at `offset`. True if it ends a record. */
static bool take_packet(struct plumb_spe_stream *stream, const struct plumb_spe_packet *packet,
			uint64_t offset)
{
	struct plumb_spe_record *record = &stream->record;
	uint64_t size;

	if (packet->type == PLUMB_SPE_INVALID) {
		skip_byte(stream, offset);
		return false;
	}
	if (packet->type == PLUMB_SPE_PADDING || packet->type == PLUMB_SPE_ALIGNMENT)
		return false;
	if (!stream->open) {
		*record = (struct plumb_spe_record){.offset = offset};
		stream->open = true;
	}
	if (!add_packet(record, packet))
		return false;
	size = offset + packet->size - record->offset;
	record->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	stream->open = false;
	return true;
}

/*
 * The packet that begins in what was kept of the piece before and goes on in this one. True if it
 * ends a record.
 */
static bool next_kept(struct plumb_spe_stream *stream)
{
	uint8_t bytes[sizeof(stream->kept)];
	uint64_t offset = stream->offset + stream->at - stream->kept_size;
	size_t had = stream->kept_size, left = stream->size - stream->at, size;
	struct plumb_spe_packet packet;

	memcpy(bytes, stream->kept, had);
	size = had + (left < sizeof(bytes) - had ? left : sizeof(bytes) - had);
	memcpy(bytes + had, stream->bytes + stream->at, size - had);
	spe_read_header(bytes, size, offset, &packet);
	if (packet.type == PLUMB_SPE_ALIGNMENT) {
		stream->skip = packet.size - (uint32_t)had;
		stream->kept_size = 0;
		return false;
	}
	if (packet.size == 0 || packet.size > size) {
		memcpy(stream->kept, bytes, size);
		stream->kept_size = (uint8_t)size;
		stream->at += size - had;
		return false;
	}
	packet.payload = spe_load_payload(bytes + packet.header_bytes, packet.payload_bytes);
	stream->kept_size = 0;
	stream->at += packet.size - had; /* what needed more than was kept is not shorter than it */
	return take_packet(stream, &packet, offset);
}

/* What an alignment still skips, as far as this piece goes. */
static void skip_aligned(struct plumb_spe_stream *stream)
{
	size_t left = stream->size - stream->at;
	uint32_t now = stream->skip < left ? stream->skip : (uint32_t)left;

	stream->at += now;
	stream->skip -= now;
}

/* The packet at hand, kept if the piece cuts it off. True if it ends a record. */
static bool next_packet(struct plumb_spe_stream *stream)
{
	const uint8_t *bytes = stream->bytes + stream->at;
	size_t left = stream->size - stream->at;
	uint64_t offset = stream->offset + stream->at;
	struct plumb_spe_packet packet;

	spe_read_header(bytes, left, offset, &packet);
	if (packet.type == PLUMB_SPE_ALIGNMENT) {
		stream->skip = packet.size;
		return false;
	}
	if (packet.size == 0 || packet.size > left) {
		memcpy(stream->kept, bytes, left);
		stream->kept_size = (uint8_t)left;
		stream->at = stream->size;
		return false;
	}
	packet.payload = spe_load_payload(bytes + packet.header_bytes, packet.payload_bytes);
	stream->at += packet.size;
	return take_packet(stream, &packet, offset);
}

bool plumb_spe_stream_next(struct plumb_spe_stream *stream, struct plumb_spe_record *record)
{
	while (stream->at < stream->size) {
		bool ended = false;

		if (stream->skip)
			skip_aligned(stream);
		else if (stream->kept_size)
			ended = next_kept(stream);
		else
			ended = next_packet(stream);
		if (ended) {
			*record = stream->record;
			return true;
		}
	}
	return false;
}

void plumb_spe_stream_end(struct plumb_spe_stream *stream)
{
	if (stream->open || stream->kept_size)
		stream->unfinished++;
	stream->open = false;
	stream->kept_size = 0;
	stream->skip = 0;
}
