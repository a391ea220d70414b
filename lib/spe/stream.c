/* SPDX-License-Identifier: Apache-2.0 */
/* Records read one by one, from pieces that may end anywhere. */
#include "spe/stream.h"

#include <stdlib.h>

#include "spe/lanes.h"
#include "spe/layout.h"
#include "spe/packet.h"
#include "spe/slots.h"

void spe_stream_begin(struct plumb_spe_stream *stream)
{
	*stream = (struct plumb_spe_stream){.lost.first_skipped = UINT64_MAX};
}

int plumb_spe_stream_new(struct plumb_spe_stream **stream)
{
	*stream = malloc(sizeof(**stream));
	if (!*stream)
		return PLUMB_ERR_NO_MEMORY;
	spe_stream_begin(*stream);
	return 0;
}

void plumb_spe_stream_free(struct plumb_spe_stream *stream)
{
	free(stream);
}

const struct plumb_spe_losses *plumb_spe_stream_losses(const struct plumb_spe_stream *stream)
{
	return &stream->lost;
}

void plumb_spe_stream_feed(struct plumb_spe_stream *stream, const uint8_t *bytes, size_t size)
{
	stream->offset += stream->at;
	stream->bytes = bytes;
	stream->size = size;
	stream->at = 0;
}

/* Skips a byte that begins no packet. Drops the record before it, which may be another's. */
static void skip_byte(struct plumb_spe_stream *stream, uint64_t offset)
{
	if (stream->lost.skipped++ == 0)
		stream->lost.first_skipped = offset;
	if (stream->open)
		stream->lost.unfinished++;
	stream->open = false;
}

/* Member by member: gcc would clear the whole with "rep stos", which takes longer than all of it.
 */
static inline void begin_record(struct plumb_spe_record *record, uint64_t offset)
{
	record->offset = offset;
	record->size = 0;
	record->has = 0;
	for (unsigned i = 0; i < 5; i++)
		record->addresses[i] = 0;
	record->events = 0;
	record->data_source = 0;
	record->timestamp = 0;
	record->contexts[0] = record->contexts[1] = 0;
	record->counters[0] = record->counters[1] = record->counters[2] = 0;
	record->op_class = 0;
	record->operation = 0;
	record->events_bytes = 0;
	record->data_source_bytes = 0;
}

/* Each of these adds a member to the record, and returns its bit of .has. */

static inline uint32_t add_address(struct plumb_spe_record *record, unsigned index,
				   uint64_t payload)
{
	if (index >= 5)
		return PLUMB_SPE_HAS_OTHERS;
	record->addresses[index] = payload;
	return 1u << index;
}

static inline uint32_t add_counter(struct plumb_spe_record *record, unsigned index,
				   uint64_t payload)
{
	if (index >= 3)
		return PLUMB_SPE_HAS_OTHERS;
	record->counters[index] = (uint16_t)payload;
	return PLUMB_SPE_HAS_TOTAL_LATENCY << index;
}

static inline uint32_t add_context(struct plumb_spe_record *record, unsigned index,
				   uint64_t payload)
{
	if (index >= 2)
		return PLUMB_SPE_HAS_OTHERS;
	record->contexts[index] = (uint32_t)payload;
	return PLUMB_SPE_HAS_CONTEXT_EL1 << index;
}

static inline uint32_t add_operation(struct plumb_spe_record *record, unsigned op_class,
				     uint8_t payload)
{
	record->op_class = (uint8_t)op_class;
	record->operation = payload;
	return PLUMB_SPE_HAS_OPERATION;
}

static inline uint32_t add_events(struct plumb_spe_record *record, uint64_t events, uint8_t bytes)
{
	record->events = events;
	record->events_bytes = bytes;
	return PLUMB_SPE_HAS_EVENTS;
}

static inline uint32_t add_data_source(struct plumb_spe_record *record, uint64_t source,
				       uint8_t bytes)
{
	record->data_source = source;
	record->data_source_bytes = bytes;
	return PLUMB_SPE_HAS_DATA_SOURCE;
}

