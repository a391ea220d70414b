/* SPDX-License-Identifier: Apache-2.0 */
#include "render/buffer.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/visible.h"
#include "tool/memory.h"

/* The most digits a number has, and the most columns one is given. */
#define DIGITS_MAX 24
#define WIDTH_MAX  64

void buffer_open(struct buffer *buffer, struct output *out)
{
	*buffer = (struct buffer){.out = out, .bytes = memory_alloc(BUFFER_SIZE)};
}

void buffer_flush(struct buffer *buffer)
{
	fwrite(buffer->bytes, 1, buffer->used, buffer->out->stream);
	buffer->used = 0;
}

void buffer_close(struct buffer *buffer)
{
	buffer_flush(buffer);
	free(buffer->bytes);
	*buffer = (struct buffer){0};
}

void buffer_long(struct buffer *buffer, const char *text, size_t length)
{
	while (length > BUFFER_SIZE - buffer->used) {
		size_t part = BUFFER_SIZE - buffer->used;

		memcpy(buffer->bytes + buffer->used, text, part);
		buffer->used += part;
		text += part;
		length -= part;
		buffer_flush(buffer);
	}
	memcpy(buffer->bytes + buffer->used, text, length);
	buffer->used += length;
}

void buffer_foreign(struct buffer *buffer, const char *text)
{
	size_t length = strlen(text);

	for (;;) {
		size_t plain = visible_length(text, length);
		uint32_t code;

		buffer_bytes(buffer, text, plain);
		text += plain;
		length -= plain;
		if (length == 0)
			return;
		buffer_char(buffer, '?');
		plain = visible_character(text, length, &code);
		text += plain;
		length -= plain;
	}
}

static void fill(struct buffer *buffer, char c, size_t count)
{
	while (count > 0) {
		size_t part = count < BUFFER_SIZE ? count : BUFFER_SIZE;

		buffer_reserve(buffer, part);
		memset(buffer->bytes + buffer->used, c, part);
		buffer->used += part;
		count -= part;
	}
}

void buffer_padded(struct buffer *buffer, const char *text, int width)
{
	size_t length = strlen(text);
	size_t columns = width < 0 ? (size_t) - (int64_t)width : (size_t)width;
	size_t missing = columns > length ? columns - length : 0;

	if (width > 0)
		fill(buffer, ' ', missing);
	buffer_foreign(buffer, text);
	if (width < 0)
		fill(buffer, ' ', missing);
}

/* Makes room for `length` characters after `pad`s up to `width`. Returns where they end. */
static char *make_room(struct buffer *buffer, unsigned length, char pad, unsigned width)
{
	unsigned columns = width < WIDTH_MAX ? width : WIDTH_MAX;
	char *to;

	if (columns < length)
		columns = length;
	buffer_reserve(buffer, WIDTH_MAX + DIGITS_MAX);
	to = buffer->bytes + buffer->used;
	for (unsigned i = 0; i < columns - length; i++)
		to[i] = pad;
	buffer->used += columns;
	return to + columns;
}

static unsigned decimal_digits(uint64_t number)
{
	unsigned digits = 1;

	for (; number >= 10000; number /= 10000)
		digits += 4;
	return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static void put_decimal(struct buffer *buffer, bool negative, uint64_t number, char pad,
			unsigned width)
{
	char *at = make_room(buffer, decimal_digits(number) + negative, pad, width);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (negative)
		*--at = '-';
}

void buffer_decimal(struct buffer *buffer, uint64_t number, unsigned width)
{
	put_decimal(buffer, false, number, ' ', width);
}

void buffer_zeros(struct buffer *buffer, uint64_t number, unsigned width)
{
	put_decimal(buffer, false, number, '0', width);
}

void buffer_signed(struct buffer *buffer, int64_t number, unsigned width)
{
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;

	put_decimal(buffer, number < 0, size, ' ', width);
}

void buffer_signed_left(struct buffer *buffer, int64_t number, unsigned width)
{
	size_t begin;

	buffer_reserve(buffer, WIDTH_MAX + DIGITS_MAX);
	begin = buffer->used;
	buffer_signed(buffer, number, 0);
	while (buffer->used - begin < width)
		buffer_char(buffer, ' ');
}

static void put_hex(struct buffer *buffer, uint64_t number, char pad, unsigned width)
{
	const unsigned digits = number ? (67 - (unsigned)__builtin_clzll(number)) / 4 : 1;
	char *at = make_room(buffer, digits, pad, width);

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
}

void buffer_hex(struct buffer *buffer, uint64_t number, unsigned width)
{
	put_hex(buffer, number, ' ', width);
}

void buffer_hex_zeros(struct buffer *buffer, uint64_t number, unsigned width)
{
	put_hex(buffer, number, '0', width);
}

void buffer_hex_0x(struct buffer *buffer, uint64_t number)
{
	if (number)
		buffer_bytes(buffer, "0x", 2);
	put_hex(buffer, number, ' ', 0);
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	memory_given(length < 0 ? NULL : text);
	buffer_text(buffer, text);
	free(text);
}
