/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records read many at once, into columns. Those of a layout that is known are found first, a block
 * of them, and then each column fetched on its own. The others are read one by one, and their
 * layouts learnt.
 */
#include "spe/layout.h"
#include "spe/packet.h"

/* Records found before their columns are fetched: what stays in a first-level cache meanwhile. */
#define BLOCK 128

struct block {
	const struct spe_layouts *layouts;
	const uint8_t *bytes; /* of the first record */
	uint64_t offset;      /* likewise */
	size_t count;
	bool alike;           /* all have the layout of the first, and no padding between them */
	uint8_t which[BLOCK]; /* layouts */
	uint8_t rows[SPE_LAYOUTS][BLOCK]; /* and the records of each, */
	uint8_t counts[SPE_LAYOUTS];      /* as many */
	uint32_t place[BLOCK];            /* of each record, from the first */
};

/* ---- One record ---- */

static void put_record(const struct plumb_spe_columns *to, size_t row,
		       const struct plumb_spe_record *record)
{
	if (to->has)
		to->has[row] = record->has;
	for (unsigned i = 0; i < 5; i++)
		if (to->addresses[i])
			to->addresses[i][row] = record->addresses[i];
	if (to->events)
		to->events[row] = record->events;
	if (to->data_source)
		to->data_source[row] = record->data_source;
	if (to->timestamp)
		to->timestamp[row] = record->timestamp;
	for (unsigned i = 0; i < 2; i++)
		if (to->contexts[i])
			to->contexts[i][row] = record->contexts[i];
	for (unsigned i = 0; i < 3; i++)
		if (to->counters[i])
			to->counters[i][row] = record->counters[i];
	if (to->op_class)
		to->op_class[row] = record->op_class;
	if (to->operation)
		to->operation[row] = record->operation;
	if (to->offset)
		to->offset[row] = record->offset;
	if (to->size)
		to->size[row] = record->size;
}

/* ---- A block of records ---- */

/*
 * Finds records from the stream's place on, up to `limit` of them, as long as their layouts are
 * known, and moves the stream past them.
 */
static void find_block(struct plumb_spe_stream *stream, const struct spe_layouts *layouts,
		       size_t limit, struct block *block)
{
	const uint8_t *bytes = stream->bytes;
	size_t at = stream->at, first, size;
	size_t end = stream->size < SPE_LAYOUT_REACH ? 0 : stream->size - SPE_LAYOUT_REACH + 1;
	size_t count = 0, length = 0;
	unsigned other = 0;

	memset(block->counts, 0, sizeof(block->counts));
	while (at < end && bytes[at] == 0)
		at++;
	first = at;
	while (count < limit && at < end) {
		int which = spe_layouts_match(layouts, bytes + at);

		if (which < 0)
			break;
		block->which[count] = (uint8_t)which;
		block->rows[which][block->counts[which]++] = (uint8_t)count;
		block->place[count] = (uint32_t)(at - first);
		other |= (unsigned)(which ^ block->which[0]) | (unsigned)(at - first != length);
		/* All of one size: the next place does not wait for what this one is. */
		size = layouts->same_size ? layouts->same_size : layouts->list[which].size;
		length += size;
		at += size;
		count++;
		while (at < end && bytes[at] == 0)
			at++;
		if (at - first > UINT32_MAX / 2)
			break;
	}
	stream->at = at;
	block->layouts = layouts;
	block->bytes = bytes + first;
	block->offset = stream->offset + first;
	block->count = count;
	block->alike = !other;
}

/*
 * A column of one member, in a width: in one go if all are alike, else layout by layout, over zeros
 * for those that do not have it.
 */
