/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spe_text OUT VERSION MIDR: a recording with every packet there is in its AUX data, all indexes,
 * events and operations, and bytes that are none; and on standard output, as Plumb reads them, the
 * lines that `perf report -D` of that version should print of them, from a core with that MIDR.
 * Alignments are not among them: perf counts from where it has put the data, not from its
 * beginning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/recording.h>
#include <plumb/spe.h>

#include "../unit/spe_random.h"
#include "spe/encode.h"

#define SIZE (1 << 18)

static uint8_t bytes[SIZE];
static size_t size;
static enum plumb_perf_version version;
static uint32_t midr;
static struct spe_random chance = {1};

static void check(int error)
{
	if (error >= 0)
		return;
	fprintf(stderr, "spe_text: %s\n", plumb_error_name(error));
	exit(1);
}

/* ---- The data ---- */

static void put(unsigned type, unsigned index, unsigned payload_bytes, uint64_t payload)
{
	const struct plumb_spe_packet packet = {
		.type = (uint8_t)type,
		.index = (uint8_t)index,
		.payload_bytes = (uint8_t)payload_bytes,
		.payload = payload_bytes ? payload & UINT64_MAX >> (64 - 8 * payload_bytes) : 0,
	};
	int written = spe_encode_packet(&packet, bytes + size, SIZE - size);

	check(written);
	size += (size_t)written;
}

static void put_by_index(unsigned index)
{
	uint64_t payload = spe_random(&chance);

	put(PLUMB_SPE_ADDRESS, index, 8, payload);
	put(PLUMB_SPE_COUNTER, index, 2, payload);
	put(PLUMB_SPE_CONTEXT, index % 4, 4, payload);
	put(PLUMB_SPE_EVENTS, 0, 1u << index % 4, payload);
	put(PLUMB_SPE_DATA_SOURCE, 0, 1u << index % 4, payload);
	put(PLUMB_SPE_TIMESTAMP, 0, 8, payload);
	put(PLUMB_SPE_END, 0, 0, 0);
}

static void put_packets(void)
{
	for (unsigned op = 0; op < 4 * 256; op++)
		put(PLUMB_SPE_OPERATION, op / 256, 1, op % 256);
	for (unsigned bit = 0; bit < 64; bit++)
		put(PLUMB_SPE_EVENTS, 0, 8, UINT64_C(1) << bit);
	put(PLUMB_SPE_EVENTS, 0, 8, UINT64_MAX);
	for (unsigned level = 0; level < 16; level++)
		put(PLUMB_SPE_ADDRESS, level % 5, 8, (uint64_t)level << 60 | 0x400000);
	for (unsigned i = 0; i < 40 * 32; i++)
		put_by_index(i % 32);
}

/* After each, one that begins no extended header's second half. */
static void put_others(void)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		struct plumb_spe_packet packet;
		uint8_t one[16] = {(uint8_t)byte, 0x42};

		check(plumb_spe_decode_packet(one, sizeof(one), 0, &packet));
		if (packet.type != PLUMB_SPE_INVALID)
			continue;
		bytes[size++] = (uint8_t)byte;
		put(PLUMB_SPE_EVENTS, 0, 1, byte);
	}
	for (unsigned padding = 0; padding < 50; padding++) {
		size += padding;
		put(PLUMB_SPE_END, 0, 0, 0);
	}
}

/* ---- What perf should say of it ---- */

/* As perf puts padding: up to 16 bytes in a line. */
static size_t line_size(const struct plumb_spe_packet *packet, size_t at)
{
	size_t used = packet->size;

	if (packet->type == PLUMB_SPE_PADDING)
		while (used < 16 && at + used < size && bytes[at + used] == 0)
			used++;
	return used;
}

static void print_lines(void)
{
	struct plumb_spe_packet packet;
	char text[512];

	for (size_t at = 0, used; at < size; at += used) {
		check(plumb_spe_decode_packet(bytes + at, size - at, at, &packet)
			      ? 0
			      : PLUMB_ERR_LIMIT);
		used = line_size(&packet, at);
		plumb_spe_packet_text(&packet, midr, version, text, sizeof(text));
		printf(".  %08zx: ", at);
		for (size_t i = 0; i < used; i++)
			printf(" %02x", bytes[at + i]);
		printf("%*s %s\n", used < 16 ? 3 * (int)(16 - used) : 0, "", text);
	}
}

static void write_recording(const char *path, const char *cpuid)
{
	const uint64_t id = 1, values[] = {11, 0};
	const struct plumb_auxtrace_info info = {.type = 4, .values = values, .count = 2};
	const struct plumb_aux_chunk chunk = {.tid = 1, .cpu = -1};
	const struct plumb_recorded_event event = {
		.attr = {.type = 11, .size = 128, .sample_period = 1024, .sample_type = 1 << 16},
		.name = "arm_spe_0//",
		.ids = &id,
		.id_count = 1,
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = &event,
		.event_count = 1,
		.auxtrace_info = &info,
		.cpuid = cpuid,
		.clockid = -1,
	};
	struct plumb_recording_writer *writer = NULL;

	check(plumb_recording_create(path, &setup, &writer, NULL));
	check(plumb_recording_write_aux(writer, &chunk, bytes, size, NULL, 0));
	check(plumb_recording_finish(writer, NULL));
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	version = (enum plumb_perf_version)plumb_perf_version(argv[2]);
	midr = (uint32_t)strtoul(argv[3], NULL, 16);
	put_packets();
	put_others();
	/* A recording pads AUX data to a multiple of eight. */
	size += 7 - size % 8;
	put(PLUMB_SPE_END, 0, 0, 0);
	write_recording(argv[1], argv[3]);
	print_lines();
	return 0;
}
