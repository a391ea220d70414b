/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/layout.h"

#include <string.h>

#include "spe/packet.h"

/* After this many records of unknown layouts no more are learned. */
#define MISSED_MAX 32
/* The offset of the packet behind an address, which is the PC's as a rule. */
#define SECOND_PACKET 9

/* Returns which of the choices is that of records that begin so. */
static inline unsigned choice_of(const struct spe_layouts *layouts, const uint8_t *bytes)
{
	const unsigned second = bytes[SECOND_PACKET] & 15;
	const uint8_t *operation = bytes + layouts->operation_at[second];

	return second << 3 | (operation[0] & 3u) << 1 | (operation[1] & 1u);
}

static inline bool node_fits(const struct spe_layout_choice *choice, unsigned node,
			     const uint8_t *bytes)
{
	return bytes[choice->at[node]] == choice->values[node];
}

/* Returns the place of the layout that a record may have. Without a branch: which of the layouts
 * comes next cannot be predicted. And no node waits for another one, since the next record may wait
 * for all of them. */
static inline unsigned find_leaf(const struct spe_layout_choice *choice, const uint8_t *bytes)
{
	const unsigned side = node_fits(choice, 0, bytes);
	const unsigned differs = node_fits(choice, 1, bytes), fits = node_fits(choice, 2, bytes);

	return side << 1 | (differs & (side ^ 1)) | (fits & side);
}

/* Tells whether a record has this layout, and the padding behind it. */
static inline bool fits(const struct spe_record_layout *layout, const uint8_t *bytes)
{
	typedef uint64_t pair __attribute__((vector_size(16)));
	pair differ = {0, 0};

#pragma GCC unroll 4
	for (unsigned i = 0; i < SPE_LAYOUT_BYTES; i += sizeof(pair)) {
		pair seen, fixed, mask;

		memcpy(&seen, bytes + i, sizeof(seen));
		memcpy(&fixed, __builtin_assume_aligned(layout->fixed + i, sizeof(fixed)),
		       sizeof(fixed));
		memcpy(&mask, __builtin_assume_aligned(layout->mask + i, sizeof(mask)),
		       sizeof(mask));
		differ |= (seen ^ fixed) & mask;
	}
	return !(differ[0] | differ[1]);
}

/* Tells whether a record has this layout, whatever is behind it. */
static bool fits_alone(const struct spe_record_layout *layout, const uint8_t *bytes)
{
	for (unsigned i = 0; i < layout->size; i++)
		if ((bytes[i] ^ layout->fixed[i]) & layout->mask[i])
			return false;
	return true;
}

static inline uint64_t member(const uint8_t *bytes, const struct spe_layout_member *of)
{
	return spe_load64(bytes + of->at) & of->bits;
}

/* Decodes what records are counted by, but for the operation's payload. */
static inline void decode_counts(const struct spe_record_layout *layout, const uint8_t *bytes,
				 struct plumb_spe_record *record)
{
	record->size = layout->size;
	record->has = layout->has;
	record->events = member(bytes, &layout->events);
	record->timestamp = member(bytes, &layout->timestamp);
#pragma GCC unroll 2
	for (unsigned i = 0; i < 2; i++)
		record->contexts[i] = (uint32_t)member(bytes, &layout->contexts[i]);
	record->op_class = layout->op_class;
}

static inline void decode_operation(const struct spe_record_layout *layout, const uint8_t *bytes,
				    struct plumb_spe_record *record)
{
	record->operation = (uint8_t)member(bytes, &layout->operation);
}

/* Decodes what records of an instruction add up to, beside that. */
static inline void decode_sums(const struct spe_record_layout *layout, const uint8_t *bytes,
			       struct plumb_spe_record *record)
{
	decode_counts(layout, bytes, record);
	record->addresses[PLUMB_SPE_PC] = member(bytes, &layout->addresses[PLUMB_SPE_PC]);
	record->counters[PLUMB_SPE_TOTAL_LATENCY] =
		(uint16_t)member(bytes, &layout->counters[PLUMB_SPE_TOTAL_LATENCY]);
}

