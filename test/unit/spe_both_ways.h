/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data read in two ways that must give the same: one record at a time from one piece, and in
 * batches from pieces and with room of any size. Used by unit tests and the fuzz harness alike; the
 * first difference is named in `difference`.
 */
#ifndef TEST_SPE_BOTH_WAYS_H
#define TEST_SPE_BOTH_WAYS_H

#include <plumb/spe.h>
#include <stdlib.h>

#include "spe_random.h"

#define BOTH_ROOM 200

struct both_columns {
	uint64_t addresses[5][BOTH_ROOM], events[BOTH_ROOM], data_source[BOTH_ROOM];
	uint64_t timestamp[BOTH_ROOM], offset[BOTH_ROOM];
	uint32_t contexts[2][BOTH_ROOM], has[BOTH_ROOM], size[BOTH_ROOM];
	uint16_t counters[3][BOTH_ROOM];
	uint8_t op_class[BOTH_ROOM], operation[BOTH_ROOM];
};

struct both {
	struct plumb_spe_stream simple, batched;
	struct both_columns rows;
	size_t count, next; /* rows there are, and the next of them to compare */
	uint32_t wanted;    /* columns, a bit each */
	const char *difference;
};

/* The columns wanted; those that are not stay NULL, and their memory untouched. */
static inline struct plumb_spe_columns both_columns(struct both *both, size_t room)
{
	struct both_columns *rows = &both->rows;
	struct plumb_spe_columns columns = {.room = room};
	uint32_t wanted = both->wanted;

#define WANT(bit, column) (wanted & 1u << (bit) ? (column) : NULL)
	for (unsigned i = 0; i < 5; i++)
		columns.addresses[i] = WANT(i, rows->addresses[i]);
	for (unsigned i = 0; i < 3; i++)
		columns.counters[i] = WANT(5 + i, rows->counters[i]);
	for (unsigned i = 0; i < 2; i++)
		columns.contexts[i] = WANT(8 + i, rows->contexts[i]);
	columns.events = WANT(10, rows->events);
	columns.data_source = WANT(11, rows->data_source);
	columns.timestamp = WANT(12, rows->timestamp);
	columns.has = WANT(13, rows->has);
	columns.op_class = WANT(14, rows->op_class);
	columns.operation = WANT(15, rows->operation);
	columns.offset = WANT(16, rows->offset);
	columns.size = WANT(17, rows->size);
#undef WANT
	return columns;
}

static inline void both_compare(struct both *both, const struct plumb_spe_record *record)
{
	const struct both_columns *rows = &both->rows;
	size_t row = both->next++;

#define SAME(bit, column, member)                                                      \
	do {                                                                           \
		if (both->wanted & 1u << (bit) && rows->column[row] != record->member) \
			both->difference = #member;                                    \
	} while (0)
	for (unsigned i = 0; i < 5; i++)
		SAME(i, addresses[i], addresses[i]);
	for (unsigned i = 0; i < 3; i++)
		SAME(5 + i, counters[i], counters[i]);
	for (unsigned i = 0; i < 2; i++)
		SAME(8 + i, contexts[i], contexts[i]);
	SAME(10, events, events);
	SAME(11, data_source, data_source);
	SAME(12, timestamp, timestamp);
	SAME(13, has, has);
	SAME(14, op_class, op_class);
	SAME(15, operation, operation);
	SAME(16, offset, offset);
	SAME(17, size, size);
#undef SAME
}

/* The next row that the batches give is the record. */
static inline void both_next_row(struct both *both, struct spe_random *random, const uint8_t *data,
				 size_t size, const struct plumb_spe_record *record)
{
	struct plumb_spe_stream *stream = &both->batched;

	while (both->next == both->count) {
		struct plumb_spe_columns columns =
			both_columns(both, 1 + spe_random_below(random, BOTH_ROOM));

		both->next = 0;
		both->count = plumb_spe_stream_batch(stream, &columns);
		if (both->count > columns.room)
			both->difference = "count";
		if (both->count == 0) {
			size_t at = (size_t)stream->offset + stream->size;
			uint64_t limit = spe_random(random) & 1 ? 100 : size + 1;
			size_t more = (size_t)spe_random_below(random, limit);

			if (at == size) {
				both->difference = "fewer records in batches";
				return;
			}
			/* A copy of just that size, so that what is read past its end shows. */
			plumb_spe_stream_feed(stream, data + at,
					      more < size - at ? more : size - at);
		}
	}
	both_compare(both, record);
}

/*
 * Reads `data` both ways, the batches in pieces and with columns by `seed`. Returns how many
 * records there are; .difference is NULL if all was the same.
 */
static inline size_t both_read(struct both *both, const uint8_t *data, size_t size, uint64_t seed)
{
	struct spe_random random = {seed | 1};
	struct plumb_spe_record record;
	size_t records = 0;

	both->count = both->next = 0;
	both->difference = NULL;
	both->wanted = seed & 2 ? (uint32_t)spe_random(&random) : UINT32_MAX;
	plumb_spe_stream_begin(&both->simple);
	plumb_spe_stream_begin(&both->batched);
	plumb_spe_stream_feed(&both->simple, data, size);
	while (!both->difference && plumb_spe_stream_next(&both->simple, &record)) {
		both_next_row(both, &random, data, size, &record);
		records++;
	}
	/* No more records, whatever is left. */
	while (!both->difference) {
		struct plumb_spe_columns columns = both_columns(both, BOTH_ROOM);
		size_t at;

		if (both->next < both->count || plumb_spe_stream_batch(&both->batched, &columns))
			both->difference = "more records in batches";
		at = (size_t)both->batched.offset + both->batched.size;
		if (at == size)
			break;
		plumb_spe_stream_feed(&both->batched, data + at, size - at);
	}
	plumb_spe_stream_end(&both->simple);
	plumb_spe_stream_end(&both->batched);
	if (both->simple.skipped != both->batched.skipped)
		both->difference = "skipped";
	if (both->simple.first_skipped != both->batched.first_skipped)
		both->difference = "first_skipped";
	if (both->simple.unfinished != both->batched.unfinished)
		both->difference = "unfinished";
	return records;
}

#endif
