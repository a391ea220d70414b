/* SPDX-License-Identifier: Apache-2.0 */
/* What may reach a terminal, unchanged and in JSON. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/json_write.h"
#include "base/visible.h"

/* Table 3-7 of the Unicode Standard: well-formed sequences. */
static void knows_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t taken;
		bool shown;
	} cases[] = {
		{"a", 1, true},
		{"\x1f", 1, false},
		{"\x7f", 1, false},
		{"\x80", 1, false},
		{"\xc0\x80", 1, false}, /* overlong */
		{"\xc1\xbf", 1, false}, /* overlong */
		{"\xc2\x80", 2, false}, /* a C1 control */
		{"\xc2\x9b", 2, false}, /* CSI */
		{"\xc2\xa0", 2, true},
		{"\xdf\xbf", 2, true},
		{"\xe0\x9f\xbf", 1, false}, /* overlong */
		{"\xe0\xa0\x80", 3, true},
		{"\xe2\x80\xae", 3, false}, /* right-to-left override */
		{"\xe2\x81\xa6", 3, false}, /* left-to-right isolate */
		{"\xed\x9f\xbf", 3, true},
		{"\xed\xa0\x80", 1, false}, /* a surrogate */
		{"\xef\xbf\xbf", 3, true},
		{"\xf0\x8f\xbf\xbf", 1, false}, /* overlong */
		{"\xf0\x90\x80\x80", 4, true},
		{"\xf4\x8f\xbf\xbf", 4, true},
		{"\xf4\x90\x80\x80", 1, false}, /* past U+10FFFF */
		{"\xf5\x80\x80\x80", 1, false},
		{"\xe2\x94", 1, false}, /* cut off */
		{"\xe2x\x80", 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length = strlen(cases[i].bytes);
		uint32_t code = 0;

		assert_int_equal(visible_character(cases[i].bytes, length, &code), cases[i].taken);
		if (cases[i].taken == 1)
			assert_int_equal(code, (unsigned char)*cases[i].bytes < 0x80
						       ? (unsigned char)*cases[i].bytes
						       : VISIBLE_INVALID);
		assert_int_equal(visible_length(cases[i].bytes, length),
				 cases[i].shown ? length : 0);
	}
}

/* Whatever the bytes: the output has no controls, and keeps everything else. */
static void every_byte_and_every_c1_control_is_stopped(void **state)
{
	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		const char text[] = {'a', (char)byte, 'b', '\0'};
		const size_t shown = byte >= 0x20 && byte < 0x7f ? 3 : 1;

		assert_int_equal(visible_length(text, 3), shown);
	}
	for (unsigned code = 0x80; code < 0x100; code++) {
		const char text[] = {(char)(0xc0 | code >> 6), (char)(0x80 | (code & 0x3f)), '\0'};

		assert_int_equal(visible_length(text, 2), code < 0xa0 ? 0 : 2);
	}
}

static void append(void *user, const char *bytes, size_t size)
{
	strncat(user, bytes, size);
}

/* Names that a recording may contain, and their JSON: RFC 8259, section 7. */
static const char *const names[][2] = {
	{"", ""},
	{"plain \xc3\xa4", "plain \xc3\xa4"},
	{"\"\\", "\\\"\\\\"},
	{"a\x1b[2Jb\n", "a\\u001b[2Jb\\u000a"},
	{"\x7f\xc2\x9b"
	 "31m",
	 "\\u007f\\u009b31m"},
	{"\x9b"
	 "2J",
	 "\\ufffd2J"},
	{"\xe2\x80\xaetxt", "\\u202etxt"},
	{"\xe2\x80\xa8line", "\\u2028line"},
	{"\xe2\x94", "\\ufffd\\ufffd"},
};

static void json_holds_no_controls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[128] = "";

		json_escape(names[i][0], strlen(names[i][0]), append, text);
		assert_string_equal(text, names[i][1]);
	}
}

/* jansson's output is as safe, and has the same meaning. */
static void printed_json_holds_no_controls(void **state)
{
	static const char name[] = "a\x1b\"\\\x7f\xc2\x9b\xe2\x80\xae\xc3\xa4\n";
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	json_t *object = json_pack("{s:s, s:[i,i]}", name, name, "n", 1, 2), *again;

	(void)state;
	assert_non_null(object);
	assert_int_equal(json_print(object, stream, JSON_INDENT(2)), 0);
	fclose(stream);
	for (size_t i = 0; i < size; i++)
		assert_true(text[i] == '\n' || visible_length(text + i, size - i) > 0 ||
			    (i > 0 && ((unsigned char)text[i] & 0xc0) == 0x80));
	again = json_loads(text, 0, NULL);
	assert_true(json_equal(object, again));
	json_decref(again);
	json_decref(object);
	free(text);
}