static inline void decode(const struct spe_record_layout *layout, const uint8_t *bytes,
			  struct plumb_spe_record *record)
{
	decode_sums(layout, bytes, record);
	decode_operation(layout, bytes, record);
#pragma GCC unroll 4
	for (unsigned i = 1; i < 5; i++)
		record->addresses[i] = member(bytes, &layout->addresses[i]);
	record->data_source = member(bytes, &layout->data_source);
#pragma GCC unroll 2
	for (unsigned i = 1; i < 3; i++)
		record->counters[i] = (uint16_t)member(bytes, &layout->counters[i]);
	record->events_bytes = layout->events_bytes;
	record->data_source_bytes = layout->data_source_bytes;
}

static inline __attribute__((always_inline)) void
decode_members(const struct spe_record_layout *layout, const uint8_t *bytes,
	       struct plumb_spe_record *record, enum spe_layout_members members)
{
	if (members == SPE_MEMBERS_COUNTS) {
		decode_counts(layout, bytes, record);
		decode_operation(layout, bytes, record);
	} else if (members == SPE_MEMBERS_SUMS) {
		decode_sums(layout, bytes, record);
	} else if (members == SPE_MEMBERS_SOURCES) {
		decode_sums(layout, bytes, record);
		decode_operation(layout, bytes, record);
		record->data_source = member(bytes, &layout->data_source);
	} else {
		decode(layout, bytes, record);
	}
}

/* ---- Records of the same stride ---------------------------------------------------------------
 */

/* So many records' layouts are found before the first one is decoded. A processor that waits for
 * a choice has room for what follows, but not for a whole record and the next one's choice. */
#define CHOSEN_AT_ONCE 8
#define CHOSEN_AHEAD   ((CHOSEN_AT_ONCE - 1) * SPE_LAYOUT_BYTES + SPE_LAYOUT_AHEAD)

/* Decodes records up to the first of an unknown layout. Returns how many. */
static inline __attribute__((always_inline)) size_t
read_chosen(const struct spe_layouts *layouts, const uint8_t *bytes, uint64_t offset,
	    struct plumb_spe_record *records, enum spe_layout_members members)
{
	/* Each is behind the layout; the first of all behind none. */
	const struct spe_record_layout *behind[CHOSEN_AT_ONCE];
	const size_t stride = layouts->stride;
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i < CHOSEN_AT_ONCE; i++) {
		const uint8_t *first = bytes + i * stride;
		const struct spe_layout_choice *choice =
			&layouts->choices[choice_of(layouts, first)];

		behind[i] = &layouts->at[choice->layouts[find_leaf(choice, first)]];
	}
	for (i = 0; i < CHOSEN_AT_ONCE; i++) {
		const uint8_t *first = bytes + i * stride;

		if (!*first || behind[i] == layouts->at || !fits(behind[i] - 1, first))
			break;
		records[i].offset = offset + i * stride;
		decode_members(behind[i] - 1, first, &records[i], members);
	}
	return i;
}

/* ---- Records of different strides -------------------------------------------------------------
 */

/*
 * Where a record begins is known only once the layout of the one before is. So records are looked
 * for in lanes, from several places on, of which all but the first are guessed: where a record of a
 * known layout seems to begin. A lane ends where the next one begins; if it passes that, the guess
 * was wrong. What was found is decoded afterwards.
 */
#define LANES     4
#define LANE_ROOM 88
/* With less room for records, lanes are not worth it. */
#define LANES_ROOM_MIN 32
#define ALONE_FIRST    8             /* records that are read one after another before */
#define PLACE_NEAR     ((size_t)128) /* how far to look for the place of a lane */

/* A record that was found: where it begins, and which layout it has. */
struct found {
	size_t begin;
	unsigned layout;
};

