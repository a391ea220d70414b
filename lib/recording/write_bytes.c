/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "recording/writer.h"

/* Strings of perf's features fill a multiple of this. */
#define TEXT_ALIGN 64

static bool reserve(struct bytes *bytes, size_t more)
{
	size_t room = bytes->room ? bytes->room : 1024;
	uint8_t *grown;

	if (bytes->failed || more > SIZE_MAX / 4 - bytes->size) {
		bytes->failed = true;
		return false;
	}
	while (room < bytes->size + more)
		room *= 2;
	if (room == bytes->room)
		return true;
	grown = realloc(bytes->at, room);
	if (!grown) {
		bytes->failed = true;
		return false;
	}
	bytes->at = grown;
	bytes->room = room;
	return true;
}

void bytes_add(struct bytes *bytes, const void *from, size_t size)
{
	if (!size || !reserve(bytes, size))
		return;
	memcpy(bytes->at + bytes->size, from, size);
	bytes->size += size;
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
	bytes_add(bytes, &value, sizeof(value));
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
	bytes_add(bytes, &value, sizeof(value));
}

void bytes_zero(struct bytes *bytes, size_t size)
{
	if (!size || !reserve(bytes, size))
		return;
	memset(bytes->at + bytes->size, 0, size);
	bytes->size += size;
}

void bytes_text(struct bytes *bytes, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;

	bytes_u32(bytes, (uint32_t)padded);
	bytes_add(bytes, text, length);
	bytes_zero(bytes, padded - length);
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){0};
}
