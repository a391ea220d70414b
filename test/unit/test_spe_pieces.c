/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces give the same records as the whole, whatever the data, the pieces and the room.
 * spe_both_ways.h compares; this file provides the data.
 */
#include "spe/encode.h"
#include "spe/lanes.h"
#include "spe/layout.h"
#include "spe/stream.h"

#include <sys/mman.h>

#include "check.h"

#include <plumb/spe.h>

#include "spe_both_ways.h"
#include "thorough.h"

#define DATA_MAX 32768

static struct both both;

static void read_both(const uint8_t *data, size_t size, uint64_t seed, size_t records)
{
	size_t got = both_read(&both, data, size, seed);

	if (both.difference)
		fail_msg("seed %llu: %s differ, record %zu of %zu", (unsigned long long)seed,
			 both.difference, got, records);
	if (records != SIZE_MAX)
		assert_int_equal(got, records);
}

static size_t put_record(uint8_t *data, size_t at, const struct plumb_spe_record *record,
			 enum spe_layout layout)
{
	int size = spe_encode_record(record, layout, data + at, DATA_MAX - at);

	assert_true(size > 0);
	return at + (size_t)size;
}

/* Pads records to 64 bytes as SPE units do; a few are followed by the next one at once. */
static size_t align(struct spe_random *random, uint8_t *data, size_t at)
{
	while (at % 64 && at < DATA_MAX && spe_random_below(random, 200))
		data[at++] = 0;
	return at;
}

/* The few layouts of one core; each seed has some. */
static size_t put_few_layouts(struct spe_random *random, uint8_t *data, size_t records)
{
	unsigned kinds = 1 + (unsigned)spe_random_below(random, 12);
	const bool aligned = spe_random_below(random, 2);
	enum spe_layout layout = spe_random_below(random, 2);
	uint32_t has[12];
	size_t at = 0;

	for (unsigned i = 0; i < kinds; i++)
		has[i] = (uint32_t)spe_random(random);
	for (size_t i = 0; i < records; i++) {
		struct plumb_spe_record record =
			spe_random_record(random, has[spe_random_below(random, kinds)]);

		/* Mostly of one length, as from one core. */
		if (spe_random_below(random, 100)) {
			record.events &= 0xffff;
			record.data_source &= 0xff;
			record.op_class = (uint8_t)(record.has % 3);
			record.events_bytes = record.data_source_bytes = 0;
		}
		at = put_record(data, at, &record, layout);
		if (aligned)
			at = align(random, data, at);
	}
	return at;
}

static void few_layouts(void **state)
{
	static uint8_t data[DATA_MAX];

	(void)state;
	for (uint64_t seed = 1; seed < 3000 / ONE_IN(5); seed++) {
		struct spe_random random = {seed};
		size_t records = 1 + spe_random_below(&random, 200);
		size_t size = put_few_layouts(&random, data, records);

		read_both(data, size, seed, records);
	}
}

/* Returns a branch, with or without a target and an issue latency. */
static struct plumb_spe_record branch(uint64_t kind)
{
	return (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_CONTEXT_EL1 | PLUMB_SPE_HAS_OPERATION |
		       PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_TOTAL_LATENCY |
		       PLUMB_SPE_HAS_TIMESTAMP | (kind & 1 ? PLUMB_SPE_HAS_BRANCH_TARGET : 0) |
		       (kind & 2 ? PLUMB_SPE_HAS_ISSUE_LATENCY : 0),
		.op_class = PLUMB_SPE_BRANCH,
		.operation = 1,
		.events = 2,
	};
}

/* Branches of four layouts begin alike; once all are known, none is decoded packet by packet. */
static void branches_are_told_apart(void **state)
{
	static uint8_t data[DATA_MAX];
	static struct spe_layouts layouts;
	struct plumb_spe_record records[128];
	struct plumb_spe_stream stream;
	struct spe_random random = {3};
	size_t at = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct plumb_spe_record record = branch(i < 4 ? i : spe_random_below(&random, 4));

		at = put_record(data, at, &record, SPE_LAYOUT_NEOVERSE);
	}
	spe_stream_begin(&stream);
	spe_layouts_begin(&layouts);
	plumb_spe_stream_feed(&stream, data, at);
	assert_int_equal(spe_stream_read(&stream, &layouts, records, 128), 128);
	assert_int_equal(layouts.missed, 4);
	assert_int_equal(spe_stream_read(&stream, &layouts, records, 128), 128);
	assert_int_equal(layouts.missed, 0);
}

