/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the perf source reads of this machine and its processes: lines of /proc/PID/maps, whose
 * paths anybody may choose; ELF notes of files that anybody may have mapped; and the formats and
 * CPU lists of sysfs. Then the input as a ring, and as an AUX area.
 */
#include <plumb/error.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sysfs.h"
#include "source/perf/aux.h"
#include "source/perf/ring.h"
#include "source/perf/spe_pmu.h"
#include "source/perf/synthesize.h"

#define RING 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Whole records: what a sink is promised. */
static int take(void *user, const void *records, size_t size)
{
	const uint8_t *at = records;
	size_t *taken = user;

	*taken += size;
	while (size) {
		struct perf_event_header header;

		require(size >= sizeof(header));
		memcpy(&header, at, sizeof(header));
		require(header.size >= sizeof(header) && header.size <= size);
		at += header.size;
		size -= header.size;
	}
	return 0;
}

static void read_text(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct synthetic_map map;
	struct spe_format format;
	int *cpus, count;

	require(text);
	count = sysfs_parse_cpus(text, &cpus);
	if (count >= 0)
		free(cpus);
	require(count <= SYSFS_CPUS_MAX);
	if (spe_parse_format(text, &format))
		require(format.word <= 4 && format.mask);
	if (synthesis_parse_map(text, "", &map)) {
		size_t taken = 0;
		struct synthesis *synthesis =
			synthesis_begin(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
					1, false, take, &taken);

		require(synthesis);
		for (int i = 0; i < 40; i++)
			synthesis_add_map(synthesis, 1, 2, &map);
		synthesis_add_name(synthesis, 1, 2, map.path);
		require(synthesis_end(synthesis) == 0 && taken > 0);
	}
	free(text);
}

/* The first 16 bytes are head and tail. */
static void read_ring(const uint8_t *data, size_t size)
{
	static uint8_t spill[RING_RECORD_MAX];
	struct perf_event_mmap_page page = {0};
	uint64_t ends[2];
	_Alignas(8) uint8_t bytes[RING] = {0};
	struct data_ring ring = {&page, bytes, sizeof(bytes)};
	struct aux_ring aux = {.page = &page, .data = bytes, .size = sizeof(bytes)};
	struct ring_tally tally = {0};
	struct aux_data parts;
	size_t taken = 0, held;

	if (size < sizeof(ends))
		return;
	memcpy(ends, data, sizeof(ends));
	memcpy(bytes, data + sizeof(ends), size - sizeof(ends) < RING ? size - sizeof(ends) : RING);
	page.data_head = page.aux_head = ends[0];
	page.data_tail = page.aux_tail = ends[1];
	require(data_ring_drain(&ring, spill, &tally, take, &taken) == 0);
	require(page.data_tail == page.data_head && taken <= RING);
	for (int overwrite = 0; overwrite < 2; overwrite++) {
		aux.overwrite = overwrite;
		held = aux_ring_look(&aux, &parts);
		require(held == parts.first_size + parts.second_size || held == 0);
		require(held <= RING);
		require(!held ||
			(parts.first >= bytes && parts.first + parts.first_size <= bytes + RING));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct build_id id;

	if (build_id_in_notes(data, size, &id))
		require(id.size > 0 && id.size <= BUILD_ID_MAX);
	read_text(data, size);
	read_ring(data, size);
	return 0;
}