struct lane {
	size_t at, stop;
	struct found *next; /* place for the record at `at` */
};

/* Records are at least 10 bytes long, and so are layouts. */
#define FOUND_ROOM (LANE_ROOM + PLACE_NEAR / 8)

/* Finds where the next record begins, if this one has its layout. Returns false if it has none. */
static inline __attribute__((always_inline)) bool find_next(const struct spe_layouts *layouts,
							    const uint8_t *bytes, struct lane *lane)
{
	const uint8_t *first = bytes + lane->at;
	const struct spe_layout_choice *choice = &layouts->choices[choice_of(layouts, first)];
	const unsigned leaf = find_leaf(choice, first);

	if (!choice->layouts[leaf])
		return false;
	*lane->next++ = (struct found){lane->at, choice->layouts[leaf]};
	lane->at += choice->strides[leaf];
	return true;
}

/* Finds so many records of each lane in turn. Lanes are in variables of their own meanwhile, which
 * stay in registers. Returns false if one has no known layout. */
static bool find_in_turn(const struct spe_layouts *layouts, const uint8_t *bytes,
			 struct lane lanes[LANES], size_t steps)
{
	struct lane a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
	bool known = true;

	_Static_assert(LANES == 4, "each is in a variable");
	for (; known && steps; steps--)
		known = find_next(layouts, bytes, &a) && find_next(layouts, bytes, &b) &&
			find_next(layouts, bytes, &c) && find_next(layouts, bytes, &d);
	lanes[0] = a;
	lanes[1] = b;
	lanes[2] = c;
	lanes[3] = d;
	return known;
}

/* Finds the first place from `from` on where a record of a known layout seems to begin. */
static bool find_place(const struct spe_layouts *layouts, const uint8_t *bytes, uint8_t header,
		       size_t from, size_t *place)
{
	const uint8_t *end = bytes + from + PLACE_NEAR, *at = bytes + from;

	for (; (at = memchr(at, header, (size_t)(end - at))); at++) {
		const struct spe_layout_choice *choice = &layouts->choices[choice_of(layouts, at)];
		const unsigned number = choice->layouts[find_leaf(choice, at)];

		if (number && fits_alone(&layouts->at[number - 1], at)) {
			*place = (size_t)(at - bytes);
			return true;
		}
	}
	return false;
}

/* Returns how many records each lane has at least up to its stop. */
static size_t steps_left(const struct lane lanes[LANES])
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < LANES; i++) {
		const size_t left = lanes[i].at < lanes[i].stop ? lanes[i].stop - lanes[i].at : 0;

		least = left < least ? left : least;
	}
	return (least + SPE_LAYOUT_BYTES - 1) / SPE_LAYOUT_BYTES;
}

/* Finds the records of lanes from `at` on. Returns how many of the lanes are right. */
static size_t find_records(const struct spe_layouts *layouts, const uint8_t *bytes, size_t at,
			   size_t end, size_t apart, struct lane lanes[LANES],
			   struct found found[LANES][FOUND_ROOM])
{
	const uint8_t header = bytes[at];
	size_t steps;

	for (size_t i = 0; i < LANES; i++) {
		lanes[i].at = at;
		lanes[i].next = found[i];
		if (end - at < apart + PLACE_NEAR ||
		    !find_place(layouts, bytes, header, at + apart, &at))
			return 0;
		lanes[i].stop = at;
	}
	while ((steps = steps_left(lanes)) && find_in_turn(layouts, bytes, lanes, steps))
		;
	for (size_t i = 0; i < LANES; i++) {
		while (lanes[i].at < lanes[i].stop && find_next(layouts, bytes, &lanes[i]))
			;
		if (lanes[i].at != lanes[i].stop)
			return i + 1;
	}
	return LANES;
}

/* Decodes records that are found in lanes, up to the first that has not its layout. Returns how
 * many, and sets `*at` to where the next one begins. */