/* Records of known layouts, but for a few, whose strides are not the same. */
static void strides_differ(void **state)
{
	static struct plumb_spe_record records[256];
	static uint8_t data[DATA_MAX];

	(void)state;
	for (uint64_t seed = 1; seed < 100; seed++) {
		struct spe_layouts layouts = {.members = SPE_MEMBERS_ALL};
		struct spe_random random = {seed};
		size_t at = 0, count;

		for (unsigned i = 0; i < 500; i++) {
			struct plumb_spe_record record = spe_random_record(
				&random, branch(i < 4 ? i : spe_random_below(&random, 4)).has);

			record.events_bytes = 2;
			record.events &= 0xffff;
			record.op_class = 2;
			if (i > 4 && spe_random_below(&random, 300) == 0)
				record.events_bytes = 8;
			at = put_record(data, at, &record, SPE_LAYOUT_COMPACT);
			/* What looks like a record, though a byte of the one before is missing. */
			if (seed % 2 && spe_random_below(&random, 300) == 0) {
				memmove(data + at - 20, data + at - 19, 19);
				at--;
			}
		}
		spe_stream_begin(&both.whole);
		spe_stream_begin(&both.pieces);
		plumb_spe_stream_feed(&both.whole, data, at);
		plumb_spe_stream_feed(&both.pieces, data, at);
		both.difference = NULL;
		while ((count = spe_stream_read(&both.pieces, &layouts, records, 256))) {
			for (size_t i = 0; i < count; i++) {
				struct plumb_spe_record record;

				both.records[both.next = 0] = records[i];
				assert_true(spe_stream_next(&both.whole, &record));
				both_compare(&both, &record);
				if (both.difference)
					fail_msg("seed %llu: %s differ", (unsigned long long)seed,
						 both.difference);
			}
		}
		assert_int_equal(layouts.stride, 0);
		assert_false(spe_stream_next(&both.whole, &records[0]));
		assert_int_equal(both.whole.lost.skipped, both.pieces.lost.skipped);
	}
}

/* A piece may be longer than 32 bits tell. */
static void beyond_4_gib(void **state)
{
	enum { BEFORE = 16000, ALL = 32000 };
	const uint64_t edge = UINT64_C(1) << 32;
	static struct plumb_spe_record records[256];
	struct spe_layouts layouts = {.members = SPE_MEMBERS_ALL};
	struct spe_random random = {1};
	struct plumb_spe_stream stream;
	size_t at = (size_t)(edge - BEFORE), written = 0, read = 0, count;
	uint8_t *data;

	(void)state;
	data = mmap(NULL, (size_t)edge + ALL, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		skip();
	for (; at < edge + BEFORE; written++) {
		struct plumb_spe_record record =
			spe_random_record(&random, branch(written % 4).has);

		record.events_bytes = 2;
		record.events &= 0xffff;
		record.op_class = 2;
		at = put_record(data, at, &record, SPE_LAYOUT_COMPACT);
	}
	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, data, at);
	stream.at = (size_t)(edge - BEFORE);
	while (read <= written && (count = spe_stream_read(&stream, &layouts, records, 256)))
		read += count;
	assert_int_equal(read, written);
	assert_int_equal(stream.lost.skipped, 0);
	munmap(data, (size_t)edge + ALL);
}

