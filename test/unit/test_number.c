/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/number.h"

static void numbers_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t number;
	} cases[] = {
		{"0", 0},
		{"7", 7},
		/* Not octal. */
		{"010", 10},
		{"0x1F", 31},
		{"0Xff", 255},
		{"10k", 10000},
		{"10K", 10000},
		{"3M", 3000000},
		{"2G", 2000000000},
		{"18446744073709551615", UINT64_MAX},
		{"0xffffffffffffffff", UINT64_MAX},
		{"18446744073G", 18446744073000000000u},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t number = 1;

		assert_true(number_read(cases[i].text, UINT64_MAX, &number));
		assert_int_equal(number, cases[i].number);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const cases[] = {
		"",
		" 1",
		"+1",
		"-1",
		"k",
		"0x",
		"0xg",
		"0x10k",
		"1kk",
		"1 k",
		"1m",
		"1.5k",
		"1e3",
		"x10",
		"18446744073709551616",
		"18446744074G",
	};
	uint64_t number = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_false(number_read(cases[i], UINT64_MAX, &number));
	assert_int_equal(number, 5);
	assert_false(number_read("11", 10, &number));
	assert_false(number_read("1k", 999, &number));
	assert_true(number_read("1k", 1000, &number));
}

static void numbers_are_too_large(void **state)
{
	(void)state;
	assert_true(number_too_large("11", 10));
	assert_true(number_too_large("1,3-11", 10));
	assert_true(number_too_large("18446744073709551616", UINT64_MAX));
	assert_true(number_too_large("18446744074G", UINT64_MAX));
	assert_true(number_too_large("0x10", 15));
	assert_true(number_too_large("dwarf,11", 10));
	assert_false(number_too_large("10", 10));
	assert_false(number_too_large("1,x,10", 10));
	assert_false(number_too_large("", 0));
	assert_false(number_too_large("0x", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(numbers_are_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
