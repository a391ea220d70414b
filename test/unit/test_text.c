/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <locale.h>
#include <strings.h>

#include "base/text.h"

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

/* Compares every pair of bytes with the C library's own comparison, in the C locale. */
static void as_strcasecmp_in_the_c_locale(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char x[] = {'n', (char)a, 'm', 0}, y[] = {'N', (char)b, 'M', 0};

			assert_int_equal(sign(text_compare(x, y)), sign(strcasecmp(x, y)));
		}
	}
}

static void shorter_comes_first(void **state)
{
	(void)state;
	assert_int_equal(text_compare("", ""), 0);
	assert_true(text_compare("ab", "ABC") < 0);
	assert_true(text_compare("abc", "AB") > 0);
	assert_true(text_compare("", "a") < 0);
	assert_true(text_compare("l1d_cache", "L1DCACHE") < 0); /* '_' before letters */
}

static void takes_no_more_bytes_than_told(void **state)
{
	(void)state;
	assert_int_equal(text_compare_bytes("cyclesX", 6, "CYCLES"), 0);
	assert_true(text_compare_bytes("cycles", 5, "CYCLES") < 0);
	assert_int_equal(text_compare_bytes(NULL, 0, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_strcasecmp_in_the_c_locale),
		cmocka_unit_test(shorter_comes_first),
		cmocka_unit_test(takes_no_more_bytes_than_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