/* Returns true if the packet ends the record. */
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
		record->has |= add_events(record, packet->payload, packet->payload_bytes);
		break;
	case PLUMB_SPE_DATA_SOURCE:
		record->has |= add_data_source(record, packet->payload, packet->payload_bytes);
		break;
	case PLUMB_SPE_OPERATION:
		record->has |= add_operation(record, packet->index, (uint8_t)packet->payload);
		break;
	case PLUMB_SPE_CONTEXT:
		record->has |= add_context(record, packet->index, packet->payload);
		break;
	case PLUMB_SPE_COUNTER:
		record->has |= add_counter(record, packet->index, packet->payload);
		break;
	default:
		record->has |= add_address(record, packet->index, packet->payload);
		break;
	}
	return false;
}

/* Ends the current record at offset `end`. */
static void end_record(struct plumb_spe_stream *stream, struct plumb_spe_record *record,
		       uint64_t end)
{
	uint64_t size = end - record->offset;

	record->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	stream->open = false;
}

/* Adds a whole packet that began at `offset`. Returns true if it ends a record. */
static bool take_packet(struct plumb_spe_stream *stream, struct plumb_spe_record *record,
			const struct plumb_spe_packet *packet, uint64_t offset)
{
	if (packet->type == PLUMB_SPE_INVALID) {
		skip_byte(stream, offset);
		return false;
	}
	if (packet->type == PLUMB_SPE_PADDING || packet->type == PLUMB_SPE_ALIGNMENT)
		return false;
	if (!stream->open) {
		begin_record(record, offset);
		stream->open = true;
	}
	if (!add_packet(record, packet))
		return false;
	end_record(stream, record, offset + packet->size);
	return true;
}

/*
 * The packet that begins in what was kept of the piece before and goes on in this one. True if it
 * ends a record.
 */
static bool next_kept(struct plumb_spe_stream *stream, struct plumb_spe_record *record)
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
	return take_packet(stream, record, &packet, offset);
}

/* Skips what an alignment still skips, as far as this piece goes. */
static void skip_aligned(struct plumb_spe_stream *stream)
{
	size_t left = stream->size - stream->at;
	uint32_t now = stream->skip < left ? stream->skip : (uint32_t)left;

	stream->at += now;
	stream->skip -= now;
}

/* Reads a packet; keeps it if the piece cuts it off. Returns true if it ends a record. */
static bool next_packet(struct plumb_spe_stream *stream, struct plumb_spe_record *record)
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
	return take_packet(stream, record, &packet, offset);
}

/* ---- Packets with short headers ---------------------------------------------------------------
 */

/* Skips padding between records. */
static void skip_padding(struct plumb_spe_stream *stream)
{
	while (stream->size - stream->at >= PLUMB_SPE_PACKET_MAX && !stream->bytes[stream->at])
		stream->at += padding_ahead(spe_load64(stream->bytes + stream->at));
}

/* Reads packets up to one that needs a closer look, or the piece's end. Returns true if a record
 * has ended. */
