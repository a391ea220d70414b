/* SPDX-License-Identifier: Apache-2.0 */
/* Which windows of a sampled run have the short way before them, by what misses cost. */
#include "check.h"

#include <math.h>

#include "qemu/reach.h"

#define TOLERATED 0.0025
#define WINDOWS   4000

/* Deals windows whose misses cost so much behind each way. Returns how many had the short one. */
static unsigned deal(unsigned windows, double behind_long, double behind_short)
{
	unsigned count = 0;

	for (unsigned i = 0; i < windows; i++) {
		reach_choose();
		count += reach_is_short();
		reach_note(reach_is_short() ? behind_short : behind_long);
	}
	return count;
}

static void compares_pairs_at_first(void **state)
{
	(void)state;
	reach_set_up(TOLERATED, 1);
	/* Every second pair is compared, and one window of it is dealt the short way. */
	assert_int_equal(deal(4 * (REACH_FEW - 1), 0, 0), REACH_FEW - 1);
}

static void trusts_the_short_way_if_it_costs_nothing(void **state)
{
	unsigned count;

	(void)state;
	reach_set_up(TOLERATED, 1);
	deal(4 * REACH_FEW, 0.01, 0.01);
	count = deal(WINDOWS, 0.01, 0.01);
	/* All but one of two windows of each pair that is compared. */
	assert_in_range(count, WINDOWS - WINDOWS / 2 / REACH_TRUSTS - 1,
			WINDOWS - WINDOWS / 2 / REACH_TRUSTS + 1);
}

static void keeps_the_long_way_if_misses_differ(void **state)
{
	static const double others[] = {0.01 - 2 * TOLERATED, 0.01 + 2 * TOLERATED};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		reach_set_up(TOLERATED, 1);
		deal(4 * REACH_FEW, 0.01, others[i]);
		assert_in_range(deal(WINDOWS, 0.01, others[i]), WINDOWS / 2 / REACH_DOUBTS - 1,
				WINDOWS / 2 / REACH_DOUBTS + 1);
	}
}

static void keeps_it_if_too_little_is_known(void **state)
{
	unsigned count = 0;

	(void)state;
	reach_set_up(TOLERATED, 1);
	/* The same on average, but one cost is ten times the other. */
	for (unsigned i = 0; i < WINDOWS; i++) {
		reach_choose();
		count += reach_is_short();
		reach_note(i / 2 % 3 ? 0.1 : i % 2 ? 0.01 : 1);
	}
	assert_true(count < WINDOWS / REACH_DOUBTS);
	/* Or where nothing could be skipped. */
	reach_set_up(TOLERATED, 1);
	assert_int_equal(deal(WINDOWS, NAN, NAN), WINDOWS / 2);
}

static void returns_to_the_long_way(void **state)
{
	(void)state;
	reach_set_up(TOLERATED, 1);
	deal(4 * REACH_FEW, 0, 0);
	assert_true(deal(100, 0, 0) > 80);
	/* Misses that no pair had: the next pair is compared. */
	assert_true(deal(10, 0, 0.5) < 10);
	assert_true(deal(100, 0, 0.5) < 10);
}

static void deals_by_the_seed(void **state)
{
	unsigned first[2] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		reach_set_up(TOLERATED, seed);
		reach_choose();
		first[reach_is_short()]++;
	}
	assert_in_range(first[0], 400, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_pairs_at_first),
		cmocka_unit_test(trusts_the_short_way_if_it_costs_nothing),
		cmocka_unit_test(keeps_the_long_way_if_misses_differ),
		cmocka_unit_test(keeps_it_if_too_little_is_known),
		cmocka_unit_test(returns_to_the_long_way),
		cmocka_unit_test(deals_by_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
