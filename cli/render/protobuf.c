/* SPDX-License-Identifier: Apache-2.0 */
#include "render/protobuf.h"

#include <string.h>

#include "tool/memory.h"

/* Wire types. */
enum { VARINT = 0, LENGTH = 2 };

static void put(struct protobuf *message, const void *bytes, size_t size)
{
	if (size > message->room - message->size) {
		message->room = 2 * message->room + size + 64;
		message->bytes = memory_resize(message->bytes, message->room, 1);
	}
	if (size)
		memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

/* Seven bits a byte, the lowest first; all bytes but the last have the top bit. */
void protobuf_packed(struct protobuf *list, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	put(list, bytes, size);
}

void protobuf_integer(struct protobuf *message, unsigned field, uint64_t value)
{
	if (!value)
		return;
	protobuf_packed(message, field << 3 | VARINT);
	protobuf_packed(message, value);
}

void protobuf_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t size)
{
	protobuf_packed(message, field << 3 | LENGTH);
	protobuf_packed(message, size);
	put(message, bytes, size);
}

void protobuf_nested(struct protobuf *message, unsigned field, struct protobuf *nested)
{
	protobuf_bytes(message, field, nested->bytes, nested->size);
	nested->size = 0;
}
