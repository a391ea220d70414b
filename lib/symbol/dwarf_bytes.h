/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers as DWARF writes them, little-endian, and never beyond the end. */
#ifndef SYMBOL_DWARF_BYTES_H
#define SYMBOL_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_bytes {
	const uint8_t *at, *end;
	bool failed; /* the end came too early: all numbers from then on are 0 */
};

static inline size_t dwarf_left(const struct dwarf_bytes *bytes)
{
	return bytes->failed ? 0 : (size_t)(bytes->end - bytes->at);
}

static inline void dwarf_skip(struct dwarf_bytes *bytes, uint64_t size)
{
	if (size > dwarf_left(bytes))
		bytes->failed = true;
	else
		bytes->at += size;
}

/* Reads `size` bytes, at most 8. */
static inline uint64_t dwarf_unsigned(struct dwarf_bytes *bytes, unsigned size)
{
	const uint8_t *at = bytes->at;
	uint64_t value = 0;

	dwarf_skip(bytes, size);
	for (unsigned i = 0; i < size && !bytes->failed; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static inline int64_t dwarf_signed(struct dwarf_bytes *bytes, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(dwarf_unsigned(bytes, size) << unused) >> unused;
}

/* Reads a LEB128 number. Bits beyond the 64th are ignored. */
static inline uint64_t dwarf_leb(struct dwarf_bytes *bytes, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)dwarf_unsigned(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

static inline uint64_t dwarf_uleb(struct dwarf_bytes *bytes)
{
	return dwarf_leb(bytes, false);
}

static inline int64_t dwarf_sleb(struct dwarf_bytes *bytes)
{
	return (int64_t)dwarf_leb(bytes, true);
}

#endif