static inline __attribute__((always_inline)) size_t
read_lanes(const struct spe_layouts *layouts, const uint8_t *bytes, size_t size, uint64_t begin,
	   size_t *at, struct plumb_spe_record *records, size_t room,
	   enum spe_layout_members members)
{
	struct found found[LANES][FOUND_ROOM];
	struct lane lanes[LANES];
	const size_t end = size - SPE_LAYOUT_AHEAD, most = (end - *at) / LANES;
	/* Most records are longer than the shortest ones, so that there would be room for more. */
	size_t apart = (room / 3 < LANE_ROOM ? room / 3 : LANE_ROOM) * layouts->shortest, right;
	size_t count = 0;

	if (most < 2 * PLACE_NEAR)
		return 0;
	if (apart > most - PLACE_NEAR)
		apart = most - PLACE_NEAR;
	right = find_records(layouts, bytes, *at, end, apart, lanes, found);
	for (size_t i = 0; i < right; i++) {
		for (const struct found *next = found[i]; next < lanes[i].next; next++) {
			const struct spe_record_layout *layout = &layouts->at[next->layout - 1];
			const uint8_t *first = bytes + next->begin;

			*at = next->begin;
			if (count == room || !fits(layout, first))
				return count;
			records[count].offset = begin + *at;
			decode_members(layout, first, &records[count++], members);
		}
		*at = lanes[i].at;
	}
	return count;
}

/* ---- All records ------------------------------------------------------------------------------
 */

/* Decodes records one after another, up to the first of an unknown layout. Returns how many. */
static inline __attribute__((always_inline)) size_t
read_alone(const struct spe_layouts *layouts, const uint8_t *bytes, size_t size, uint64_t begin,
	   size_t *at, struct plumb_spe_record *records, size_t room,
	   enum spe_layout_members members)
{
	size_t next = *at, count = 0;

	while (count < room && size - next >= SPE_LAYOUT_AHEAD) {
		const uint8_t *first = bytes + next;
		const struct spe_layout_choice *choice;
		const struct spe_record_layout *layout;
		unsigned leaf;

		if (!*first) {
			next += padding_ahead(spe_load64(first));
			continue;
		}
		choice = &layouts->choices[choice_of(layouts, first)];
		leaf = find_leaf(choice, first);
		if (!choice->layouts[leaf])
			break;
		layout = &layouts->at[choice->layouts[leaf] - 1];
		records[count].offset = begin + next;
		if (fits(layout, first))
			next += choice->strides[leaf];
		else if (fits_alone(layout, first))
			next += layout->size;
		else
			break;
		decode_members(layout, first, &records[count++], members);
	}
	*at = next;
	return count;
}

/* spe_layouts_read(), compiled once for each way to decode. */
static inline __attribute__((always_inline)) size_t
read_records(const struct spe_layouts *layouts, const uint8_t *bytes, size_t size, uint64_t offset,
	     size_t *at, struct plumb_spe_record *records, size_t room,
	     enum spe_layout_members members)
{
	const uint64_t begin = offset - *at;
	const size_t stride = layouts->stride;
	size_t more = CHOSEN_AT_ONCE, count = 0;

	if (layouts->count == 0)
		return 0;
	while (stride && more == CHOSEN_AT_ONCE && room - count >= CHOSEN_AT_ONCE &&
	       size - *at >= CHOSEN_AHEAD) {
		more = read_chosen(layouts, bytes + *at, begin + *at, records + count, members);
		*at += more * stride;
		count += more;
	}
	/* Lanes are worth it where most records are of known layouts. */
	if (!stride && room > LANES_ROOM_MIN) {
		count = read_alone(layouts, bytes, size, begin, at, records, ALONE_FIRST, members);
		more = count == ALONE_FIRST;
	}
	while (!stride && more && room - count >= LANES_ROOM_MIN &&
	       size - *at >= SPE_LAYOUT_AHEAD) {
		more = read_lanes(layouts, bytes, size, begin, at, records + count, room - count,
				  members);
		count += more;
	}
	return count +
	       read_alone(layouts, bytes, size, begin, at, records + count, room - count, members);
}

