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
	buffer->flushes++;
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

/* The bytes that make_room() fills with one store. */
#define PADS 16

/* Makes room for `length` characters after `pad`s up to `width`. Returns where they end. */
static inline char *make_room(struct buffer *buffer, unsigned length, char pad, unsigned width)
{
	unsigned columns = width < WIDTH_MAX ? width : WIDTH_MAX;
	char *to;

	if (columns < length)
		columns = length;
	buffer_reserve(buffer, WIDTH_MAX + DIGITS_MAX);
	to = buffer->bytes + buffer->used;
	memset(to, pad, PADS);
	for (unsigned i = PADS; i + length < columns; i++)
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

static const char decimal_pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

static void put_decimal(struct buffer *buffer, bool negative, uint64_t number, char pad,
			unsigned width)
{
	char *at = make_room(buffer, decimal_digits(number) + negative, pad, width);
	for (; number >= 100; number /= 100) {
		at -= 2;
		memcpy(at, &decimal_pairs[number % 100 * 2], 2);
	}
	if (number >= 10) {
		at -= 2;
		memcpy(at, &decimal_pairs[number * 2], 2);
	} else {
		*--at = (char)('0' + number);
	}
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

#define HEX_ROW(d)                                                                            \
	d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9" d "a" d "b" d "c" d "d" d \
	  "e" d "f"

static const char hex_pairs[] = HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4")
	HEX_ROW("5") HEX_ROW("6") HEX_ROW("7") HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b")
		HEX_ROW("c") HEX_ROW("d") HEX_ROW("e") HEX_ROW("f");

static void put_hex(struct buffer *buffer, uint64_t number, char pad, unsigned width)
{
	const unsigned digits = number ? (67 - (unsigned)__builtin_clzll(number)) / 4 : 1;
	char *at = make_room(buffer, digits, pad, width);

	for (; number >= 256; number >>= 8) {
		at -= 2;
		memcpy(at, &hex_pairs[(number & 255) * 2], 2);
	}
	if (number >= 16)
		memcpy(at - 2, &hex_pairs[number * 2], 2);
	else
		at[-1] = hex_pairs[number * 2 + 1];
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

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	buffer_text(buffer, text);
	free(text);
}
