/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of records: which bytes are headers and padding, and where the payloads stand between
 * them. A core writes few of them, one for each kind of operation. A record whose headers and
 * padding are those of a layout has its packets, and no other, so its members can be fetched from
 * their places without reading it packet by packet.
 */
#ifndef SPE_LAYOUT_H
#define SPE_LAYOUT_H

#include <plumb/spe.h>

#define SPE_LAYOUT_BYTES 64 /* longer records have no layout */
#define SPE_LAYOUTS      8

/* A record's members whose values stand in it. */
enum spe_member {
	SPE_ADDRESSES = 0, /* 5 */
	SPE_EVENTS = 5,
	SPE_DATA_SOURCE,
	SPE_TIMESTAMP,
	SPE_CONTEXTS,                    /* 2 */
	SPE_COUNTERS = SPE_CONTEXTS + 2, /* 3 */
	SPE_OPERATION = SPE_COUNTERS + 3,
	SPE_MEMBERS,
};

typedef uint64_t spe_vector __attribute__((vector_size(16)));
#define SPE_VECTORS (SPE_LAYOUT_BYTES / sizeof(spe_vector))

/* A member is the eight bytes at its place, of which `keep` are its own; none if it is absent. */
struct spe_layout {
	spe_vector mask[SPE_VECTORS]; /* 0xff where a header or padding is */
	spe_vector value[SPE_VECTORS];
	uint64_t keep[SPE_MEMBERS];
	uint8_t at[SPE_MEMBERS];
	uint8_t size; /* of the record */
	uint8_t op_class;
	uint32_t has;
};

struct spe_layouts {
	struct spe_layout list[SPE_LAYOUTS];
	unsigned count;
	unsigned misses;
	uint32_t having[SPE_MEMBERS]; /* which layouts have the member, a bit each */
	unsigned same_size;           /* that all have, or 0 */
	unsigned telling;             /* the byte that tells them apart best ... */
	uint8_t likely[256];          /* ... and, by its value, which it may be */
};

/* How many bytes from a record's beginning may be looked at, to match it or to fetch its members.
 */
#define SPE_LAYOUT_REACH (SPE_LAYOUT_BYTES + 8)

void spe_layouts_begin(struct spe_layouts *layouts);

/* Adds the layout of the record, whose bytes these are; perhaps in the place of another. */
void spe_layouts_learn(struct spe_layouts *layouts, const uint8_t *bytes,
		       const struct plumb_spe_record *record);

static inline bool spe_layout_fits(const struct spe_layout *layout, const uint8_t *bytes)
{
	spe_vector differs = {0};

	for (size_t i = 0; i < SPE_VECTORS; i++) {
		spe_vector here;

		__builtin_memcpy(&here, bytes + i * sizeof(here), sizeof(here));
		differs |= (here ^ layout->value[i]) & layout->mask[i];
	}
	return (differs[0] | differs[1]) == 0;
}

/*
 * The layout of the record at `bytes`, of which SPE_LAYOUT_REACH can be read; or -1. There must be
 * at least one layout.
 */
static inline int spe_layouts_match(const struct spe_layouts *layouts, const uint8_t *bytes)
{
	unsigned likely = layouts->likely[bytes[layouts->telling]];

	if (__builtin_expect(spe_layout_fits(&layouts->list[likely], bytes), 1))
		return (int)likely;
	for (unsigned i = 0; i < layouts->count; i++)
		if (spe_layout_fits(&layouts->list[i], bytes))
			return (int)i;
	return -1;
}

#endif
