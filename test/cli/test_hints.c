/* SPDX-License-Identifier: Apache-2.0 */
/* The library's hints in the program's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tool/hints.h"

/* Expects what is said in `size` bytes. */
static void expect_within(size_t size, const char *remedy, const char *subject,
			  const char *expected)
{
	const struct plumb_diagnostic finding = {
		.hint = "as the library says", .remedy = remedy, .subject = subject};
	char room[512];

	assert_string_equal(hint_of(&finding, room, size), expected);
}

static void expect(const char *remedy, const char *subject, const char *expected)
{
	expect_within(512, remedy, subject, expected);
}

static void names_the_programs_options(void **state)
{
	(void)state;
	expect("use-model", NULL, "use --source model");
	expect("list-events-of", "neoverse-n2", "see plumb spec list events --cpu neoverse-n2");
	expect("metric-group", "mix", "mix is a metric group: plumb stat --metric-group mix");
}

static void other_hints_stay(void **state)
{
	const struct plumb_diagnostic none = {.message = "no hint"};
	char room[8];

	(void)state;
	expect(NULL, NULL, "as the library says");
	expect("of-a-newer-library", "subject", "as the library says");
	assert_null(hint_of(&none, room, sizeof(room)));
}

static void a_long_subject_is_cut(void **state)
{
	(void)state;
	expect_within(8, "metric-group", "a_long_name", "a_long_");
	expect_within(12, "metric-group", "mix", "mix is a me");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_programs_options),
		cmocka_unit_test(other_hints_stay),
		cmocka_unit_test(a_long_subject_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
