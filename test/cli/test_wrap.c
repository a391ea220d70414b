/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a terminal: what it takes, where it breaks, what of it is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tool/wrap.h"

/* The lines of `text`, joined by '|'. */
static void expect_lines(const char *text, size_t width, const char *expected)
{
	char joined[512] = "";
	struct wrap_line line;

	while (wrap_next(&text, width, &line)) {
		assert_int_equal(line.columns, wrap_columns(line.at, line.length));
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%.*s",
			 *joined ? "|" : "", (int)line.length, line.at);
	}
	assert_string_equal(joined, expected);
}

static void breaks_at_spaces(void **state)
{
	(void)state;
	expect_lines("", 10, "");
	expect_lines("one", 10, "one");
	expect_lines("one two three", 13, "one two three");
	expect_lines("one two three", 12, "one two|three");
	expect_lines("one two three", 7, "one two|three");
	expect_lines("one two three", 6, "one|two|three");
	expect_lines("one   two", 5, "one|two");
	expect_lines("one two   ", 20, "one two");
}

static void keeps_a_percent_sign_with_its_number(void **state)
{
	(void)state;
	expect_lines("has 32.9 % now", 10, "has 32.9 %|now");
	expect_lines("has 32.9 % now", 9, "has|32.9 %|now");
	expect_lines("has 32.9 %", 9, "has|32.9 %");
	expect_lines("32.9 %", 5, "32.9|%"); /* no room at all */
}

static void breaks_words_that_are_too_wide(void **state)
{
	(void)state;
	expect_lines("abcdefghij", 4, "abcd|efgh|ij");
	expect_lines("ab cdefghij", 4, "ab|cdef|ghij");
	expect_lines("abc", 1, "a|b|c");
	expect_lines("abc", 0, "a|b|c");
}

static void divides_names_between_words(void **state)
{
	(void)state;
	expect_lines("backend_mem_cache_bound", 16, "backend_mem_|cache_bound");
	expect_lines("backend_mem_cache_bound", 12, "backend_mem_|cache_bound");
	expect_lines("see backend_mem_bound", 12, "see|backend_mem_|bound");
	expect_lines("l1d,l2d,l3d", 6, "l1d,|l2d,|l3d");
	expect_lines("L2D__long", 3, "L2D|__|lon|g");
	expect_lines("ab_cdefghij", 5, "ab_|cdefg|hij");
	expect_lines("one::two_three", 6, "one::|two_|three");
	expect_lines("one::two", 4, "one:|:two");
	expect_lines("file.c:123", 8, "file.c:1|23");
}

static void keeps_paragraphs(void **state)
{
	const char *text = "one two\nthree\n\nfour";
	struct wrap_line line;

	(void)state;
	expect_lines("one two\nthree", 20, "one two|three");
	assert_true(wrap_next(&text, 20, &line));
	assert_true(wrap_next(&text, 20, &line));
	assert_true(wrap_next(&text, 20, &line));
	assert_int_equal(line.length, 0);
	assert_true(wrap_next(&text, 20, &line));
	assert_memory_equal(line.at, "four", 4);
	assert_false(wrap_next(&text, 20, &line));
}

static void counts_characters_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(wrap_columns("\xc3\xa4\xe2\x94\x80x", 6), 3);
	expect_lines("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4", 3, "\xc3\xa4\xc3\xa4\xc3\xa4|\xc3\xa4");
	/* Three bytes that are no UTF-8 are three '?'. */
	assert_int_equal(wrap_columns("\xff\x80\xc3", 3), 3);
}

/* U+6F22, U+1F642 and U+FF21 are wide; U+0301 combines; U+202E is shown as '?'. */
static void counts_columns_not_characters(void **state)
{
	(void)state;
	assert_int_equal(wrap_columns("\xe6\xbc\xa2\xf0\x9f\x99\x82\xef\xbc\xa1", 10), 6);
	assert_int_equal(wrap_columns("e\xcc\x81x", 4), 2);
	assert_int_equal(wrap_columns("\xe2\x80\xae", 3), 1);
	expect_lines("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5,
		     "\xe6\xbc\xa2\xe6\xbc\xa2|\xe6\xbc\xa2");
	expect_lines("a \xe6\xbc\xa2\xe6\xbc\xa2", 5, "a|\xe6\xbc\xa2\xe6\xbc\xa2");
	expect_lines("e\xcc\x81"
		     "e\xcc\x81"
		     "e\xcc\x81",
		     2,
		     "e\xcc\x81"
		     "e\xcc\x81|e\xcc\x81");
	/* Wider than the line by itself. */
	expect_lines("\xe6\xbc\xa2\xe6\xbc\xa2", 1, "\xe6\xbc\xa2|\xe6\xbc\xa2");
}

