/* SPDX-License-Identifier: Apache-2.0 */
/* Text in a buffer: numbers as printf(3) has them, and nothing lost where the buffer is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/buffer.h"
#include "tool/memory.h"

void *memory_given(void *memory)
{
	assert_non_null(memory);
	return memory;
}

char *memory_vformat(const char *format, va_list arguments)
{
	char *text;

	assert_true(vasprintf(&text, format, arguments) >= 0);
	return text;
}

void *memory_alloc(size_t size)
{
	return memory_given(calloc(1, size));
}

/* What goes through the buffer, and what is expected of it. */
struct pair {
	struct output out;
	struct buffer buffer;
	char *text, *expected;
	size_t size, expected_size;
	FILE *other;
};

static void begin(struct pair *p)
{
	*p = (struct pair){0};
	p->out.stream = open_memstream(&p->text, &p->size);
	p->other = open_memstream(&p->expected, &p->expected_size);
	assert_non_null(p->out.stream);
	assert_non_null(p->other);
	buffer_open(&p->buffer, &p->out);
}

static void compare(struct pair *p)
{
	buffer_close(&p->buffer);
	fclose(p->out.stream);
	fclose(p->other);
	assert_int_equal(p->size, p->expected_size);
	assert_memory_equal(p->text, p->expected, p->size);
	free(p->text);
	free(p->expected);
}

static void put_number(struct pair *p, uint64_t number, int width)
{
	struct buffer *b = &p->buffer;
	const unsigned columns = (unsigned)width;

	buffer_decimal(b, number, columns);
	buffer_zeros(b, number, columns);
	buffer_signed(b, (int64_t)number, columns);
	buffer_signed_left(b, (int64_t)number, columns);
	buffer_hex(b, number, columns);
	buffer_hex_zeros(b, number, columns);
	buffer_hex_0x(b, number);
	fprintf(p->other, "%*" PRIu64 "%0*" PRIu64 "%*" PRId64 "%-*" PRId64, width, number, width,
		number, width, (int64_t)number, width, (int64_t)number);
	fprintf(p->other, "%*" PRIx64 "%0*" PRIx64 "%#" PRIx64, width, number, width, number,
		number);
}

/* Around every power of ten and of two, and more than fits into the buffer at once. */
static void numbers(void **state)
{
	static const int widths[] = {1, 3, 5, 9, 16, 17, 24, 40, 64};
	struct pair p;

	(void)state;
	begin(&p);
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		for (uint64_t ten = 1;; ten *= 10) {
			for (uint64_t n = ten - 1; n != ten + 2; n++)
				put_number(&p, n, widths[w]);
			if (ten > UINT64_MAX / 10)
				break;
		}
		for (unsigned bit = 0; bit < 64; bit++)
			for (uint64_t n = (UINT64_C(1) << bit) - 1; n != (UINT64_C(1) << bit) + 2;
			     n++)
				put_number(&p, n, widths[w]);
		put_number(&p, UINT64_MAX, widths[w]);
	}
	fflush(p.other);
	assert_true(p.expected_size > BUFFER_SIZE);
	compare(&p);
}

/* Text of every length, up to one that is longer than the buffer. */
static void texts(void **state)
{
	char *text = malloc(BUFFER_SIZE * 2);
	struct pair p;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < BUFFER_SIZE * 2; i++)
		text[i] = (char)('a' + i % 26);
	begin(&p);
	for (size_t length = 1; length < BUFFER_SIZE * 2; length = length * 5 / 3 + 1) {
		buffer_bytes(&p.buffer, text, length);
		buffer_char(&p.buffer, '\n');
		fwrite(text, 1, length, p.other);
		fputc('\n', p.other);
	}
	buffer_padded(&p.buffer, "right", 8);
	buffer_padded(&p.buffer, "left", -8);
	buffer_padded(&p.buffer, "longer", 2);
	buffer_padded(&p.buffer, "a\tb", -5);
	buffer_format(&p.buffer, "%d %s", 5, "six");
	fputs("   rightleft    longera?b  5 six", p.other);
	compare(&p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
