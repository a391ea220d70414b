/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes messages of Protocol Buffers: https://protobuf.dev/programming-guides/encoding/. Only
 * what profile.proto uses: integers, text, messages within messages, and packed lists.
 */
#ifndef RENDER_PROTOBUF_H
#define RENDER_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* A message, or the values of a list; zero it first, and free `bytes`. */
struct protobuf {
	uint8_t *bytes;
	size_t size, room;
};

/* Adds a field with an integer. 0 is the default of every field, and is left out. */
void protobuf_integer(struct protobuf *message, unsigned field, uint64_t value);
/* Adds a field with text, a message or a list; those that are empty, too. */
void protobuf_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t size);
/* Adds a message or a list as a field, and empties it. */
void protobuf_nested(struct protobuf *message, unsigned field, struct protobuf *nested);
/* Adds a value to a list. */
void protobuf_packed(struct protobuf *list, uint64_t value);

#endif
