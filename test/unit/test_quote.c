/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>

#include "base/quote.h"

static void control_characters_are_shown(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"CPU_CYCLES", "CPU_CYCLES"},
		{"a\nb\tc", "a\\u000ab\\u0009c"},
		{"\x1b[31mred\x7f", "\\u001b[31mred\\u007f"},
		/* U+009B, which some terminals take for ESC [; U+00A0 and U+00E9, which are text */
		{"\xc2\x9b", "\\u009b"},
		{"\xc2\xa0\xc3\xa9", "\xc2\xa0\xc3\xa9"},
		{"\xc2", "\\xc2"},
		/* the same control as a byte of Latin-1 */
		{"\x9b"
		 "31m",
		 "\\x9b31m"},
		{"\xe2\x82\xac", "\xe2\x82\xac"},
	};
	char out[QUOTE_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_ptr_equal(quote(out, pairs[i][0]), out);
		assert_string_equal(out, pairs[i][1]);
	}
	assert_int_equal(quote_bytes(out, "a\0b", 3), 8);
	assert_string_equal(out, "a\\u0000b");
}

static void long_text_is_cut_between_characters(void **state)
{
	char text[QUOTE_MAX + 8], out[QUOTE_ROOM];

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(quote_bytes(out, text, QUOTE_MAX), QUOTE_MAX);
	assert_int_equal(quote_bytes(out, text, QUOTE_MAX + 1), QUOTE_MAX + 3);
	assert_string_equal(out + QUOTE_MAX, "...");
	/* A character of three bytes stands across the place to cut, or just before it. */
	for (size_t start = QUOTE_MAX - 3; start <= QUOTE_MAX; start++) {
		size_t whole = start == QUOTE_MAX - 3 ? 3 : 0;

		memset(text, 'x', sizeof(text));
		text[start] = '\xe2';
		text[start + 1] = '\x82';
		text[start + 2] = '\xac';
		assert_int_equal(quote_bytes(out, text, sizeof(text)), start + whole + 3);
		assert_string_equal(out + start, whole ? "\xe2\x82\xac..." : "...");
	}
}

static void the_room_is_enough_for_anything(void **state)
{
	char text[1000], out[QUOTE_ROOM + 1];

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		memset(text, (int)byte, sizeof(text));
		out[QUOTE_ROOM] = 'z';
		assert_true(quote_bytes(out, text, sizeof(text)) < QUOTE_ROOM);
		assert_int_equal(out[QUOTE_ROOM], 'z');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_shown),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(the_room_is_enough_for_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