/* What sums and counts need of records is the same, whatever else is left out. */
static void some_members(void **state)
{
	static struct plumb_spe_record all[300], some[300];
	static uint8_t data[DATA_MAX];
	struct spe_random random = {3};
	size_t at = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct plumb_spe_record record = branch(spe_random_below(&random, 4));

		record.counters[PLUMB_SPE_TOTAL_LATENCY] = (uint16_t)(7 * i);
		record.addresses[PLUMB_SPE_PC] += 4 * i;
		at = put_record(data, at, &record, SPE_LAYOUT_NEOVERSE);
	}
	for (int members = SPE_MEMBERS_ALL; members <= SPE_MEMBERS_COUNTS; members++) {
		struct spe_layouts layouts = {.members = (enum spe_layout_members)members};
		struct plumb_spe_record *got = members == SPE_MEMBERS_ALL ? all : some;
		struct plumb_spe_stream stream;

		memset(some, 0xa5, sizeof(some));
		spe_stream_begin(&stream);
		plumb_spe_stream_feed(&stream, data, at);
		assert_int_equal(spe_stream_read(&stream, &layouts, got, 300), 300);
		for (unsigned i = 0; i < 300; i++) {
			assert_true(got[i].offset == all[i].offset && got[i].size == all[i].size);
			assert_int_equal(got[i].has, all[i].has);
			assert_int_equal(got[i].events, all[i].events);
			assert_int_equal(got[i].timestamp, all[i].timestamp);
			assert_int_equal(got[i].op_class, all[i].op_class);
			if (members != SPE_MEMBERS_SUMS)
				assert_int_equal(got[i].operation, all[i].operation);
			if (members == SPE_MEMBERS_COUNTS)
				continue;
			assert_int_equal(got[i].addresses[PLUMB_SPE_PC],
					 all[i].addresses[PLUMB_SPE_PC]);
			assert_int_equal(got[i].counters[PLUMB_SPE_TOTAL_LATENCY],
					 all[i].counters[PLUMB_SPE_TOTAL_LATENCY]);
		}
	}
	assert_int_equal(all[299].counters[PLUMB_SPE_TOTAL_LATENCY], 7 * 299);
}

/* Records of any kind, with padding, alignments and other bytes between them. */
static void any_bytes_between(void **state)
{
	static uint8_t data[DATA_MAX];

	(void)state;
	for (uint64_t seed = 1; seed < 3000 / ONE_IN(5); seed++) {
		struct spe_random random = {seed};
		size_t at = 0;

		while (at < DATA_MAX - 500) {
			uint32_t has =
				(uint32_t)(spe_random(&random) >> spe_random_below(&random, 64));
			struct plumb_spe_record record = spe_random_record(&random, has);
			uint64_t dice = spe_random_below(&random, 8);

			at = put_record(data, at, &record, spe_random_below(&random, 2));
			if (dice == 0) {
				data[at++] = (uint8_t)spe_random(&random);
			} else if (dice < 3) {
				size_t padding = spe_random_below(&random, 90);

				memset(data + at, 0, padding);
				at += padding;
			} else if (dice == 3) {
				data[at++] = 0x20 | (spe_random(&random) & 7);
				data[at++] = 0;
			}
		}
		read_both(data, at, seed, SIZE_MAX);
	}
}

/* Valid records with some bytes changed, in headers and payloads. */
static void damaged(void **state)
{
	static uint8_t data[DATA_MAX];

	(void)state;
	for (uint64_t seed = 1; seed < 3000 / ONE_IN(5); seed++) {
		struct spe_random random = {seed};
		size_t size = put_few_layouts(&random, data, 100);
		size_t damages = spe_random_below(&random, 50);

		for (size_t i = 0; i < damages; i++) {
			size_t at = spe_random_below(&random, size);

			data[at] = spe_random(&random) & 1 ? 0 : (uint8_t)spe_random(&random);
		}
		read_both(data, size, seed, SIZE_MAX);
	}
}

static void noise(void **state)
{
	static uint8_t data[DATA_MAX];

	(void)state;
	for (uint64_t seed = 1; seed < 300 / ONE_IN(5); seed++) {
		struct spe_random random = {seed};

		for (size_t i = 0; i < DATA_MAX; i++)
			data[i] = (uint8_t)(spe_random(&random) >> 40);
		read_both(data, DATA_MAX, seed, SIZE_MAX);
		memset(data, (int)(seed & 0xff), DATA_MAX);
		read_both(data, DATA_MAX, seed, SIZE_MAX);
	}
}

/* Compares what records are counted by. */
static void same_sums(const struct plumb_spe_record *a, const struct plumb_spe_record *b)
{
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->has, b->has);
	assert_int_equal(a->op_class, b->op_class);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->timestamp, b->timestamp);
	assert_memory_equal(a->contexts, b->contexts, sizeof(a->contexts));
	assert_int_equal(a->addresses[PLUMB_SPE_PC], b->addresses[PLUMB_SPE_PC]);
	assert_int_equal(a->counters[PLUMB_SPE_TOTAL_LATENCY],
			 b->counters[PLUMB_SPE_TOTAL_LATENCY]);
}

/* Reads as many records as lanes have room for, behind the first one, in lanes and one after
 * another. Returns how many the lanes gave. */
