/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/lanes.h"

#include <string.h>

#include "spe/packet.h"
#include "spe/slots.h"

#define LANES        4
#define LANE_RECORDS 40
/* As many of them are left free on average: a lane that is full before the next one begins leads to
 * no other one, and what those have read is lost. */
#define LANE_SPARE 9
/* Less, in bytes, is not worth a lane; and so far is one's place looked for. */
#define LANE_MIN    ((size_t)512)
#define PLACE_AHEAD ((size_t)1024)
/* How many packets of a record are looked at to tell whether it is one. */
#define PACKETS_SEEN 3
/* At first, and at most, lanes are this many bytes apart. */
#define APART_FIRST ((size_t)LANE_RECORDS * 64)
#define APART_MAX   ((size_t)64 << 10)
/* The longest packet with a short header, and padding behind it. */
#define STEP_MAX (9 + 7)
/* What a lane may read behind its stop, before that is noticed. */
#define PAST_STOP ((size_t)2 * PLUMB_SPE_PACKET_MAX)
/* As much as is between two records of up to 64 bytes that are aligned to as many. */
#define PADDING_SKIPPED 64

/* Places are offsets in the piece. */
struct lane {
	union slots *record; /* the current one; those before it are whole */
	size_t at;           /* of the next packet */
	/* It ends where the next lane begins, or with as many records as there is room for. */
	size_t stop;
	const union slots *full;
};

struct lanes {
	const uint8_t *bytes;
	size_t size;
	struct lane lane[LANES];
	/* Of each lane: the end of the record before it, and its first byte. */
	size_t joins[LANES], begins[LANES];
	union slots records[LANES][LANE_RECORDS + 1];
};

/* ---- Reading ----------------------------------------------------------------------------------
 */

/* Reads a packet of whichever kind. Returns false if it needs a closer look. */
static inline __attribute__((always_inline)) bool step(const uint8_t *bytes, struct lane *lane)
{
	const uint8_t header = bytes[lane->at];
	const struct slot_action *action = &slot_actions[header];
	const size_t size = action->size, end = lane->at + size;
	union slots *record = lane->record;

	if (__builtin_expect(!size, 0))
		return false;
	record->values[action->slot] = spe_load64(bytes + lane->at + 1);
	record->about[action->about] = header;
	record->has |= action->has;
	/* Where the record ends is in the slot that no member is taken from. */
	record->values[SLOT_OTHERS] = end;
	lane->record = (union slots *)(void *)((char *)record + action->ends);
	lane->at = end + padding_ahead(spe_load64(bytes + end));
	return true;
}

/* Returns after how many packets a lane can be done, at the earliest; 0 if it is, or if its next
 * packet needs a closer look. */
static size_t steps_left(const uint8_t *bytes, const struct lane *lane)
{
	const size_t records = (size_t)(lane->full - lane->record);
	const size_t packets =
		lane->at < lane->stop ? (lane->stop - lane->at - 1) / STEP_MAX + 1 : 0;

	if (!slot_actions[bytes[lane->at]].size)
		return 0;
	return records < packets ? records : packets;
}

/* These read so many packets of each lane in turn, or up to one that needs a closer look, which
 * ends its lane. Lanes are in variables of their own meanwhile, which stay in registers. */
static void read_four(const uint8_t *bytes, struct lane *const lanes[4], size_t steps)
{
	struct lane a = *lanes[0], b = *lanes[1], c = *lanes[2], d = *lanes[3];

	while (steps-- && step(bytes, &a) && step(bytes, &b) && step(bytes, &c) && step(bytes, &d))
		;
	*lanes[0] = a;
	*lanes[1] = b;
	*lanes[2] = c;
	*lanes[3] = d;
}

static void read_two(const uint8_t *bytes, struct lane *const lanes[2], size_t steps)
{
	struct lane a = *lanes[0], b = *lanes[1];

	while (steps-- && step(bytes, &a) && step(bytes, &b))
		;
	*lanes[0] = a;
	*lanes[1] = b;
}

static void read_one(const uint8_t *bytes, struct lane *lane, size_t steps)
{
	struct lane alone = *lane;

	while (steps-- && step(bytes, &alone))
		;
	*lane = alone;
}

/* Reads a packet of each lane in turn, until all lanes are done. */
static void read_in_turn(struct lanes *lanes)
{
	struct lane *left[LANES];
	size_t count = LANES;

	for (size_t i = 0; i < LANES; i++)
		left[i] = &lanes->lane[i];
	while (count) {
		size_t steps = SIZE_MAX, kept = 0;

		for (size_t i = 0; i < count; i++) {
			const size_t most = steps_left(lanes->bytes, left[i]);

			if (!most)
				continue;
			left[kept++] = left[i];
			steps = most < steps ? most : steps;
		}
		count = kept;
		_Static_assert(LANES == 4, "all are read at once");
		if (count == 4)
			read_four(lanes->bytes, left, steps);
		else if (count >= 2)
			read_two(lanes->bytes, left, steps);
		else if (count == 1)
			read_one(lanes->bytes, left[0], steps);
	}
}

/* ---- Places -----------------------------------------------------------------------------------
 */

/* Returns where the next packet begins. There are 8 bytes behind `end` at least. */
static inline size_t skip_padding(const uint8_t *bytes, size_t at, size_t end)
{
	at += padding_ahead(spe_load64(bytes + at));
	while (__builtin_expect(at < end && !bytes[at], 0))
		at += padding_ahead(spe_load64(bytes + at));
	return at;
}

/* Tells whether the bytes look like the first packets of a record. */
static bool may_begin(const uint8_t *bytes, size_t at, size_t end)
{
	const struct slot_action *action;

	for (unsigned i = 0; i < PACKETS_SEEN; i++) {
		if (at >= end)
			return false;
		action = &slot_actions[bytes[at]];
		if (!action->size || action->ends)
			return i > 0 && action->ends;
		at = skip_padding(bytes, at + action->size, end);
	}
	return true;
}

