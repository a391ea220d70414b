/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records written: which packets, in which order, at which place. doc/spe.md has where the order
 * and the places of the Neoverse layout are from.
 */
#include "spe/encode.h"
#include "spe/packet.h"

/* A packet of a record, and the bit of .has that requests it. */
struct step {
	uint32_t has;
	uint8_t type;
	uint8_t index;
	uint8_t place; /* in a record of the Neoverse layout, unless what is before it ran over */
};

#define ADDRESS(which) PLUMB_SPE_ADDRESS, PLUMB_SPE_##which
#define COUNTER(which) PLUMB_SPE_COUNTER, PLUMB_SPE_##which
static const struct step steps[] = {
	{PLUMB_SPE_HAS_PC, ADDRESS(PC), 0},
	{PLUMB_SPE_HAS_CONTEXT_EL1, PLUMB_SPE_CONTEXT, 0, 9},
	{PLUMB_SPE_HAS_CONTEXT_EL2, PLUMB_SPE_CONTEXT, 1, 14},
	{PLUMB_SPE_HAS_OPERATION, PLUMB_SPE_OPERATION, 0, 19},
	{PLUMB_SPE_HAS_EVENTS, PLUMB_SPE_EVENTS, 0, 21},
	{PLUMB_SPE_HAS_ISSUE_LATENCY, COUNTER(ISSUE_LATENCY), 24},
	{PLUMB_SPE_HAS_TOTAL_LATENCY, COUNTER(TOTAL_LATENCY), 27},
	{PLUMB_SPE_HAS_BRANCH_TARGET, ADDRESS(BRANCH_TARGET), 30},
	{PLUMB_SPE_HAS_DATA_VIRTUAL, ADDRESS(DATA_VIRTUAL), 30},
	{PLUMB_SPE_HAS_TRANSLATION_LATENCY, COUNTER(TRANSLATION_LATENCY), 39},
	{PLUMB_SPE_HAS_PREVIOUS_TARGET, ADDRESS(PREVIOUS_TARGET), 42},
	{PLUMB_SPE_HAS_DATA_PHYSICAL, ADDRESS(DATA_PHYSICAL), 42},
	{PLUMB_SPE_HAS_DATA_SOURCE, PLUMB_SPE_DATA_SOURCE, 0, 51},
};
#undef ADDRESS
#undef COUNTER

#define NEOVERSE_RECORD 64

/* Returns the smallest of 1, 2, 4 and 8 bytes that holds the value and is at least `least`. */
static unsigned bytes_for(uint64_t value, unsigned least)
{
	while (least < 8 && value >> (8 * least))
		least *= 2;
	return least;
}

static struct plumb_spe_packet make_packet(const struct plumb_spe_record *record,
					   const struct step *step)
{
	struct plumb_spe_packet packet = {.type = step->type, .index = step->index};

	switch (step->type) {
	case PLUMB_SPE_ADDRESS:
		packet.payload = record->addresses[step->index];
		packet.payload_bytes = 8;
		break;
	case PLUMB_SPE_COUNTER:
		packet.payload = record->counters[step->index];
		packet.payload_bytes = 2;
		break;
	case PLUMB_SPE_CONTEXT:
		packet.payload = record->contexts[step->index];
		packet.payload_bytes = 4;
		break;
	case PLUMB_SPE_OPERATION:
		packet.index = record->op_class;
		packet.payload = record->operation;
		packet.payload_bytes = 1;
		break;
	case PLUMB_SPE_EVENTS:
		packet.payload = record->events;
		packet.payload_bytes = record->events_bytes;
		if (!packet.payload_bytes)
			packet.payload_bytes = (uint8_t)bytes_for(packet.payload, 2);
		break;
	default:
		packet.payload = record->data_source;
		packet.payload_bytes = record->data_source_bytes;
		if (!packet.payload_bytes)
			packet.payload_bytes = (uint8_t)bytes_for(packet.payload, 1);
		break;
	}
	return packet;
}

static size_t place_of_last(size_t at, size_t last_bytes, enum spe_layout layout)
{
	size_t end = NEOVERSE_RECORD;

	if (layout != SPE_LAYOUT_NEOVERSE)
		return at;
	while (end < at + last_bytes)
		end += NEOVERSE_RECORD;
	return end - last_bytes;
}

int spe_encode_record(const struct plumb_spe_record *record, enum spe_layout layout, uint8_t *bytes,
		      size_t size)
{
	const bool timed = record->has & PLUMB_SPE_HAS_TIMESTAMP;
	struct plumb_spe_packet last = {.type = PLUMB_SPE_END};
	uint8_t whole[SPE_RECORD_MAX] = {0};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct plumb_spe_packet packet;
		int written;

		if (!(record->has & steps[i].has))
			continue;
		if (layout == SPE_LAYOUT_NEOVERSE && at < steps[i].place)
			at = steps[i].place;
		packet = make_packet(record, &steps[i]);
		written = spe_encode_packet(&packet, whole + at, sizeof(whole) - at);
		if (written < 0)
			return written;
		at += (size_t)written;
	}
	if (timed)
		last = (struct plumb_spe_packet){.type = PLUMB_SPE_TIMESTAMP,
						 .payload = record->timestamp,
						 .payload_bytes = 8};
	at = place_of_last(at, timed ? 9 : 1, layout);
	at += (size_t)spe_encode_packet(&last, whole + at, sizeof(whole) - at);
	if (at > size)
		return PLUMB_ERR_LIMIT;
	memcpy(bytes, whole, at);
	return (int)at;
}
