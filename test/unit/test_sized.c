/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/sized.h"

struct older {
	size_t size;
	int a;
};

struct newer {
	size_t size;
	int a, b;
};

static void an_older_caller_lacks_members(void **state)
{
	struct older from = {sizeof(from), 3};
	struct newer to = {9, 9, 9};

	(void)state;
	assert_true(sized_read(&to, sizeof(to), &from));
	assert_int_equal(to.a, 3);
	assert_int_equal(to.b, from.size == sizeof(to) ? to.b : 0);
}

static void a_newer_caller_may_ask_for_nothing_new(void **state)
{
	struct {
		struct newer known;
		char more[8];
	} from = {.known = {sizeof(from), 1, 2}};
	struct newer to;

	(void)state;
	assert_true(sized_read(&to, sizeof(to), &from));
	assert_int_equal(to.b, 2);
	from.more[7] = 1;
	assert_false(sized_read(&to, sizeof(to), &from));
	from.known.size = 0;
	assert_false(sized_read(&to, sizeof(to), &from));
}

static void results_are_as_large_as_the_caller_says(void **state)
{
	const struct {
		size_t size;
		int a, b, c, d;
	} result = {0, 1, 2, 3, 4};
	struct {
		size_t size;
		int a, b, untouched, neither;
	} to = {offsetof(__typeof__(to), untouched), 9, 9, 9, 9};
	struct {
		size_t size;
		int a, b, c, d, e, f;
	} larger = {sizeof(larger), 9, 9, 9, 9, 9, 9};

	(void)state;
	sized_write(&to, &result, sizeof(result));
	assert_int_equal(to.size, offsetof(__typeof__(to), untouched));
	assert_int_equal(to.a, 1);
	assert_int_equal(to.b, 2);
	assert_int_equal(to.untouched, 9);
	assert_int_equal(to.neither, 9);
	sized_write(&larger, &result, sizeof(result));
	assert_int_equal(larger.d, 4);
	assert_int_equal(larger.e, 0);
	assert_int_equal(larger.f, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_caller_lacks_members),
		cmocka_unit_test(a_newer_caller_may_ask_for_nothing_new),
		cmocka_unit_test(results_are_as_large_as_the_caller_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