size_t spe_layouts_read(const struct spe_layouts *layouts, const uint8_t *bytes, size_t size,
			uint64_t offset, size_t *at, struct plumb_spe_record *records, size_t room)
{
	switch (layouts->members) {
	case SPE_MEMBERS_COUNTS:
		return read_records(layouts, bytes, size, offset, at, records, room,
				    SPE_MEMBERS_COUNTS);
	case SPE_MEMBERS_SOURCES:
		return read_records(layouts, bytes, size, offset, at, records, room,
				    SPE_MEMBERS_SOURCES);
	case SPE_MEMBERS_SUMS:
		return read_records(layouts, bytes, size, offset, at, records, room,
				    SPE_MEMBERS_SUMS);
	default:
		return read_records(layouts, bytes, size, offset, at, records, room,
				    SPE_MEMBERS_ALL);
	}
}

/* ---- Learning ---------------------------------------------------------------------------------
 */

/* Adds a member, of which a record has one at most. Returns its bit of .has, or 0. */
static uint32_t add_member(struct spe_layout_member *of, size_t at, unsigned bytes, uint32_t has)
{
	if (of->bits)
		return 0;
	of->at = at;
	of->bits = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
	return has;
}

/* Adds the packet at `at`. Returns its bit of .has; 0 if the layout cannot be one. */
static uint32_t add_packet(struct spe_record_layout *layout, const uint8_t *bytes, size_t at)
{
	const struct spe_header header = spe_headers[bytes[at]];
	const unsigned index = bytes[at] & header.index_mask;

	switch (header.type) {
	case PLUMB_SPE_END:
		return PLUMB_SPE_HAS_END;
	case PLUMB_SPE_TIMESTAMP:
		return add_member(&layout->timestamp, at + 1, 8, PLUMB_SPE_HAS_TIMESTAMP);
	case PLUMB_SPE_EVENTS:
		layout->events_bytes = header.payload_bytes;
		return add_member(&layout->events, at + 1, header.payload_bytes,
				  PLUMB_SPE_HAS_EVENTS);
	case PLUMB_SPE_DATA_SOURCE:
		layout->data_source_bytes = header.payload_bytes;
		return add_member(&layout->data_source, at + 1, header.payload_bytes,
				  PLUMB_SPE_HAS_DATA_SOURCE);
	case PLUMB_SPE_OPERATION:
		layout->op_class = (uint8_t)index;
		return add_member(&layout->operation, at + 1, 1, PLUMB_SPE_HAS_OPERATION);
	case PLUMB_SPE_CONTEXT:
		return index < 2 ? add_member(&layout->contexts[index], at + 1, 4,
					      PLUMB_SPE_HAS_CONTEXT_EL1 << index)
				 : 0;
	case PLUMB_SPE_COUNTER:
		return index < 3 ? add_member(&layout->counters[index], at + 1, 2,
					      PLUMB_SPE_HAS_TOTAL_LATENCY << index)
				 : 0;
	case PLUMB_SPE_ADDRESS:
		return index < 5 ? add_member(&layout->addresses[index], at + 1, 8,
					      PLUMB_SPE_HAS_PC << index)
				 : 0;
	default:
		return 0;
	}
}

/* Describes the record's layout. Returns false if that is impossible. */
static bool describe(struct spe_record_layout *layout, const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	*layout = (struct spe_record_layout){.size = (uint32_t)size, .stride = (uint8_t)size};
	while (at < size) {
		const struct spe_header header = spe_headers[bytes[at]];

		layout->fixed[at] = bytes[at];
		layout->mask[at] = 0xff;
		if (header.type != PLUMB_SPE_PADDING) {
			const uint32_t has = add_packet(layout, bytes, at);

			if (!has)
				return false;
			layout->has |= has;
		}
		at += 1u + header.payload_bytes;
	}
	return at == size;
}

