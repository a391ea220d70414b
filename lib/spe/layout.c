/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/layout.h"

#include "spe/packet.h"

void spe_layouts_begin(struct spe_layouts *layouts)
{
	layouts->count = 0;
	layouts->misses = 0;
	layouts->telling = 0;
	memset(layouts->likely, 0, sizeof(layouts->likely));
}

/* The member that a packet's payload is, or -1. */
static int member_of(const struct plumb_spe_packet *packet)
{
	switch (packet->type) {
	case PLUMB_SPE_ADDRESS:
		return packet->index < 5 ? SPE_ADDRESSES + packet->index : -1;
	case PLUMB_SPE_CONTEXT:
		return packet->index < 2 ? SPE_CONTEXTS + packet->index : -1;
	case PLUMB_SPE_COUNTER:
		return packet->index < 3 ? SPE_COUNTERS + packet->index : -1;
	case PLUMB_SPE_EVENTS:
		return SPE_EVENTS;
	case PLUMB_SPE_DATA_SOURCE:
		return SPE_DATA_SOURCE;
	case PLUMB_SPE_TIMESTAMP:
		return SPE_TIMESTAMP;
	case PLUMB_SPE_OPERATION:
		return SPE_OPERATION;
	default:
		return -1;
	}
}

/* False if the record has no layout: where an alignment ends depends on where the record stands. */
static bool read_layout(struct spe_layout *layout, const uint8_t *bytes,
			const struct plumb_spe_record *record)
{
	uint8_t mask[SPE_LAYOUT_BYTES] = {0}, value[SPE_LAYOUT_BYTES] = {0};

	*layout = (struct spe_layout){
		.size = (uint8_t)record->size,
		.op_class = record->op_class,
		.has = record->has,
	};
	for (size_t at = 0; at < record->size;) {
		struct plumb_spe_packet packet;
		int member;

		spe_read_header(bytes + at, record->size - at, record->offset + at, &packet);
		if (packet.type == PLUMB_SPE_ALIGNMENT)
			return false;
		memset(mask + at, 0xff, packet.header_bytes);
		memcpy(value + at, bytes + at, packet.header_bytes);
		member = member_of(&packet);
		if (member >= 0) {
			layout->at[member] = (uint8_t)(at + packet.header_bytes);
			layout->keep[member] = UINT64_MAX >> (64 - 8 * packet.payload_bytes);
		}
		at += packet.size;
	}
	memcpy(layout->mask, mask, sizeof(mask));
	memcpy(layout->value, value, sizeof(value));
	return true;
}

static uint8_t byte_of(const spe_vector *vectors, unsigned at)
{
	uint8_t byte;

	memcpy(&byte, (const uint8_t *)vectors + at, 1);
	return byte;
}

/* How many layouts the byte tells apart from those before them; 0 if one has a payload there. */
static unsigned told_apart(const struct spe_layouts *layouts, unsigned at)
{
	unsigned count = 0;

	for (unsigned i = 0; i < layouts->count; i++) {
		unsigned before = 0;

		if (!byte_of(layouts->list[i].mask, at))
			return 0;
		while (before < i && byte_of(layouts->list[before].value, at) !=
					     byte_of(layouts->list[i].value, at))
			before++;
		count += before == i;
	}
	return count;
}

/* What matching and fetching go by, for all layouts together. */
static void sum_up(struct spe_layouts *layouts)
{
	unsigned best = 0;

	for (unsigned at = 0; at < SPE_LAYOUT_BYTES; at++) {
		unsigned count = told_apart(layouts, at);

		if (count > best) {
			best = count;
			layouts->telling = at;
		}
		if (best == layouts->count)
			break;
	}
	memset(layouts->likely, 0, sizeof(layouts->likely));
	memset(layouts->having, 0, sizeof(layouts->having));
	layouts->same_size = layouts->list[0].size;
	for (unsigned i = layouts->count; i-- > 0;) {
		layouts->likely[byte_of(layouts->list[i].value, layouts->telling)] = (uint8_t)i;
		if (layouts->list[i].size != layouts->list[0].size)
			layouts->same_size = 0;
		for (unsigned member = 0; member < SPE_MEMBERS; member++)
			layouts->having[member] |= (uint32_t) !!layouts->list[i].keep[member] << i;
	}
}

/* Once there is no room any more, learning is for what keeps coming. */
#define MISSES_TO_REPLACE 16

void spe_layouts_learn(struct spe_layouts *layouts, const uint8_t *bytes,
		       const struct plumb_spe_record *record)
{
	unsigned place = layouts->count;
	struct spe_layout layout;

	if (record->size > SPE_LAYOUT_BYTES)
		return;
	if (layouts->count == SPE_LAYOUTS) {
		if (++layouts->misses % MISSES_TO_REPLACE)
			return;
		place = layouts->misses / MISSES_TO_REPLACE % SPE_LAYOUTS;
	}
	if (!read_layout(&layout, bytes, record))
		return;
	layouts->list[place] = layout;
	if (place == layouts->count)
		layouts->count++;
	sum_up(layouts);
}