static bool read_short_packets(struct plumb_spe_stream *stream, struct plumb_spe_record *record)
{
	const uint8_t *bytes = stream->bytes;
	const size_t size = stream->size;
	uint32_t has = stream->open ? record->has : 0;
	uint8_t type = PLUMB_SPE_PADDING, header;
	union slots slots;
	size_t at;

	if (!stream->open)
		skip_padding(stream);
	at = stream->at;
	if (size - at < PLUMB_SPE_PACKET_MAX || spe_headers[bytes[at]].type >= PLUMB_SPE_ALIGNMENT)
		return false;
	fill_slots(&slots, stream->open ? record : NULL);
	if (!stream->open)
		record->offset = stream->offset + at;
	stream->open = true;
	header = bytes[at];
	while (size - at >= PLUMB_SPE_PACKET_MAX) {
		const struct slot_action *action = &slot_actions[header];
		uint64_t ahead;
		size_t padding;

		if (!action->size || action->ends) {
			type = spe_headers[header].type;
			break;
		}
		slots.values[action->slot] = spe_load64(bytes + at + 1);
		slots.about[action->about] = header;
		has |= action->has;
		at += short_packet_size(header);
		if (size - at < PLUMB_SPE_PACKET_MAX)
			break;
		/* Where the next packet begins, and its header, is what the next turn waits for. */
		ahead = spe_load64(bytes + at);
		padding = padding_ahead(ahead);
		header = (uint8_t)(ahead >> 8 * padding);
		at += padding;
	}
	take_slots(&slots, record);
	if (type == PLUMB_SPE_TIMESTAMP) {
		record->timestamp = spe_load64(bytes + at + 1);
		has |= PLUMB_SPE_HAS_TIMESTAMP;
		at += 9;
	} else if (type == PLUMB_SPE_END) {
		has |= PLUMB_SPE_HAS_END;
		at++;
	}
	record->has = has;
	stream->at = at;
	if (type != PLUMB_SPE_TIMESTAMP && type != PLUMB_SPE_END)
		return false;
	end_record(stream, record, stream->offset + at);
	return true;
}

bool spe_stream_next(struct plumb_spe_stream *stream, struct plumb_spe_record *record)
{
	if (stream->open)
		*record = stream->record;
	while (stream->at < stream->size) {
		bool ended = false;

		if (stream->skip)
			skip_aligned(stream);
		else if (stream->kept_size)
			ended = next_kept(stream, record);
		else
			ended = read_short_packets(stream, record) || next_packet(stream, record);
		if (ended)
			return true;
	}
	if (stream->open)
		stream->record = *record;
	return false;
}

#define PAUSE        31
#define PAUSE_MISSED 16

/* Returns whether the next record begins in this piece. */
static bool is_between_records(const struct plumb_spe_stream *stream)
{
	return !stream->open && !stream->kept_size && !stream->skip;
}

size_t spe_stream_read(struct plumb_spe_stream *stream, struct spe_layouts *layouts,
		       struct plumb_spe_record *records, size_t room)
{
	const bool by_layout = stream->pause == 0;
	size_t count = 0;

	spe_layouts_restart(layouts);
	stream->pause -= !by_layout;
	while (count < room) {
		const bool whole = by_layout && is_between_records(stream);
		struct plumb_spe_record *record;

		if (whole)
			count += spe_layouts_read(layouts, stream->bytes, stream->size,
						  stream->offset + stream->at, &stream->at,
						  records + count, room - count);
		if (!by_layout && count && is_between_records(stream)) {
			/* Few more would take as long as many. */
			if (count > room / 2 && room - count < SPE_LANES_ROOM)
				break;
			if (room - count >= SPE_LANES_ROOM)
				count += spe_lanes_read(stream->bytes, stream->size, stream->offset,
							&stream->at, &stream->lanes_apart,
							&records[count - 1], records + count,
							room - count, layouts->members);
		}
		if (count == room)
			break;
		record = &records[count];
		if (!spe_stream_next(stream, record))
			break;
		count++;
		if (whole && is_between_records(stream)) {
			const size_t at = (size_t)(record->offset - stream->offset);

			spe_layouts_learn(layouts, stream->bytes + at, stream->size - at, record);
		}
	}
	/* Looking for layouts takes longer where each record has one of its own. */
	if (layouts->missed > PAUSE_MISSED) {
		if (layouts->missed > count / 2)
			stream->pause = PAUSE;
		spe_layouts_begin(layouts);
	}
	return count;
}

size_t plumb_spe_stream_read(struct plumb_spe_stream *stream, struct plumb_spe_record *records,
			     size_t room)
{
	struct spe_layouts layouts;

	layouts.members = SPE_MEMBERS_ALL;
	spe_layouts_begin(&layouts);
	return spe_stream_read(stream, &layouts, records, room);
}

void plumb_spe_stream_end(struct plumb_spe_stream *stream)
{
	if (stream->open || stream->kept_size)
		stream->lost.unfinished++;
	stream->open = false;
	stream->kept_size = 0;
	stream->skip = 0;
}
