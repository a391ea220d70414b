/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers from a recording in its byte order, unaligned, and never past the end. */
#ifndef RECORDING_BYTES_H
#define RECORDING_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load16(const uint8_t *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t load32(const uint8_t *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t load64(const uint8_t *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

/* Bytes to be read from the front. */
struct cursor {
	const uint8_t *at, *end;
	bool swap;
	bool short_of; /* something past the end was read, which gave 0 */
};

static inline size_t cursor_left(const struct cursor *in)
{
	return (size_t)(in->end - in->at);
}

/* Returns the next `size` bytes. If there are fewer, returns NULL, and so do all later calls. */
static inline const uint8_t *take_bytes(struct cursor *in, uint64_t size)
{
	const uint8_t *at = in->at;

	if (size > cursor_left(in)) {
		in->short_of = true;
		in->at = in->end;
		return NULL;
	}
	in->at += size;
	return at;
}

static inline uint16_t take16(struct cursor *in)
{
	const uint8_t *at = take_bytes(in, 2);

	return at ? load16(at, in->swap) : 0;
}

static inline uint32_t take32(struct cursor *in)
{
	const uint8_t *at = take_bytes(in, 4);

	return at ? load32(at, in->swap) : 0;
}

static inline uint64_t take64(struct cursor *in)
{
	const uint8_t *at = take_bytes(in, 8);

	return at ? load64(at, in->swap) : 0;
}

#endif
