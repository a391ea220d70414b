/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"

static void compare(double value)
{
	for (int places = 0; places <= FIXED_PLACES; places++) {
		char wanted[FIXED_ROOM], got[FIXED_ROOM];
		const int length = snprintf(wanted, sizeof(wanted), "%.*f", places, value);

		assert_int_equal(fixed_write(got, value, places), length);
		assert_string_equal(got, wanted);
	}
}

/* Halves of the last place are exact in binary if they end in 5, 25 or 125. */
static void ties_go_to_the_even_digit(void **state)
{
	(void)state;
	for (int i = 0; i < 4000; i++)
		compare(i / 16.0);
}

static void neighbours_of_decimals_are_told_apart(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		const double value = i / 2000.0;

		compare(value);
		compare(nextafter(value, INFINITY));
		compare(nextafter(value, -INFINITY));
	}
}

static void any_number(void **state)
{
	static const double some[] = {
		0,           -0.0, INFINITY, -INFINITY, NAN,  DBL_MAX,      DBL_MIN,
		-1.5,        1e15, 0x1p53,   0x1p63,    9e12, DBL_TRUE_MIN, 8999999999999.9995,
		9e12 - 0.001};
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		compare(some[i]);
	for (int i = 0; i < 20000; i++) {
		union {
			uint64_t bits;
			double value;
		} as;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		/* Of all sizes, and most from 2^-40 to 2^60. */
		as.bits = i % 8 ? (random >> 12) | ((983 + (random >> 4) % 100) << 52) : random;
		compare(as.value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ties_go_to_the_even_digit),
		cmocka_unit_test(neighbours_of_decimals_are_told_apart),
		cmocka_unit_test(any_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
