/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures how fast SPE data becomes records on one thread, one by one and 256 at a time. Compares
 * with memcpy of the same bytes in the same run. The data is a million records of 64 bytes in the
 * layout of Neoverse cores: loads and stores, branches, and a mix in random order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plumb/spe.h>

#include "spe/encode.h"
#include "spe/stream.h"

#define RECORDS ((size_t)1 << 20)
#define SIZE    (RECORDS * 64)
#define ROOM    ((size_t)256)
#define RUNS    15

/* Measures the thread's own time, independent of other work on the machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* ---- The data ---- */

#define COMMON                                                                              \
	(PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_CONTEXT_EL2 | PLUMB_SPE_HAS_OPERATION |           \
	 PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_ISSUE_LATENCY | PLUMB_SPE_HAS_TOTAL_LATENCY | \
	 PLUMB_SPE_HAS_TIMESTAMP)
#define ACCESS                                                               \
	(COMMON | PLUMB_SPE_HAS_DATA_VIRTUAL | PLUMB_SPE_HAS_DATA_PHYSICAL | \
	 PLUMB_SPE_HAS_TRANSLATION_LATENCY | PLUMB_SPE_HAS_DATA_SOURCE)
#define BRANCH (COMMON | PLUMB_SPE_HAS_BRANCH_TARGET)

/* `kind` 0 to 39 is an access, 40 to 59 a branch, any other neither. */
static struct plumb_spe_record make_record(unsigned kind, uint64_t time)
{
	uint64_t random = next_random();
	struct plumb_spe_record record = {
		.has = kind < 40   ? ACCESS
		       : kind < 60 ? BRANCH
				   : COMMON,
		.op_class = kind < 40   ? PLUMB_SPE_LOAD_STORE
			    : kind < 60 ? PLUMB_SPE_BRANCH
					: PLUMB_SPE_OTHER,
		.operation = random & 1,
		.events = 0x2 | (random >> 8 & 0x3fc),
		.data_source = random >> 20 & 0xf,
		.timestamp = time,
		.contexts = {0, 4711},
		.counters = {(uint16_t)(random >> 24 & 0xfff), (uint16_t)(random >> 36 & 0xfff), 1},
	};

	for (unsigned i = 0; i < 4; i++)
		record.addresses[i] = UINT64_C(0x8000aaaae4000000) | (next_random() & 0xffffff);
	return record;
}

/* Makes records of `kinds` kinds, starting with `first`. */
static void make_data(uint8_t *bytes, unsigned first, unsigned kinds)
{
	for (size_t i = 0; i < RECORDS; i++) {
		unsigned kind = first + (unsigned)(next_random() % kinds);
		struct plumb_spe_record record = make_record(kind, 1000000 + i * 37);

		if (spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes + i * 64, 64) != 64)
			abort();
	}
}

/* ---- The ways to read it, each with a sum that nothing can be left out of ---- */

static uint64_t one_by_one(const uint8_t *bytes)
{
	struct plumb_spe_stream stream;
	struct plumb_spe_record record;
	uint64_t count = 0, sum = 0;

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, bytes, SIZE);
	while (spe_stream_next(&stream, &record)) {
		sum += record.addresses[0] ^ record.timestamp;
		count++;
	}
	return sum ? count : 0;
}

static uint64_t many_at_once(const uint8_t *bytes)
{
	static struct plumb_spe_record records[ROOM];
	struct plumb_spe_stream stream;
	uint64_t count = 0, sum = 0;
	size_t got;

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, bytes, SIZE);
	while ((got = plumb_spe_stream_read(&stream, records, ROOM)) > 0) {
		sum += records[got - 1].addresses[0];
		count += got;
	}
	return sum ? count : 0;
}

static uint8_t *copy_to;

static uint64_t copy(const uint8_t *bytes)
{
	memcpy(copy_to, bytes, SIZE);
	return copy_to[SIZE - 64] == bytes[SIZE - 64] ? RECORDS : 0;
}

/* ---- Figures ---- */

static const struct {
	const char *name;
	uint64_t (*read)(const uint8_t *bytes);
} ways[] = {
	{"memcpy", copy},
	{"one by one", one_by_one},
	{"256 at a time", many_at_once},
};
#define WAYS (sizeof(ways) / sizeof(*ways))

static void measure(const char *what, const uint8_t *bytes)
{
	double best[WAYS] = {0};

	/* Alternates the ways, so that disturbances affect all of them. */
	for (unsigned run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < WAYS; i++) {
			double start = now(), took;

			if (ways[i].read(bytes) != RECORDS)
				abort();
			took = now() - start;
			if (run == 0 || took < best[i])
				best[i] = took;
		}
	}
	for (size_t i = 0; i < WAYS; i++)
		printf("%-18s %-20s %6.2f GB/s %7.1f ns a record %6.2f of memcpy's speed\n", what,
		       ways[i].name, (double)SIZE / best[i] * 1e-9, best[i] / (double)RECORDS * 1e9,
		       best[0] / best[i]);
}

int main(void)
{
	uint8_t *bytes = malloc(SIZE);

	copy_to = malloc(SIZE);
	if (!bytes || !copy_to) {
		free(bytes);
		free(copy_to);
		return 1;
	}
	memset(copy_to, 1, SIZE);
	make_data(bytes, 0, 40);
	measure("loads and stores", bytes);
	make_data(bytes, 40, 20);
	measure("branches", bytes);
	make_data(bytes, 0, 100);
	measure("a mix", bytes);
	free(copy_to);
	free(bytes);
	return 0;
}
