/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPE records: the first eight bytes say how the data, which is the rest, is cut into pieces, and
 * with how much room they are read. Pieces must give the records of the whole, and each record,
 * written again, must be read as it was. Short data is also cut off at each of its bytes.
 */
#include <plumb/spe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test/unit/spe_both_ways.h"
#include "spe/encode.h"
#include "spe/stream.h"

#define SHORT 160

static void require(bool promise)
{
	if (!promise)
		abort();
}

static void check_both_ways(const uint8_t *data, size_t size, uint64_t seed)
{
	static struct both both;
	uint8_t *exact = calloc(1, size + 1);

	require(exact);
	memcpy(exact, data, size);
	both_read(&both, exact, size, seed);
	free(exact);
	if (both.difference)
		fprintf(stderr, "the ways differ: %s\n", both.difference);
	require(!both.difference);
}

/* All but where it stood, and packets that a record has no member for. */
static void check_written(const struct plumb_spe_record *record, enum spe_layout layout)
{
	uint8_t bytes[SPE_RECORD_MAX];
	struct plumb_spe_stream stream;
	struct plumb_spe_record again;
	int size = spe_encode_record(record, layout, bytes, sizeof(bytes));

	require(size > 0);
	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, bytes, (size_t)size);
	require(spe_stream_next(&stream, &again));
	require(stream.at == (size_t)size && !stream.lost.skipped);
	require(again.has == (record->has & ~(uint32_t)PLUMB_SPE_HAS_OTHERS));
	require(memcmp(again.addresses, record->addresses, sizeof(again.addresses)) == 0);
	require(memcmp(again.contexts, record->contexts, sizeof(again.contexts)) == 0);
	require(memcmp(again.counters, record->counters, sizeof(again.counters)) == 0);
	require(again.events == record->events && again.data_source == record->data_source);
	require(again.timestamp == record->timestamp && again.operation == record->operation);
	require(again.op_class == record->op_class);
	require(again.events_bytes == record->events_bytes);
	require(again.data_source_bytes == record->data_source_bytes);
}

static void check_meaning(const struct plumb_spe_record *record)
{
	struct plumb_spe_operation op = plumb_spe_operation(record->op_class, record->operation);

	require(plumb_spe_kind_name(op.kind) && plumb_spe_subclass_name(op.subclass));
	require((plumb_spe_code_address(record->addresses[0]) ^ record->addresses[0]) << 8 == 0);
	require((plumb_spe_virtual_address(record->addresses[2]) ^ record->addresses[2]) << 8 == 0);
	plumb_spe_data_source_name((uint32_t)record->timestamp, record->data_source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_spe_stream stream;
	struct plumb_spe_record record;
	uint64_t seed, end = 0;

	if (size < sizeof(seed))
		return 0;
	memcpy(&seed, data, sizeof(seed));
	data += sizeof(seed);
	size -= sizeof(seed);

	check_both_ways(data, size, seed);
	for (size_t cut = 0; size <= SHORT && cut < size; cut++)
		check_both_ways(data, cut, seed + cut);

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, data, size);
	while (spe_stream_next(&stream, &record)) {
		require(record.offset >= end && record.size > 0);
		end = record.offset + record.size;
		require(end <= size);
		check_written(&record, SPE_LAYOUT_NEOVERSE);
		check_written(&record, SPE_LAYOUT_COMPACT);
		check_meaning(&record);
	}
	return 0;
}