static size_t read_lanes(const uint8_t *data, size_t size)
{
	static struct plumb_spe_record sums[128];
	struct plumb_spe_record record;
	uint32_t apart = 0, again = 0;
	size_t count, at;

	spe_stream_begin(&both.whole);
	plumb_spe_stream_feed(&both.whole, data, size);
	assert_true(spe_stream_next(&both.whole, &record));
	both.pieces = both.whole;
	at = both.pieces.at;
	count = spe_lanes_read(data, size, 0, &both.pieces.at, &apart, &record, both.records, 128,
			       SPE_MEMBERS_ALL);
	assert_int_equal(
		spe_lanes_read(data, size, 0, &at, &again, &record, sums, 128, SPE_MEMBERS_SUMS),
		count);
	assert_int_equal(at, both.pieces.at);
	for (size_t i = 0; i < count; i++)
		same_sums(&sums[i], &both.records[i]);
	both.difference = NULL;
	for (both.next = 0; both.next < count && !both.difference;) {
		assert_true(spe_stream_next(&both.whole, &record));
		both_compare(&both, &record);
	}
	if (both.difference)
		fail_msg("record %zu: %s differ", both.next, both.difference);
	/* The stream goes on behind them. */
	assert_true(spe_stream_next(&both.whole, &record));
	assert_int_equal(spe_stream_read(&both.pieces, &(struct spe_layouts){0}, both.records, 1),
			 1);
	both.next = 0;
	both_compare(&both, &record);
	assert_null(both.difference);
	return count;
}

/* Three guesses, of which the first that is wrong ends what is read. */
static void lanes(void **state)
{
	static uint8_t data[DATA_MAX];
	size_t most = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 200; seed++) {
		const bool timed = seed % 2;
		struct spe_random random = {seed};
		size_t at = 0, count;

		while (at < DATA_MAX / 2) {
			const uint32_t has = (uint32_t)spe_random(&random) | PLUMB_SPE_HAS_PC |
					     PLUMB_SPE_HAS_OPERATION;
			struct plumb_spe_record record =
				spe_random_record(&random, timed ? has | PLUMB_SPE_HAS_TIMESTAMP
								 : has & ~PLUMB_SPE_HAS_TIMESTAMP);
			const size_t padding = spe_random_below(&random, seed % 3 ? 40 : 150);

			at = put_record(data, at, &record, SPE_LAYOUT_COMPACT);
			memset(data + at, 0, padding);
			at += padding;
		}
		count = read_lanes(data, at);
		most = count > most ? count : most;
	}
	assert_in_range(most, 97, 128);
}

/* Payloads that look like the end of a record and the beginning of the next one. */
static void lanes_led_astray(void **state)
{
	static uint8_t data[DATA_MAX];
	size_t at = 0;

	(void)state;
	for (uint64_t i = 0; at < DATA_MAX / 2; i++) {
		struct plumb_spe_record record = {
			.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_OPERATION |
			       PLUMB_SPE_HAS_BRANCH_TARGET | PLUMB_SPE_HAS_PREVIOUS_TARGET |
			       PLUMB_SPE_HAS_TIMESTAMP,
			.addresses = {0x400000 + 4 * i, UINT64_C(0x71) << 56 | i, 0, 0,
				      UINT64_C(0xb0) << 56 | i},
			.timestamp = 1000 * i,
		};

		at = put_record(data, at, &record, SPE_LAYOUT_COMPACT);
	}
	assert_in_range(read_lanes(data, at), 1, 32);
}

/* Bytes past the end of a piece are never read: each piece has its own memory. */
static void nothing_past_the_end(void **state)
{
	static uint8_t data[DATA_MAX];
	struct spe_random random = {7};
	size_t size = put_few_layouts(&random, data, 5);

	(void)state;
	for (size_t cut = 0; cut <= size; cut++) {
		uint8_t *exact = malloc(cut + 1);

		assert_non_null(exact);
		memcpy(exact, data, cut);
		read_both(exact, cut, 1, SIZE_MAX);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_layouts),
		cmocka_unit_test(branches_are_told_apart),
		cmocka_unit_test(strides_differ),
		cmocka_unit_test(beyond_4_gib),
		cmocka_unit_test(some_members),
		cmocka_unit_test(any_bytes_between),
		cmocka_unit_test(damaged),
		cmocka_unit_test(noise),
		cmocka_unit_test(lanes),
		cmocka_unit_test(lanes_led_astray),
		cmocka_unit_test(nothing_past_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
