/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the stream of records that spe_unit plays back: generate COUNT >STREAM. The records are
 * made up. They have all classes of operations, every event, data source and latency in turn, and
 * 64 bytes each, with the timestamp at the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "spe/encode.h"

#define RECORD 64

/* Around the program's loop, so that samples have its symbol. */
#define CODE UINT64_C(0x400110)
#define DATA UINT64_C(0x7f00001000)
#define USER (UINT64_C(1) << 63) /* EL0, not secure */

static struct plumb_spe_record make(unsigned i)
{
	struct plumb_spe_record record = {
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_TOTAL_LATENCY |
		       PLUMB_SPE_HAS_ISSUE_LATENCY | PLUMB_SPE_HAS_EVENTS |
		       PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_TIMESTAMP,
		.addresses[PLUMB_SPE_PC] = USER | (CODE + 4 * (i % 4)),
		.events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED) | PLUMB_SPE_EVENT_BIT(i % 12),
		.events_bytes = 2,
		.counters = {(uint16_t)(i % 4096), (uint16_t)(i % 7)},
		.timestamp = 1000 + i,
	};

	switch (i % 3) {
	case 0:
		record.op_class = PLUMB_SPE_LOAD_STORE;
		record.operation = i / 3 % 2;
		record.addresses[PLUMB_SPE_DATA_VIRTUAL] = DATA + 8 * (i % 512);
		record.counters[PLUMB_SPE_TRANSLATION_LATENCY] = (uint16_t)(i % 5);
		record.data_source = i / 6 % 16;
		record.data_source_bytes = 1;
		record.has |= PLUMB_SPE_HAS_DATA_VIRTUAL | PLUMB_SPE_HAS_TRANSLATION_LATENCY |
			      PLUMB_SPE_HAS_DATA_SOURCE;
		break;
	case 1:
		record.op_class = PLUMB_SPE_BRANCH;
		record.operation = i / 3 % 4;
		record.addresses[PLUMB_SPE_BRANCH_TARGET] = USER | CODE;
		record.has |= PLUMB_SPE_HAS_BRANCH_TARGET;
		break;
	default:
		record.op_class = PLUMB_SPE_OTHER;
		break;
	}
	return record;
}

int main(int count, char **words)
{
	const unsigned records = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 0;

	for (unsigned i = 0; i < records; i++) {
		const struct plumb_spe_record record = make(i);
		uint8_t bytes[SPE_RECORD_MAX];
		const int size =
			spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes, sizeof(bytes));

		if (size != RECORD || fwrite(bytes, RECORD, 1, stdout) != 1)
			return 1;
	}
	return records ? 0 : 2;
}