static void expect_put(const char *bytes, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	wrap_put(stream, bytes, strlen(bytes));
	fclose(stream);
	assert_string_equal(text, expected);
	free(text);
}

static void puts_what_is_harmless(void **state)
{
	(void)state;
	expect_put("", "");
	expect_put("plain \xc3\xa4", "plain \xc3\xa4");
	expect_put("\x1b[31mred\x1b[0m\n", "?[31mred?[0m?");
	expect_put("\xff\xfe"
		   "a\xc3",
		   "??a?");
	expect_put("\xc2\x9b"
		   "1m",
		   "?1m");
}

static void cuts_between_characters(void **state)
{
	(void)state;
	assert_int_equal(wrap_complete(""), 0);
	assert_int_equal(wrap_complete("abc"), 3);
	assert_int_equal(wrap_complete("ab\xc3\xa4"), 4);
	assert_int_equal(wrap_complete("ab\xc3"), 2);
	assert_int_equal(wrap_complete("ab\xe2\x94"), 2);
	assert_int_equal(wrap_complete("ab\xf0\x9f\x99"), 2);
	assert_int_equal(wrap_complete("ab\xe2\x94\x80"), 5);
	/* No beginning of anything: as long as it is. */
	assert_int_equal(wrap_complete("\x80\x80\x80\x80\x80"), 5);
}

/* Whatever the bytes and the width: no line too wide, nothing but spaces and line ends lost. */
static void loses_nothing(void **state)
{
	static const char alphabet[] = "abc  \n\xc3\xa4\xe2\x94\x80\xff\x1b\xe6\xbc\xa2\xcc\x81";
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[64], kept[64] = "", lines[64] = "";
		const char *rest = text;
		size_t length, width, used = 0;
		struct wrap_line line;

		seed = seed * 1664525 + 1013904223;
		length = (seed >> 24) % sizeof(text);
		/* A wide character may have more than one column. */
		width = 2 + (seed >> 16) % 20;
		for (size_t i = 0; i < length; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = alphabet[(seed >> 20) % (sizeof(alphabet) - 1)];
		}
		text[length] = '\0';
		for (size_t i = 0; i < length; i++)
			if (text[i] != ' ' && text[i] != '\n')
				kept[used++] = text[i];
		kept[used] = '\0';

		used = 0;
		while (wrap_next(&rest, width, &line)) {
			assert_true(line.columns <= width);
			for (size_t i = 0; i < line.length; i++)
				if (line.at[i] != ' ')
					lines[used++] = line.at[i];
		}
		lines[used] = '\0';
		assert_string_equal(lines, kept);
	}
}

/* What fits is as wide as it can be, and ends between characters. */
static void fits_whole_characters(void **state)
{
	static const char text[] = "a\xe6\xbc\xa2"
				   "e\xcc\x81\xff\xe6\xbc\xa2z";
	static const size_t fitting[] = {0, 1, 1, 4, 7, 8, 8, 11, 12, 12};

	(void)state;
	for (size_t width = 0; width < sizeof(fitting) / sizeof(*fitting); width++) {
		const size_t length = wrap_fit(text, sizeof(text) - 1, width);

		assert_int_equal(length, fitting[width]);
		assert_true(wrap_columns(text, length) <= width);
	}
	/* An incomplete character at the end is one invalid byte. */
	assert_int_equal(wrap_fit("a\xe6", 2, 2), 2);
	assert_int_equal(wrap_fit("", 0, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breaks_at_spaces),
		cmocka_unit_test(keeps_a_percent_sign_with_its_number),
		cmocka_unit_test(breaks_words_that_are_too_wide),
		cmocka_unit_test(divides_names_between_words),
		cmocka_unit_test(keeps_paragraphs),
		cmocka_unit_test(counts_characters_not_bytes),
		cmocka_unit_test(counts_columns_not_characters),
		cmocka_unit_test(puts_what_is_harmless),
		cmocka_unit_test(cuts_between_characters),
		cmocka_unit_test(loses_nothing),
		cmocka_unit_test(fits_whole_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
