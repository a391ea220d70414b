/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets, for the decoders of records: what a header byte begins, by table, and without a call.
 */
#ifndef SPE_PACKET_H
#define SPE_PACKET_H

#include <endian.h>
#include <plumb/spe.h>
#include <string.h>

/* What the byte begins. Of extended headers, a second byte has the rest. */
struct spe_header {
	uint8_t type; /* enum plumb_spe_packet_type, or SPE_EXTENDED, SPE_ALIGNMENT_ONLY */
	uint8_t payload_bytes;
	uint8_t index_mask; /* of the header's bits */
};

#define SPE_EXTENDED       0x80 /* 0b0010_00hh: an extended header or an alignment */
#define SPE_ALIGNMENT_ONLY 0x81 /* 0b0010_xxxx otherwise: an alignment or nothing */

extern const struct spe_header spe_headers[256];

/* Little-endian values at any address. */
static inline uint64_t spe_load64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static inline uint32_t spe_load32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static inline uint16_t spe_load16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

/* Returns how many of the next bytes are padding, of the first eight at most. */
static inline size_t padding_ahead(uint64_t ahead)
{
	return (unsigned)__builtin_ctzll(ahead | UINT64_C(1) << 63) / 8;
}

static inline uint64_t spe_load_payload(const uint8_t *at, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *at;
	case 2:
		return spe_load16(at);
	case 4:
		return spe_load32(at);
	case 8:
		return spe_load64(at);
	default:
		return 0;
	}
}

/*
 * The packet at `bytes`, of which there are `size` and at least one, without its payload: .size is
 * what it needs, which may be more than there is; 0 if its second byte is needed to tell.
 */
static inline void spe_read_header(const uint8_t *bytes, size_t size, uint64_t offset,
				   struct plumb_spe_packet *packet)
{
	struct spe_header header = spe_headers[bytes[0]];

	*packet = (struct plumb_spe_packet){
		.type = header.type,
		.index = bytes[0] & header.index_mask,
		.header_bytes = 1,
		.payload_bytes = header.payload_bytes,
		.size = 1u + header.payload_bytes,
	};
	if (header.type < SPE_EXTENDED)
		return;
	packet->type = PLUMB_SPE_INVALID;
	if (size < 2) {
		packet->size = 0;
	} else if (bytes[1] == 0) {
		/* To the next multiple that leaves room for the header. */
		uint32_t multiple = 2u << (bytes[0] & 0x0f);
		uint32_t past = (uint32_t)((offset + 2) & (multiple - 1));

		packet->type = PLUMB_SPE_ALIGNMENT;
		packet->header_bytes = 2;
		packet->payload = multiple;
		packet->size = 2 + (past ? multiple - past : 0);
	} else if (header.type == SPE_EXTENDED) {
		struct spe_header second = spe_headers[bytes[1]];

		if (second.type != PLUMB_SPE_ADDRESS && second.type != PLUMB_SPE_COUNTER)
			return;
		packet->type = second.type;
		packet->index = (uint8_t)((bytes[0] & 3) << 3 | (bytes[1] & 7));
		packet->header_bytes = 2;
		packet->payload_bytes = second.payload_bytes;
		packet->size = 2u + second.payload_bytes;
	}
}

#endif
