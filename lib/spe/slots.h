/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record while its packets are read. Which packets it has, in which order and with how much
 * padding, cannot be predicted in general, so nothing is decided for a packet: its payload goes to
 * a slot of 64 bits, and a byte about it to another, according to a table. That is how packets with
 * short headers are read that do not end a record.
 */
#ifndef SPE_SLOTS_H
#define SPE_SLOTS_H

#include <plumb/spe.h>

enum {
	SLOT_EVENTS = 5, /* behind the addresses */
	SLOT_DATA_SOURCE,
	SLOT_TIMESTAMP,
	SLOT_CONTEXTS,
	SLOT_COUNTERS = SLOT_CONTEXTS + 2,
	SLOT_OPERATION = SLOT_COUNTERS + 3,
	SLOT_OTHERS, /* packets that no member is for, and padding */
	SLOTS
};
enum { ABOUT_OPERATION, ABOUT_EVENTS, ABOUT_DATA_SOURCE, ABOUT_OTHERS, ABOUTS };

/* Cleared as vectors: gcc would use "rep stos" for anything else, which takes longer than reading a
 * record. */
typedef uint64_t slots_half __attribute__((vector_size(64)));
union slots {
	slots_half halves[2];
	struct {
		uint64_t values[SLOTS];
		uint8_t about[ABOUTS];
	};
};

/* What the packet that a byte begins does; without `known`, the fast way ends before it. */
struct slot_action {
	uint64_t mask;
	uint32_t has;
	uint8_t slot;
	uint8_t about, value : 7, known : 1;
};

#define BITS(bytes) (UINT64_MAX >> (64 - 8 * (bytes)))
#define ACTION(bytes, bit, slot, about, value)             \
	{                                                  \
		BITS(bytes), bit, slot, about, value, true \
	}
#define EVENTS(bytes) ACTION(bytes, PLUMB_SPE_HAS_EVENTS, SLOT_EVENTS, ABOUT_EVENTS, bytes)
#define DATA_SOURCE(bytes) \
	ACTION(bytes, PLUMB_SPE_HAS_DATA_SOURCE, SLOT_DATA_SOURCE, ABOUT_DATA_SOURCE, bytes)
#define OPERATION(class) ACTION(1, PLUMB_SPE_HAS_OPERATION, SLOT_OPERATION, ABOUT_OPERATION, class)
#define CONTEXT(i)       ACTION(4, PLUMB_SPE_HAS_CONTEXT_EL1 << (i), SLOT_CONTEXTS + (i), ABOUT_OTHERS, 0)
#define COUNTER(i) \
	ACTION(2, PLUMB_SPE_HAS_TOTAL_LATENCY << (i), SLOT_COUNTERS + (i), ABOUT_OTHERS, 0)
#define ADDRESS(i)    ACTION(8, PLUMB_SPE_HAS_PC << (i), i, ABOUT_OTHERS, 0)
#define OTHERS(bytes) ACTION(bytes, PLUMB_SPE_HAS_OTHERS, SLOT_OTHERS, ABOUT_OTHERS, 0)

static const struct slot_action slot_actions[256] = {
	[0x00] = {.slot = SLOT_OTHERS, .about = ABOUT_OTHERS, .known = true},
	[0x42] = EVENTS(1),
	[0x43] = DATA_SOURCE(1),
	[0x48] = OPERATION(0),
	[0x49] = OPERATION(1),
	[0x4a] = OPERATION(2),
	[0x4b] = OPERATION(3),
	[0x52] = EVENTS(2),
	[0x53] = DATA_SOURCE(2),
	[0x62] = EVENTS(4),
	[0x63] = DATA_SOURCE(4),
	[0x64] = CONTEXT(0),
	[0x65] = CONTEXT(1),
	[0x66 ... 0x67] = OTHERS(4),
	[0x72] = EVENTS(8),
	[0x73] = DATA_SOURCE(8),
	[0x98] = COUNTER(0),
	[0x99] = COUNTER(1),
	[0x9a] = COUNTER(2),
	[0x9b ... 0x9f] = OTHERS(2),
	[0xb0] = ADDRESS(0),
	[0xb1] = ADDRESS(1),
	[0xb2] = ADDRESS(2),
	[0xb3] = ADDRESS(3),
	[0xb4] = ADDRESS(4),
	[0xb5 ... 0xb7] = OTHERS(8),
};

/* Returns the size of a known packet: bits 5:4 of a header say how large the payload is. Where the
 * next packet begins is known sooner than by a look at the table. */
static inline size_t short_packet_size(uint8_t header)
{
	return 1 + ((size_t)(header != 0) << (header >> 4 & 3));
}

static inline void fill_slots(union slots *slots, const struct plumb_spe_record *record)
{
	slots->halves[0] = slots->halves[1] = (slots_half){0};
	if (!record)
		return;
	for (unsigned i = 0; i < 5; i++)
		slots->values[i] = record->addresses[i];
	slots->values[SLOT_EVENTS] = record->events;
	slots->values[SLOT_DATA_SOURCE] = record->data_source;
	for (unsigned i = 0; i < 2; i++)
		slots->values[SLOT_CONTEXTS + i] = record->contexts[i];
	for (unsigned i = 0; i < 3; i++)
		slots->values[SLOT_COUNTERS + i] = record->counters[i];
	slots->values[SLOT_OPERATION] = record->operation;
	slots->about[ABOUT_OPERATION] = record->op_class;
	slots->about[ABOUT_EVENTS] = record->events_bytes;
	slots->about[ABOUT_DATA_SOURCE] = record->data_source_bytes;
}

static inline void take_slots(const union slots *slots, struct plumb_spe_record *record)
{
	for (unsigned i = 0; i < 5; i++)
		record->addresses[i] = slots->values[i];
	record->events = slots->values[SLOT_EVENTS];
	record->data_source = slots->values[SLOT_DATA_SOURCE];
	record->timestamp = slots->values[SLOT_TIMESTAMP];
	for (unsigned i = 0; i < 2; i++)
		record->contexts[i] = (uint32_t)slots->values[SLOT_CONTEXTS + i];
	for (unsigned i = 0; i < 3; i++)
		record->counters[i] = (uint16_t)slots->values[SLOT_COUNTERS + i];
	record->operation = (uint8_t)slots->values[SLOT_OPERATION];
	record->op_class = slots->about[ABOUT_OPERATION];
	record->events_bytes = slots->about[ABOUT_EVENTS];
	record->data_source_bytes = slots->about[ABOUT_DATA_SOURCE];
}

#endif
