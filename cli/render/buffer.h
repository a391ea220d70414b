/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text by the million lines: printf(3) takes longer for one number than decoding the sample it
 * belongs to. Pieces are appended to a buffer, which goes to its stream when it is full.
 */
#ifndef RENDER_BUFFER_H
#define RENDER_BUFFER_H

#include <stdint.h>
#include <string.h>

#include "render/output.h"

#define BUFFER_SIZE ((size_t)256 << 10)

struct buffer {
	struct output *out;
	char *bytes;
	size_t used;
	unsigned flushes; /* so far */
};

void buffer_open(struct buffer *buffer, struct output *out);
/* Writes what is left, and frees. */
void buffer_close(struct buffer *buffer);

/* Makes room; afterwards `size` bytes (BUFFER_SIZE at most) may be put without looking. */
void buffer_flush(struct buffer *buffer);
static inline void buffer_reserve(struct buffer *buffer, size_t size)
{
	if (buffer->used + size > BUFFER_SIZE)
		buffer_flush(buffer);
}

static inline void buffer_char(struct buffer *buffer, char c)
{
	buffer_reserve(buffer, 1);
	buffer->bytes[buffer->used++] = c;
}

/* Puts text as it is, of any length; short text whose length the compiler knows is cheap.
 */
void buffer_long(struct buffer *buffer, const char *text, size_t length);
static inline void buffer_bytes(struct buffer *buffer, const char *text, size_t length)
{
	if (length > BUFFER_SIZE - buffer->used) {
		buffer_long(buffer, text, length);
	} else {
		memcpy(buffer->bytes + buffer->used, text, length);
		buffer->used += length;
	}
}
static inline void buffer_text(struct buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text));
}

/* Puts text from outside, with '?' for characters that no terminal may get: base/visible.h. */
void buffer_foreign(struct buffer *buffer, const char *text);

/* Right-justified in `width` columns, or left-justified if it is negative. */
void buffer_padded(struct buffer *buffer, const char *text, int width);

/* "%*lu", "%0*lu", "%*ld", "%*lx", "%0*lx" of printf(3). */
void buffer_decimal(struct buffer *buffer, uint64_t number, unsigned width);
void buffer_zeros(struct buffer *buffer, uint64_t number, unsigned width);
void buffer_signed(struct buffer *buffer, int64_t number, unsigned width);
/* "%-*ld". */
void buffer_signed_left(struct buffer *buffer, int64_t number, unsigned width);
void buffer_hex(struct buffer *buffer, uint64_t number, unsigned width);
void buffer_hex_zeros(struct buffer *buffer, uint64_t number, unsigned width);
/* "%#lx": 0 has no 0x. */
void buffer_hex_0x(struct buffer *buffer, uint64_t number);

/* Anything else. */
void buffer_format(struct buffer *buffer, const char *format, ...) PLUMB_PRINTF(2, 3);

#endif
