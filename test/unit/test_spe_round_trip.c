/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads back every record that can be written: generated ones, in both layouts, one by one and in
 * batches. Arguments: the number of records (default: 10000) and the seed. All combinations of
 * members come in turn, with payloads of all sizes.
 */
#include "spe/encode.h"
#include "spe/stream.h"

#include "check.h"

#include <plumb/spe.h>

#include "spe_random.h"

/* What is written, before it is read. */
#define RECORDS 512

/* All bits except END and OTHERS: those that a record may have when it is written. */
#define COMBINATIONS (1u << 14)

static uint64_t wanted = 10000, seed = 1;

static struct {
	struct plumb_spe_record records[RECORDS];
	uint8_t bytes[RECORDS * SPE_RECORD_MAX];
	size_t size;
} written;

static struct plumb_spe_record got[RECORDS];

/*
 * A core has few kinds of records, so some repeat: each run of the writer has `kinds` of them. The
 * writer chooses the place of the first packet, and thus .offset.
 */
static void write_records(struct spe_random *random, enum spe_layout layout, uint64_t first,
			  unsigned kinds)
{
	written.size = 0;
	for (size_t i = 0; i < RECORDS; i++) {
		uint32_t has = (uint32_t)((first + i % kinds) % COMBINATIONS);
		struct plumb_spe_record *record = &written.records[i];
		uint8_t *bytes = written.bytes + written.size;
		size_t padding = 0;
		int size;

		*record = spe_random_record(random, has);
		size = spe_encode_record(record, layout, bytes, SPE_RECORD_MAX);
		assert_true(size > 0);
		while (bytes[padding] == 0)
			padding++;
		record->offset = written.size + padding;
		record->size = (uint32_t)((size_t)size - padding);
		written.size += (size_t)size;
	}
}

static bool same(const struct plumb_spe_record *a, const struct plumb_spe_record *b)
{
	return a->has == b->has && a->offset == b->offset && a->size == b->size &&
	       memcmp(a->addresses, b->addresses, sizeof(a->addresses)) == 0 &&
	       memcmp(a->counters, b->counters, sizeof(a->counters)) == 0 &&
	       memcmp(a->contexts, b->contexts, sizeof(a->contexts)) == 0 &&
	       a->events == b->events && a->data_source == b->data_source &&
	       a->timestamp == b->timestamp && a->op_class == b->op_class &&
	       a->operation == b->operation && a->events_bytes == b->events_bytes &&
	       a->data_source_bytes == b->data_source_bytes;
}

static void read_one_by_one(void)
{
	struct plumb_spe_stream stream;
	struct plumb_spe_record record;
	size_t count = 0;

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, written.bytes, written.size);
	while (spe_stream_next(&stream, &record)) {
		assert_true(count < RECORDS);
		if (!same(&record, &written.records[count]))
			fail_msg("record %zu, has 0x%x, differs", count, record.has);
		count++;
	}
	plumb_spe_stream_end(&stream);
	assert_int_equal(count, RECORDS);
	assert_true(stream.lost.skipped == 0 && stream.lost.unfinished == 0);
}

static void read_many_at_once(void)
{
	struct plumb_spe_stream stream;

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, written.bytes, written.size);
	assert_int_equal(plumb_spe_stream_read(&stream, got, RECORDS), RECORDS);
	for (size_t i = 0; i < RECORDS; i++)
		if (!same(&got[i], &written.records[i]))
			fail_msg("record %zu, has 0x%x, differs", i, got[i].has);
	assert_int_equal(plumb_spe_stream_read(&stream, got, RECORDS), 0);
}

static void what_is_written_is_read(void **state)
{
	static const unsigned kinds[] = {1, 3, 8, RECORDS};
	struct spe_random random = {seed * 2 + 1};
	uint64_t first = seed * 7919;

	(void)state;
	for (uint64_t i = 0; i * RECORDS < wanted; i++) {
		unsigned kind = kinds[i / 2 % 4];

		write_records(&random, (enum spe_layout)(i % 2), first, kind);
		read_one_by_one();
		read_many_at_once();
		/* Advances after both layouts had this value. */
		first += i % 2 ? kind : 0;
	}
}

/* ---- Packets: also those that no record written here has ---- */

/* Any packet, so that each has its turn: types, indexes, headers, payload sizes. */
static struct plumb_spe_packet make_packet(struct spe_random *random)
{
	struct plumb_spe_packet packet = {
		.type = (uint8_t)spe_random_below(random, PLUMB_SPE_INVALID),
		.header_bytes = 1,
	};
	uint64_t payload = spe_random(random);

	switch (packet.type) {
	case PLUMB_SPE_TIMESTAMP:
		packet.payload_bytes = 8;
		break;
	case PLUMB_SPE_EVENTS:
	case PLUMB_SPE_DATA_SOURCE:
		packet.payload_bytes = spe_random_payload(random, &payload);
		break;
	case PLUMB_SPE_OPERATION:
		packet.index = (uint8_t)spe_random_below(random, 4);
		packet.payload_bytes = 1;
		break;
	case PLUMB_SPE_CONTEXT:
		packet.index = (uint8_t)spe_random_below(random, 4);
		packet.payload_bytes = 4;
		break;
	case PLUMB_SPE_COUNTER:
	case PLUMB_SPE_ADDRESS:
		packet.index = (uint8_t)spe_random_below(random, 32);
		packet.payload_bytes = packet.type == PLUMB_SPE_COUNTER ? 2 : 8;
		packet.header_bytes = packet.index >= 8 || payload & 1 ? 2 : 1;
		break;
	case PLUMB_SPE_ALIGNMENT:
		packet.header_bytes = 2;
		packet.payload = 2u << spe_random_below(random, 16);
		break;
	default:
		break;
	}
	if (packet.payload_bytes)
		packet.payload = payload & UINT64_MAX >> (64 - 8 * packet.payload_bytes);
	packet.size = (uint32_t)packet.header_bytes + packet.payload_bytes;
	if (packet.type == PLUMB_SPE_ALIGNMENT)
		packet.size += (uint32_t)spe_random_below(random, packet.payload);
	return packet;
}

static void packets_too(void **state)
{
	static uint8_t bytes[1 << 17];
	struct spe_random random = {seed * 2 + 1};

	(void)state;
	for (uint64_t i = 0; i < wanted / 10; i++) {
		struct plumb_spe_packet packet = make_packet(&random), again;
		/* The size of an alignment tells its place. */
		uint64_t offset = packet.type == PLUMB_SPE_ALIGNMENT
					  ? packet.payload - packet.size % packet.payload
					  : spe_random(&random);

		assert_int_equal(spe_encode_packet(&packet, bytes, sizeof(bytes)), packet.size);
		assert_int_equal(plumb_spe_decode_packet(bytes, packet.size, offset, &again),
				 packet.size);
		if (packet.type != again.type || packet.index != again.index ||
		    packet.payload != again.payload || packet.size != again.size ||
		    packet.header_bytes != again.header_bytes ||
		    packet.payload_bytes != again.payload_bytes)
			fail_msg("type %u, index %u, payload 0x%llx, %u bytes", packet.type,
				 packet.index, (unsigned long long)packet.payload, packet.size);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_too),
		cmocka_unit_test(what_is_written_is_read),
	};

	if (argc > 1)
		wanted = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