#define FETCH_COLUMN(name, type, load)                                                           \
	static void name##_of(const struct block *block, unsigned which, enum spe_member member, \
			      type *restrict to)                                                 \
	{                                                                                        \
		const struct spe_layout *layout = &block->layouts->list[which];                  \
		const uint8_t *from = block->bytes + layout->at[member];                         \
		const uint8_t *rows = block->rows[which];                                        \
		const type keep = (type)layout->keep[member];                                    \
		size_t count = block->counts[which];                                             \
                                                                                                 \
		for (size_t i = 0; i < count; i++)                                               \
			to[rows[i]] = (type)(load(from + block->place[rows[i]]) & keep);         \
	}                                                                                        \
                                                                                                 \
	static void name(const struct block *block, enum spe_member member, type *restrict to)   \
	{                                                                                        \
		const struct spe_layouts *layouts = block->layouts;                              \
		const struct spe_layout *first = &layouts->list[block->which[0]];                \
		const uint8_t *from = block->bytes + first->at[member];                          \
		const type keep = (type)first->keep[member];                                     \
		unsigned having = block->alike ? 0 : layouts->having[member];                    \
                                                                                                 \
		if (block->alike && keep)                                                        \
			for (size_t i = 0; i < block->count; i++)                                \
				to[i] = (type)(load(from + i * first->size) & keep);             \
		else if (having != (1u << layouts->count) - 1)                                   \
			memset(to, 0, block->count * sizeof(*to));                               \
		for (; having; having &= having - 1)                                             \
			name##_of(block, (unsigned)__builtin_ctz(having), member, to);           \
	}

static inline uint8_t load8(const uint8_t *at)
{
	return *at;
}

FETCH_COLUMN(fetch64, uint64_t, spe_load64)
FETCH_COLUMN(fetch32, uint32_t, spe_load32)
FETCH_COLUMN(fetch16, uint16_t, spe_load16)
FETCH_COLUMN(fetch8, uint8_t, load8)
#undef FETCH_COLUMN

/* What is the same for all records of a layout, and where they stand. */
static void fill_constants(const struct block *block, const struct plumb_spe_columns *to,
			   size_t row)
{
	struct {
		uint32_t has, size;
		uint8_t op_class;
	} of[SPE_LAYOUTS] = {0};
	const uint8_t *which = block->which;
	size_t count = block->count;

	for (unsigned i = 0; i < block->layouts->count; i++) {
		of[i].has = block->layouts->list[i].has;
		of[i].size = block->layouts->list[i].size;
		of[i].op_class = block->layouts->list[i].op_class;
	}
	for (size_t i = 0; to->has && i < count; i++)
		to->has[row + i] = of[which[i]].has;
	for (size_t i = 0; to->op_class && i < count; i++)
		to->op_class[row + i] = of[which[i]].op_class;
	for (size_t i = 0; to->size && i < count; i++)
		to->size[row + i] = of[which[i]].size;
	for (size_t i = 0; to->offset && i < count; i++)
		to->offset[row + i] = block->offset + block->place[i];
}

static void put_block(const struct plumb_spe_columns *to, size_t row, const struct block *block)
{
	fill_constants(block, to, row);
	for (unsigned i = 0; i < 5; i++)
		if (to->addresses[i])
			fetch64(block, SPE_ADDRESSES + i, to->addresses[i] + row);
	if (to->events)
		fetch64(block, SPE_EVENTS, to->events + row);
	if (to->data_source)
		fetch64(block, SPE_DATA_SOURCE, to->data_source + row);
	if (to->timestamp)
		fetch64(block, SPE_TIMESTAMP, to->timestamp + row);
	for (unsigned i = 0; i < 2; i++)
		if (to->contexts[i])
			fetch32(block, SPE_CONTEXTS + i, to->contexts[i] + row);
	for (unsigned i = 0; i < 3; i++)
		if (to->counters[i])
			fetch16(block, SPE_COUNTERS + i, to->counters[i] + row);
	if (to->operation)
		fetch8(block, SPE_OPERATION, to->operation + row);
}

/* ---- All of them ---- */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void learn(struct spe_layouts *layouts, const struct plumb_spe_stream *stream,
		  const struct plumb_spe_record *record)
{
	if (record->offset >= stream->offset)
		spe_layouts_learn(layouts, stream->bytes + (record->offset - stream->offset),
				  record);
}

size_t plumb_spe_stream_batch(struct plumb_spe_stream *stream,
			      const struct plumb_spe_columns *columns)
{
	struct plumb_spe_record record;
	struct spe_layouts layouts;
	struct block block;
	size_t row = 0;

	spe_layouts_begin(&layouts);
	while (row < columns->room) {
		if (layouts.count && !stream->open && !stream->kept_size && !stream->skip) {
			find_block(stream, &layouts, smaller(columns->room - row, BLOCK), &block);
			if (block.count) {
				put_block(columns, row, &block);
				row += block.count;
				continue;
			}
		}
		if (!plumb_spe_stream_next(stream, &record))
			break;
		put_record(columns, row++, &record);
		learn(&layouts, stream, &record);
	}
	return row;
}
