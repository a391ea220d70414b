/* SPDX-License-Identifier: Apache-2.0 */
/* When a loss is: which intervals are told apart from the rest. */
#include "check.h"

#include <math.h>

#include "profile/findings_when.h"

#define MOST 32

/* Divides intervals of a second with these shares, ended by -1; -2 is an unknown one. */
static struct plumb_finding_when divide(const double *shares)
{
	struct when_part parts[MOST];
	struct plumb_finding_when when;
	size_t count = 0;

	for (; shares[count] != -1; count++)
		parts[count] = (struct when_part){
			.from = (double)count,
			.to = (double)count + 1,
			.weight = 1,
			.share = shares[count] == -2 ? NAN : shares[count],
		};
	assert_int_equal(when_divide(parts, count, &when), 0);
	return when;
}

#define DIVIDE(...) divide((const double[]){__VA_ARGS__, -1})

static void one_range(void **state)
{
	const struct plumb_finding_when when = DIVIDE(2, 4, 80, 90, 85, 3, 3, 4);

	(void)state;
	assert_true(when.known && !when.throughout);
	assert_int_equal(when.range_count, 1);
	assert_true(when.ranges[0].from == 2 && when.ranges[0].to == 5);
	assert_true(fabs(when.slots - 85) < 1e-9);
	assert_true(fabs(when.elsewhere - 3.2) < 1e-9);
}

static void several_ranges(void **state)
{
	const struct plumb_finding_when when = DIVIDE(90, 3, 80, 90, 2, 3, 88);

	(void)state;
	assert_int_equal(when.range_count, 3);
	assert_true(when.ranges[0].from == 0 && when.ranges[0].to == 1);
	assert_true(when.ranges[1].from == 2 && when.ranges[1].to == 4);
	assert_true(when.ranges[2].from == 6 && when.ranges[2].to == 7);
}

static void more_ranges_than_there_is_room_for(void **state)
{
	const struct plumb_finding_when when =
		DIVIDE(90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1, 90, 1);

	(void)state;
	assert_int_equal(when.range_count, 11);
	assert_true(when.ranges[PLUMB_RANGES_MAX - 1].from == 14);
	assert_true(when.ranges[PLUMB_RANGES_MAX - 1].to == 15);
}

static void small_differences_are_none(void **state)
{
	struct plumb_finding_when when = DIVIDE(60, 62, 90, 91, 61, 60);

	(void)state;
	/* Less than twice as much. */
	assert_true(when.known && when.throughout);
	assert_int_equal(when.range_count, 0);
	assert_true(fabs(when.slots - 424.0 / 6) < 1e-9 && isnan(when.elsewhere));
	/* Less than ten points more. */
	when = DIVIDE(5, 5, 12, 12, 5);
	assert_true(when.throughout);
	/* Nothing differs. */
	when = DIVIDE(50, 50, 50, 50);
	assert_true(when.throughout && when.slots == 50);
	/* Only a start-up of a tenth is without it. */
	when = DIVIDE(0, 90, 90, 90, 90, 90, 90, 90, 90, 90);
	assert_true(when.throughout);
}

static void unknown_intervals_are_in_no_range(void **state)
{
	struct plumb_finding_when when = DIVIDE(90, -2, 90, 1, 1, 1);

	(void)state;
	assert_int_equal(when.range_count, 2);
	assert_true(when.ranges[0].to == 1 && when.ranges[1].from == 2);
	/* Too little is known, or there is too little. */
	when = DIVIDE(90, 90, 1, 1, -2, -2, -2, -2, -2);
	assert_false(when.known);
	when = DIVIDE(90, 90, 1);
	assert_false(when.known);
	assert_int_equal(when_divide(NULL, 0, &when), 0);
	assert_false(when.known);
}

static void intervals_count_by_their_weight(void **state)
{
	static const struct when_part parts[] = {
		{0, 1, 3, 90}, {1, 2, 1, 70}, {2, 3, 2, 1}, {3, 4, 2, 4}};
	struct plumb_finding_when when;

	(void)state;
	assert_int_equal(when_divide(parts, 4, &when), 0);
	assert_true(fabs(when.slots - 85) < 1e-9 && fabs(when.elsewhere - 2.5) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_range),
		cmocka_unit_test(several_ranges),
		cmocka_unit_test(more_ranges_than_there_is_room_for),
		cmocka_unit_test(small_differences_are_none),
		cmocka_unit_test(unknown_intervals_are_in_no_range),
		cmocka_unit_test(intervals_count_by_their_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