/* Places a lane where a record may begin, from `from` on: behind a packet `last`, which ends one.
 * Returns false if there is no such place. */
static bool find_place(struct lanes *lanes, size_t lane, size_t from, size_t end, uint8_t last)
{
	const uint8_t *bytes = lanes->bytes, *at = bytes + from;
	const size_t limit = end - from > PLACE_AHEAD ? from + PLACE_AHEAD : end;

	while ((at = memchr(at, last, limit - (size_t)(at - bytes)))) {
		const size_t join = (size_t)(at - bytes) + slot_actions[last].size;

		if (join >= limit)
			return false;
		lanes->joins[lane] = join;
		lanes->begins[lane] = skip_padding(bytes, join, limit);
		if (may_begin(bytes, lanes->begins[lane], limit))
			return true;
		at++;
	}
	return false;
}

/* Places all lanes `apart` bytes from each other. Returns false if there are not enough places. */
static bool place_lanes(struct lanes *lanes, size_t at, size_t end, size_t apart, size_t room,
			uint8_t last)
{
	lanes->joins[0] = at;
	lanes->begins[0] = skip_padding(lanes->bytes, at, end);
	for (size_t i = 1; i < LANES; i++) {
		const size_t from = lanes->begins[i - 1] + apart;

		if (from >= end || !find_place(lanes, i, from, end, last))
			return false;
	}
	for (size_t i = 0; i < LANES; i++) {
		const size_t begin = lanes->begins[i];
		const size_t stop = end - begin > apart ? begin + apart : end;

		/* As vectors: see union slots. */
		for (size_t k = 0; k <= room; k++)
			fill_slots(&lanes->records[i][k], NULL);
		lanes->lane[i] = (struct lane){
			.record = lanes->records[i],
			.at = begin,
			.stop = i + 1 < LANES ? lanes->joins[i + 1] : stop,
			.full = lanes->records[i] + room,
		};
	}
	return true;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

/* Skips padding between records, of which there may be any. That of up to PADDING_SKIPPED bytes is
 * skipped without a branch, since how much there is cannot be predicted. */
static inline size_t skip_gap(const struct lanes *lanes, size_t at, size_t end)
{
	const uint8_t *bytes = lanes->bytes + at;
	unsigned words = 1 << PADDING_SKIPPED / 8; /* a bit for each that is not all padding */

	if (__builtin_expect(lanes->size - at < PADDING_SKIPPED + 8, 0))
		return skip_padding(lanes->bytes, at, end);
#pragma GCC unroll 8
	for (unsigned i = 0; i < PADDING_SKIPPED / 8; i++)
		words |= (unsigned)(spe_load64(bytes + (size_t)8 * i) != 0) << i;
	return skip_padding(lanes->bytes, at + (size_t)8 * (unsigned)__builtin_ctz(words), end);
}

/* Takes the whole records of a lane. Returns how many. */
static inline __attribute__((always_inline)) size_t take_records(const struct lanes *lanes,
								 size_t lane, uint64_t offset,
								 struct plumb_spe_record *records,
								 bool sums)
{
	const union slots *slots = lanes->records[lane];
	const size_t count = (size_t)(lanes->lane[lane].record - slots);
	size_t begin = lanes->begins[lane];

	for (size_t i = 0; i < count; i++) {
		const size_t end = slots[i].values[SLOT_OTHERS];

		begin = skip_gap(lanes, begin, end);
		if (sums)
			take_sums(&slots[i], &records[i]);
		else
			take_slots(&slots[i], &records[i]);
		records[i].has = slots[i].has;
		records[i].offset = offset + begin;
		records[i].size = (uint32_t)(end - begin);
		begin = end;
	}
	return count;
}

size_t spe_lanes_read(const uint8_t *bytes, size_t size, uint64_t offset, size_t *at,
		      uint32_t *apart, const struct plumb_spe_record *before,
		      struct plumb_spe_record *records, size_t room,
		      enum spe_layout_members members)
{
	const uint8_t last = before->has & PLUMB_SPE_HAS_TIMESTAMP ? 0x71 : 0x01;
	const size_t lane_room = room / LANES < LANE_RECORDS ? room / LANES : LANE_RECORDS;
	const size_t begin = *at, left = size - begin;
	size_t distance = (*apart ? *apart : APART_FIRST) * lane_room / LANE_RECORDS, count = 0;
	struct lanes lanes;
	bool joined = true;

	if (left < PAST_STOP + LANES * LANE_MIN)
		return 0;
	if (distance > (left - PAST_STOP) / LANES)
		distance = (left - PAST_STOP) / LANES;
	lanes.bytes = bytes;
	lanes.size = size;
	if (!place_lanes(&lanes, begin, size - PAST_STOP, distance, lane_room, last))
		return 0;
	read_in_turn(&lanes);
	for (size_t i = 0; i < LANES && joined; i++) {
		const struct lane *lane = &lanes.lane[i];

		if (lane->record == lanes.records[i])
			break;
		if (members == SPE_MEMBERS_SUMS)
			count += take_records(&lanes, i, offset, records + count, true);
		else
			count += take_records(&lanes, i, offset, records + count, false);
		*at = lane->record[-1].values[SLOT_OTHERS];
		joined = i + 1 < LANES && *at == lanes.joins[i + 1];
	}
	if (count) {
		distance = (*at - begin) * (LANE_RECORDS - LANE_SPARE) / count;
		*apart = (uint32_t)(distance < APART_MAX ? distance : APART_MAX);
	}
	return count;
}
