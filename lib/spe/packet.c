/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets: bytes in, bytes out. DDI 0487, "The Statistical Profiling Extension sample record
 * protocol", has a section on each.
 */
#include "spe/packet.h"

#include "spe/encode.h"

#define INVALID                         \
	{                               \
		PLUMB_SPE_INVALID, 0, 0 \
	}

const struct spe_header spe_headers[256] = {
	[0x00] = {PLUMB_SPE_PADDING, 0, 0},
	[0x01] = {PLUMB_SPE_END, 0, 0},
	[0x02 ... 0x1f] = INVALID,
	[0x20 ... 0x23] = {SPE_EXTENDED, 0, 0},
	[0x24 ... 0x2f] = {SPE_ALIGNMENT_ONLY, 0, 0},
	[0x30 ... 0x41] = INVALID,
	[0x42] = {PLUMB_SPE_EVENTS, 1, 0},
	[0x43] = {PLUMB_SPE_DATA_SOURCE, 1, 0},
	[0x44 ... 0x47] = INVALID,
	[0x48 ... 0x4b] = {PLUMB_SPE_OPERATION, 1, 3},
	[0x4c ... 0x51] = INVALID,
	[0x52] = {PLUMB_SPE_EVENTS, 2, 0},
	[0x53] = {PLUMB_SPE_DATA_SOURCE, 2, 0},
	[0x54 ... 0x61] = INVALID,
	[0x62] = {PLUMB_SPE_EVENTS, 4, 0},
	[0x63] = {PLUMB_SPE_DATA_SOURCE, 4, 0},
	[0x64 ... 0x67] = {PLUMB_SPE_CONTEXT, 4, 3},
	[0x68 ... 0x70] = INVALID,
	[0x71] = {PLUMB_SPE_TIMESTAMP, 8, 0},
	[0x72] = {PLUMB_SPE_EVENTS, 8, 0},
	[0x73] = {PLUMB_SPE_DATA_SOURCE, 8, 0},
	[0x74 ... 0x97] = INVALID,
	[0x98 ... 0x9f] = {PLUMB_SPE_COUNTER, 2, 7},
	[0xa0 ... 0xaf] = INVALID,
	[0xb0 ... 0xb7] = {PLUMB_SPE_ADDRESS, 8, 7},
	[0xb8 ... 0xff] = INVALID,
};

int plumb_spe_decode_packet(const uint8_t *bytes, size_t size, uint64_t offset,
			    struct plumb_spe_packet *packet)
{
	if (size == 0)
		return 0;
	spe_read_header(bytes, size, offset, packet);
	if (packet->size == 0 || packet->size > size)
		return 0;
	if (packet->payload_bytes)
		packet->payload =
			spe_load_payload(bytes + packet->header_bytes, packet->payload_bytes);
	return (int)packet->size;
}

/* How a type is encoded: its header for index 0 with one byte of payload, and its limits. */
static const struct {
	uint8_t header;
	uint8_t payload_bytes; /* 0: 1, 2, 4 or 8 */
	uint8_t indexes;       /* the short header's, and 1 where there are none */
	uint8_t long_indexes;  /* an extended one's; 0: it has none */
} encodings[] = {
	[PLUMB_SPE_TIMESTAMP] = {0x71, 8, 1, 0},   [PLUMB_SPE_EVENTS] = {0x42, 0, 1, 0},
	[PLUMB_SPE_DATA_SOURCE] = {0x43, 0, 1, 0}, [PLUMB_SPE_OPERATION] = {0x48, 1, 4, 0},
	[PLUMB_SPE_CONTEXT] = {0x64, 4, 4, 0},     [PLUMB_SPE_COUNTER] = {0x98, 2, 8, 32},
	[PLUMB_SPE_ADDRESS] = {0xb0, 8, 8, 32},
};

static bool is_payload_size(unsigned bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Padding, END and invalid bytes consist of one byte. */
static int encode_byte(const struct plumb_spe_packet *packet, uint8_t *bytes, size_t size)
{
	uint8_t byte = packet->type == PLUMB_SPE_END ? 0x01 : 0x00;

	if (packet->index || packet->payload_bytes || packet->payload || packet->header_bytes > 1)
		return PLUMB_ERR_ARGUMENT;
	if (size < 1)
		return PLUMB_ERR_LIMIT;
	bytes[0] = byte;
	return 1;
}

static int encode_alignment(const struct plumb_spe_packet *packet, uint8_t *bytes, size_t size)
{
	uint64_t multiple = packet->payload;

	if (multiple < 2 || multiple > 0x10000 || (multiple & (multiple - 1)) || packet->index ||
	    packet->payload_bytes || packet->size < 2 || packet->size > multiple + 1)
		return PLUMB_ERR_ARGUMENT;
	if (packet->size > size)
		return PLUMB_ERR_LIMIT;
	memset(bytes, 0, packet->size);
	bytes[0] = (uint8_t)(0x20 | (__builtin_ctzll(multiple) - 1));
	return (int)packet->size;
}

int spe_encode_packet(const struct plumb_spe_packet *packet, uint8_t *bytes, size_t size)
{
	unsigned type = packet->type, payload_bytes = packet->payload_bytes, header_bytes;
	uint64_t payload = htole64(packet->payload);

	if (type == PLUMB_SPE_PADDING || type == PLUMB_SPE_END)
		return encode_byte(packet, bytes, size);
	if (type == PLUMB_SPE_ALIGNMENT)
		return encode_alignment(packet, bytes, size);
	if (type >= sizeof(encodings) / sizeof(*encodings))
		return PLUMB_ERR_ARGUMENT;

	header_bytes = packet->header_bytes > 1 || packet->index >= encodings[type].indexes ? 2 : 1;
	if (packet->header_bytes > 2 || !is_payload_size(payload_bytes) ||
	    (encodings[type].payload_bytes && payload_bytes != encodings[type].payload_bytes) ||
	    (payload_bytes < 8 && packet->payload >> (8 * payload_bytes)) ||
	    (header_bytes == 2 && packet->index >= encodings[type].long_indexes))
		return PLUMB_ERR_ARGUMENT;
	if (size < header_bytes + payload_bytes)
		return PLUMB_ERR_LIMIT;

	if (header_bytes == 2)
		*bytes++ = (uint8_t)(0x20 | packet->index >> 3);
	*bytes = encodings[type].header | (packet->index & 7);
	if (!encodings[type].payload_bytes)
		*bytes |= (uint8_t)(__builtin_ctz(payload_bytes) << 4);
	memcpy(bytes + 1, &payload, payload_bytes);
	return (int)(header_bytes + payload_bytes);
}
