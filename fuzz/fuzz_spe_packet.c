/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPE packets: the input is data, of which the packets are read one after the other. Each must be
 * as spe.h promises, be none when cut off, be written as it was read, and have a text. The input is
 * also a packet to write, whatever its members: what is written must be read as that.
 */
#include <plumb/spe.h>
#include <stdlib.h>
#include <string.h>

#include "spe/encode.h"

static void require(bool promise)
{
	if (!promise)
		abort();
}

static void check_text(const struct plumb_spe_packet *packet, enum plumb_perf_version version,
		       size_t room)
{
	const uint32_t midr = room % 2 ? 0x413fd0c1 : 0; /* Neoverse N1, or unknown */
	char whole[512], *part = malloc(room + 1);
	int length = plumb_spe_packet_text(packet, midr, version, whole, sizeof(whole));

	require(part && length > 0 && (size_t)length < sizeof(whole));
	require(strlen(whole) == (size_t)length);
	require(plumb_spe_packet_text(packet, midr, version, part, room) == length);
	if (room)
		require(strncmp(whole, part, room - 1) == 0 && memchr(part, '\0', room));
	free(part);
}

/* The bytes that an alignment skips belong to no packet. */
static bool written_alike(const struct plumb_spe_packet *packet, const uint8_t *bytes)
{
	uint8_t again[PLUMB_SPE_PACKET_MAX], *long_one = NULL, *to = again;
	size_t room = sizeof(again), compared = packet->size;
	bool alike;

	if (packet->type == PLUMB_SPE_ALIGNMENT) {
		room = packet->size;
		compared = 2;
		to = long_one = malloc(room);
		require(to);
	}
	alike = spe_encode_packet(packet, to, room) == (int)packet->size &&
		memcmp(to, bytes, compared) == 0;
	free(long_one);
	return alike;
}

static void check_packet(const struct plumb_spe_packet *packet, const uint8_t *bytes,
			 uint64_t offset)
{
	struct plumb_spe_packet cut;
	uint8_t *exact = malloc(packet->size);

	require(exact && packet->type <= PLUMB_SPE_INVALID && packet->index < 32);
	require(packet->header_bytes == 1 || packet->header_bytes == 2);
	if (packet->type == PLUMB_SPE_ALIGNMENT)
		require((offset + packet->size) % packet->payload == 0);
	else
		require(packet->size == 0u + packet->header_bytes + packet->payload_bytes);
	if (packet->type == PLUMB_SPE_INVALID)
		require(packet->size == 1);
	else
		require(written_alike(packet, bytes));
	if (packet->type != PLUMB_SPE_INVALID) {
		/* In its own memory, so that reading past its end shows. */
		memcpy(exact, bytes, packet->size - 1);
		require(plumb_spe_decode_packet(exact, packet->size - 1, offset, &cut) == 0);
	}
	check_text(packet, PLUMB_PERF_6_1, bytes[0] % 40);
	check_text(packet, PLUMB_PERF_NEWEST, bytes[0] % 40);
	free(exact);
}

static void check_writing(const uint8_t *data, size_t size)
{
	struct plumb_spe_packet packet = {.payload = 0}, again;
	uint8_t bytes[32];
	size_t room;
	int written;

	memcpy(&packet, data, size < sizeof(packet) ? size : sizeof(packet));
	room = size % (sizeof(bytes) + 1);
	written = spe_encode_packet(&packet, bytes, room);
	if (written < 0 || packet.type == PLUMB_SPE_ALIGNMENT)
		return;
	require((size_t)written <= room);
	require(plumb_spe_decode_packet(bytes, (size_t)written, 0, &again) == written);
	require(again.type == packet.type && again.index == packet.index);
	require(again.payload == packet.payload && again.payload_bytes == packet.payload_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_spe_packet packet;
	size_t at = 0;
	int used;

	while ((used = plumb_spe_decode_packet(data + at, size - at, at, &packet)) > 0) {
		require((size_t)used <= size - at && packet.size == (uint32_t)used);
		check_packet(&packet, data + at, at);
		at += (size_t)used;
	}
	require(used == 0);
	check_writing(data, size);
	return 0;
}