static void json_takes_text_of_any_bytes(void **state)
{
	static const char *const texts[][2] = {
		{"", ""},
		{"a\x1b\xc2\x9b\xc3\xa4", "a\x1b\xc2\x9b\xc3\xa4"},
		{"\xe9t\xe9", "\xef\xbf\xbdt\xef\xbf\xbd"},
		/* Cut off, too long, a surrogate, beyond Unicode. */
		{"a\xe2\x94", "a\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};
	json_t *value = json_text(NULL);

	(void)state;
	assert_true(json_is_null(value));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_t *object = json_object();
		char *printed;

		value = json_text(texts[i][0]);
		assert_non_null(value);
		assert_string_equal(json_string_value(value), texts[i][1]);
		json_decref(value);
		assert_true(json_put_text(object, "text", texts[i][0]));
		/* jansson prints nothing but UTF-8. */
		printed = json_dumps(object, 0);
		assert_non_null(printed);
		free(printed);
		json_decref(object);
	}
}

/* The fewest digits that read back as the same number; a real number stays real. */
static void printed_reals_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0.003, "0.003"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"},
		{0.1 + 0.2, "0.30000000000000004"},
		{0, "0.0"},
		{-0.0, "-0.0"},
		{-2.5, "-2.5"},
		{2251799813685249.5, "2251799813685249.5"},
		{1e23, "1e+23"},
		{1e-7, "1e-07"},
		{DBL_MAX, "1.7976931348623157e+308"},
	};
	/* Within a string, a number is text. */
	static const char name[] = "\\\"0.10000000000000001,true \\";
	char expected[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *array = json_pack("[s,f,i,b,n,f]", name, cases[i].value, 7, 1,
					  cases[i].value),
		       *again;
		char *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		assert_int_equal(json_print(array, stream, JSON_COMPACT), 0);
		fclose(stream);
		snprintf(expected, sizeof(expected),
			 "[\"\\\\\\\"0.10000000000000001,true \\\\\",%s,7,true,null,%s]",
			 cases[i].text, cases[i].text);
		assert_string_equal(text, expected);
		again = json_loads(text, 0, NULL);
		assert_true(json_equal(array, again));
		json_decref(again);
		json_decref(array);
		free(text);
	}
}

/* Prints a number as json_print() is to print it, by the C library alone. */
static void print_shortest(char text[64], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 64, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	if (!text[strcspn(text, ".e")])
		memcpy(text + strlen(text), ".0", sizeof(".0"));
}

static void compare_real(double value)
{
	json_t *real = json_real(value);
	char expected[64], text[64] = "";
	FILE *stream = fmemopen(text, sizeof(text), "w");

	print_shortest(expected, value);
	assert_int_equal(json_print(real, stream, JSON_ENCODE_ANY), 0);
	fclose(stream);
	assert_string_equal(text, expected);
	json_decref(real);
}

/* Those with few digits, their neighbours, quotients, and any. */
static void reals_of_all_kinds_are_short(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		union {
			uint64_t bits;
			double value;
		} any;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		any.bits = i % 2 ? random : (random >> 12) | (1003 + (random & 63)) << 52;
		if (isfinite(any.value))
			compare_real(any.value);
		compare_real((double)(random % 1000000) / 1000);
		compare_real(nextafter((double)(random % 1000) / 100, i % 2 ? INFINITY : 0));
		compare_real(100 * (double)(random >> 11) * 0x1p-53);
		compare_real(-(double)(random % 100000007) / (double)(1 + (random >> 32) % 99991));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_utf8),
		cmocka_unit_test(every_byte_and_every_c1_control_is_stopped),
		cmocka_unit_test(json_holds_no_controls),
		cmocka_unit_test(printed_json_holds_no_controls),
		cmocka_unit_test(json_takes_text_of_any_bytes),
		cmocka_unit_test(printed_reals_are_short),
		cmocka_unit_test(reals_of_all_kinds_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
