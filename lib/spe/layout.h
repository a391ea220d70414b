/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of records: where which packets are. An SPE unit writes records of few layouts, so a
 * record of one that was seen before is checked and decoded without a look at one packet after the
 * other.
 */
#ifndef SPE_LAYOUT_H
#define SPE_LAYOUT_H

#include <plumb/spe.h>

/* Records with longer layouts are decoded packet by packet. */
#define SPE_LAYOUT_BYTES 64
/* Bytes from a record's first on that must be there to decode it by its layout. */
#define SPE_LAYOUT_AHEAD (SPE_LAYOUT_BYTES + 8)
#define SPE_LAYOUTS      16

/* A member of the record: its offset, and the bits that it has; none without a packet. */
struct spe_layout_member {
	uint64_t bits;
	uint64_t at;
};

struct spe_record_layout {
	/* The headers and the padding, behind the record too, and where these are: 0xff. */
	_Alignas(16) uint8_t fixed[SPE_LAYOUT_BYTES];
	_Alignas(16) uint8_t mask[SPE_LAYOUT_BYTES];
	struct spe_layout_member addresses[5], counters[3], contexts[2], events, data_source,
		timestamp, operation;
	uint32_t size, has; /* as in the record */
	uint8_t stride;     /* with the padding behind it */
	uint8_t op_class, events_bytes, data_source_bytes;
};

/*
 * The layouts of records that begin alike, numbered from 1, as the leaves of a tree: of two
 * branches one may have no target, and one no latency. At each of the three nodes a byte decides:
 * [0] is the root, [1] is below it if that byte differs from its value, and [2] if it does not.
 */
struct spe_layout_choice {
	uint8_t at[3], values[3], layouts[4];
	uint8_t strides[4]; /* of these layouts; 0 without one */
	uint8_t unused[2];  /* so that a choice is found by a shift */
};

enum spe_layout_members {
	SPE_MEMBERS_ALL,
	SPE_MEMBERS_SUMS,    /* all but addresses other than the PC, other latencies than the total
				one, the data source, and the operation's payload */
	SPE_MEMBERS_SOURCES, /* likewise, with the data source and that payload */
	SPE_MEMBERS_COUNTS   /* as SUMS, with that payload, without the PC and the total latency */
};

struct spe_layouts {
	unsigned count;
	unsigned missed; /* records of no known layout since spe_layouts_restart() */
	size_t stride;   /* of the records of all layouts; 0: not the same */
	size_t shortest; /* the least of their strides */
	/* Of records of a known layout only these members are decoded; others have any value. */
	enum spe_layout_members members;
	/* The operation's offset by the packet behind that of the PC; and choices by that packet
	 * and the operation. */
	uint8_t operation_at[16];
	struct spe_layout_choice choices[128];
	struct spe_record_layout at[SPE_LAYOUTS];
};

/* Begins without layouts; leaves `members`, and does not touch what is not used. */
static inline void spe_layouts_begin(struct spe_layouts *layouts)
{
	layouts->count = layouts->missed = 0;
}

/* Begins to count missed records again. */
static inline void spe_layouts_restart(struct spe_layouts *layouts)
{
	layouts->missed = 0;
}

/*
 * Decodes the records at `bytes` up to the first of an unknown layout, at most `room`. Returns how
 * many, and adds to `*at` the bytes that they and the padding around them take. `offset` is that of
 * bytes[*at] in the stream.
 */
size_t spe_layouts_read(const struct spe_layouts *layouts, const uint8_t *bytes, size_t size,
			uint64_t offset, size_t *at, struct plumb_spe_record *records, size_t room);

/* Learns the layout of a record that was decoded packet by packet, at the first of `size` bytes. */
void spe_layouts_learn(struct spe_layouts *layouts, const uint8_t *bytes, size_t size,
		       const struct plumb_spe_record *record);

#endif