/* Includes the padding up to the alignment of records in the layout, if a record has it. */
static void include_padding(struct spe_record_layout *layout, const uint8_t *bytes, size_t size,
			    uint64_t offset)
{
	if (offset % SPE_LAYOUT_BYTES || size < SPE_LAYOUT_BYTES)
		return;
	for (unsigned i = layout->size; i < SPE_LAYOUT_BYTES; i++)
		if (bytes[i])
			return;
	memset(layout->mask + layout->size, 0xff, SPE_LAYOUT_BYTES - layout->size);
	layout->stride = SPE_LAYOUT_BYTES;
}

/* Lets a node tell a layout from another one. Returns false if no byte does. */
static bool tell_apart(struct spe_layout_choice *choice, unsigned node,
		       const struct spe_record_layout *layout,
		       const struct spe_record_layout *other)
{
	for (uint8_t at = 0; at < SPE_LAYOUT_BYTES; at++) {
		if (!(layout->mask[at] & other->mask[at]) || layout->fixed[at] == other->fixed[at])
			continue;
		choice->at[node] = at;
		choice->values[node] = layout->fixed[at];
		return true;
	}
	return false;
}

/* Adds the last layout, which is that of the record at `bytes`, to the choice of such records. It
 * replaces another one if it cannot be told from that, or if the tree is full. */
static void add_choice(struct spe_layouts *layouts, const uint8_t *bytes)
{
	struct spe_layout_choice *choice = &layouts->choices[choice_of(layouts, bytes)];
	const struct spe_record_layout *layout = &layouts->at[layouts->count - 1];
	uint8_t *leaves = choice->layouts;
	const uint8_t number = (uint8_t)layouts->count;
	/* The record may be the last one, and shorter than others: what it has is in its layout. */
	const unsigned leaf = find_leaf(choice, layout->fixed), side = leaf & 2;

	if (leaves[side] != leaves[side | 1]) {
		leaves[leaf] = number;
	} else if (leaves[0] != leaves[2]) {
		if (tell_apart(choice, 1 + side / 2, layout, &layouts->at[leaves[leaf] - 1]))
			leaves[side | 1] = number;
		else
			leaves[side] = leaves[side | 1] = number;
	} else if (leaves[0] && tell_apart(choice, 0, layout, &layouts->at[leaves[leaf] - 1])) {
		leaves[2] = leaves[3] = number;
	} else {
		memset(leaves, number, sizeof(choice->layouts));
	}
	for (unsigned i = 0; i < 4; i++)
		choice->strides[i] = leaves[i] ? layouts->at[leaves[i] - 1].stride : 0;
}

void spe_layouts_learn(struct spe_layouts *layouts, const uint8_t *bytes, size_t size,
		       const struct plumb_spe_record *record)
{
	struct spe_record_layout *layout = &layouts->at[layouts->count];
	unsigned second;

	if (layouts->missed++ > MISSED_MAX || layouts->count == SPE_LAYOUTS ||
	    record->size <= SECOND_PACKET || record->size > SPE_LAYOUT_BYTES ||
	    !describe(layout, bytes, record->size) || layout->has != record->has ||
	    !layout->operation.bits)
		return;
	include_padding(layout, bytes, size, record->offset);
	if (layouts->count == 0) {
		memset(layouts->operation_at, 0, sizeof(layouts->operation_at));
		memset(layouts->choices, 0, sizeof(layouts->choices));
		layouts->stride = layouts->shortest = layout->stride;
	}
	if (layout->stride < layouts->shortest)
		layouts->shortest = layout->stride;
	if (layouts->stride != layout->stride)
		layouts->stride = 0;
	second = bytes[SECOND_PACKET] & 15;
	layouts->operation_at[second] = (uint8_t)(layout->operation.at - 1);
	layouts->count++;
	add_choice(layouts, bytes);
}
