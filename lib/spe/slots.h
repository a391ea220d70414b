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
#include <stddef.h>

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
		uint32_t has; /* as in the record, if it is read in a lane */
	};
};

/* What the packet that a byte begins does. Its payload, with the bytes behind it, is the slot's
 * value, and the byte itself is what there is about it. */
struct slot_action {
	uint32_t has;
	uint8_t slot, about;
	uint8_t size; /* of the packet; 0: it needs a closer look */
	uint8_t ends; /* the size of the slots if it ends the record, and 0 otherwise */
};

#define ACTION(payload_bytes, bit, slot, about)        \
	{                                              \
		bit, slot, about, 1 + payload_bytes, 0 \
	}
#define EVENTS(bytes) ACTION(bytes, PLUMB_SPE_HAS_EVENTS, SLOT_EVENTS, ABOUT_EVENTS)
#define DATA_SOURCE(bytes) \
	ACTION(bytes, PLUMB_SPE_HAS_DATA_SOURCE, SLOT_DATA_SOURCE, ABOUT_DATA_SOURCE)
#define OPERATION     ACTION(1, PLUMB_SPE_HAS_OPERATION, SLOT_OPERATION, ABOUT_OPERATION)
#define CONTEXT(i)    ACTION(4, PLUMB_SPE_HAS_CONTEXT_EL1 << (i), SLOT_CONTEXTS + (i), ABOUT_OTHERS)
#define COUNTER(i)    ACTION(2, PLUMB_SPE_HAS_TOTAL_LATENCY << (i), SLOT_COUNTERS + (i), ABOUT_OTHERS)
#define ADDRESS(i)    ACTION(8, PLUMB_SPE_HAS_PC << (i), i, ABOUT_OTHERS)
#define OTHERS(bytes) ACTION(bytes, PLUMB_SPE_HAS_OTHERS, SLOT_OTHERS, ABOUT_OTHERS)

static const struct slot_action slot_actions[256] = {
	[0x00] = ACTION(0, 0, SLOT_OTHERS, ABOUT_OTHERS),
	[0x01] = {PLUMB_SPE_HAS_END, SLOT_OTHERS, ABOUT_OTHERS, 1, sizeof(union slots)},
	[0x42] = EVENTS(1),
	[0x43] = DATA_SOURCE(1),
	[0x48 ... 0x4b] = OPERATION,
	[0x52] = EVENTS(2),
	[0x53] = DATA_SOURCE(2),
	[0x62] = EVENTS(4),
	[0x63] = DATA_SOURCE(4),
	[0x64] = CONTEXT(0),
	[0x65] = CONTEXT(1),
	[0x66 ... 0x67] = OTHERS(4),
	[0x71] = {PLUMB_SPE_HAS_TIMESTAMP, SLOT_TIMESTAMP, ABOUT_OTHERS, 9, sizeof(union slots)},
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

/* Returns the size of a packet that goes on with its record: bits 5:4 of a header say how large the
 * payload is. Where the next packet begins is known sooner than by a look at the table. */
static inline size_t short_packet_size(uint8_t header)
{
	return 1 + ((size_t)(header != 0) << (header >> 4 & 3));
}

/* Returns how many bytes the payload has that a header says something about; 0: no header. */
static inline uint8_t slot_bytes(uint8_t about)
{
	return (uint8_t)((unsigned)(about != 0) << (about >> 4 & 3));
}

/* Returns the header of a payload of 1, 2, 4 or 8 bytes; 0: no packet. */
static inline uint8_t slot_header(uint8_t kind, uint8_t bytes)
{
	return bytes ? (uint8_t)(kind | __builtin_ctz(bytes) << 4) : 0;
}

static inline uint64_t slot_payload(uint64_t value, uint8_t about)
{
	return value & UINT64_MAX >> (64 - (8 << (about >> 4 & 3)));
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
	slots->about[ABOUT_EVENTS] = slot_header(0x42, record->events_bytes);
	slots->about[ABOUT_DATA_SOURCE] = slot_header(0x43, record->data_source_bytes);
}

/* Takes the members that SPE_MEMBERS_SUMS are. */
static inline void take_sums(const union slots *slots, struct plumb_spe_record *record)
{
	const uint8_t *about = slots->about;

	record->addresses[PLUMB_SPE_PC] = slots->values[PLUMB_SPE_PC];
	record->events = slot_payload(slots->values[SLOT_EVENTS], about[ABOUT_EVENTS]);
	record->timestamp = slots->values[SLOT_TIMESTAMP];
	for (unsigned i = 0; i < 2; i++)
		record->contexts[i] = (uint32_t)slots->values[SLOT_CONTEXTS + i];
	record->counters[PLUMB_SPE_TOTAL_LATENCY] = (uint16_t)slots->values[SLOT_COUNTERS];
	record->op_class = about[ABOUT_OPERATION] & 3;
}

static inline void take_slots(const union slots *slots, struct plumb_spe_record *record)
{
	const uint8_t *about = slots->about;

	take_sums(slots, record);
	for (unsigned i = 1; i < 5; i++)
		record->addresses[i] = slots->values[i];
	record->data_source =
		slot_payload(slots->values[SLOT_DATA_SOURCE], about[ABOUT_DATA_SOURCE]);
	for (unsigned i = 1; i < 3; i++)
		record->counters[i] = (uint16_t)slots->values[SLOT_COUNTERS + i];
	record->operation = (uint8_t)slots->values[SLOT_OPERATION];
	record->events_bytes = slot_bytes(about[ABOUT_EVENTS]);
	record->data_source_bytes = slot_bytes(about[ABOUT_DATA_SOURCE]);
}

#endif
