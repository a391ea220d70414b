/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data read in two ways that must give the same: one record at a time from one piece, and several
 * at a time from pieces of any size. Used by unit tests and the fuzz harness alike; `difference`
 * names the first difference.
 */
#ifndef TEST_SPE_BOTH_WAYS_H
#define TEST_SPE_BOTH_WAYS_H

#include <plumb/spe.h>
#include <stdlib.h>
#include <string.h>

#include "spe/stream.h"

#include "spe_random.h"

#define BOTH_ROOM 200

struct both {
	struct plumb_spe_stream whole, pieces;
	struct plumb_spe_record records[BOTH_ROOM];
	size_t count, next; /* records read from pieces, and the next of them to compare */
	const char *difference;
};

static inline void both_compare(struct both *both, const struct plumb_spe_record *b)
{
	const struct plumb_spe_record *a = &both->records[both->next++];

#define SAME(member)                                                        \
	do {                                                                \
		if (memcmp(&a->member, &b->member, sizeof(a->member)) != 0) \
			both->difference = #member;                         \
	} while (0)
	SAME(addresses);
	SAME(counters);
	SAME(contexts);
	SAME(events);
	SAME(data_source);
	SAME(timestamp);
	SAME(has);
	SAME(op_class);
	SAME(operation);
	SAME(events_bytes);
	SAME(data_source_bytes);
	SAME(offset);
	SAME(size);
#undef SAME
}

/* The next record that the pieces give is `record`. */
static inline void both_next(struct both *both, struct spe_random *random, const uint8_t *data,
			     size_t size, const struct plumb_spe_record *record)
{
	struct plumb_spe_stream *stream = &both->pieces;

	while (both->next == both->count) {
		const size_t room = 1 + spe_random_below(random, BOTH_ROOM);

		both->next = 0;
		both->count = plumb_spe_stream_read(stream, both->records, room);
		if (both->count > room)
			both->difference = "count";
		if (both->count == 0) {
			size_t at = (size_t)stream->offset + stream->size;
			uint64_t limit = spe_random(random) & 1 ? 100 : size + 1;
			size_t more = (size_t)spe_random_below(random, limit);

			if (at == size) {
				both->difference = "fewer records in pieces";
				return;
			}
			plumb_spe_stream_feed(stream, data + at,
					      more < size - at ? more : size - at);
		}
	}
	both_compare(both, record);
}

/*
 * Reads `data` both ways, cut into pieces by `seed`. Returns how many records there are;
 * .difference is NULL if all was the same.
 */
static inline size_t both_read(struct both *both, const uint8_t *data, size_t size, uint64_t seed)
{
	struct spe_random random = {seed | 1};
	struct plumb_spe_record record;
	size_t records = 0;

	both->count = both->next = 0;
	both->difference = NULL;
	spe_stream_begin(&both->whole);
	spe_stream_begin(&both->pieces);
	plumb_spe_stream_feed(&both->whole, data, size);
	while (!both->difference && spe_stream_next(&both->whole, &record)) {
		both_next(both, &random, data, size, &record);
		records++;
	}
	/* No more records, whatever is left. */
	while (!both->difference) {
		size_t at;

		if (both->next < both->count ||
		    plumb_spe_stream_read(&both->pieces, both->records, BOTH_ROOM))
			both->difference = "more records in pieces";
		at = (size_t)both->pieces.offset + both->pieces.size;
		if (at == size)
			break;
		plumb_spe_stream_feed(&both->pieces, data + at, size - at);
	}
	plumb_spe_stream_end(&both->whole);
	plumb_spe_stream_end(&both->pieces);
	if (both->whole.lost.skipped != both->pieces.lost.skipped)
		both->difference = "skipped";
	if (both->whole.lost.first_skipped != both->pieces.lost.first_skipped)
		both->difference = "first_skipped";
	if (both->whole.lost.unfinished != both->pieces.lost.unfinished)
		both->difference = "unfinished";
	return records;
}

#endif
