/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals from groups of windows, beside those worked out by hand and beside random programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/groups.h"

#define ALLOWANCE 0.0025 /* doc/statistics.md */

/* Ten groups of windows, of which nothing else is known. */
static const struct grouping ten = {.present = 0x7fe, .windows = 500};

static void assert_near(double value, double wanted)
{
	assert_true(fabs(value - wanted) < 1e-6);
}

/* A group of 60 and one of 40 in turn, of 100 each: 9 degrees of freedom, whose quantile is 2.2622.
 */
static void equals_what_is_worked_out(void **state)
{
	double part[GROUPS_ROOM] = {0}, whole[GROUPS_ROOM] = {0};
	const double variance = 10 * 100.0 * 10 / 9, without = ALLOWANCE * hypot(250, 250) / 1000;
	struct plumb_profile_estimate share;
	struct grouping half = ten;

	(void)state;
	for (unsigned group = 1; group <= 10; group++) {
		whole[group] = 100;
		part[group] = group % 2 ? 60 : 40;
	}
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 0.5);
	assert_near(share.high - share.value, hypot(2.262157 * sqrt(variance) / 1000, without));
	assert_near(share.high - share.value, share.value - share.low);
	/* What is modelled is not uncertain. */
	half.modelled = 0.5;
	share = groups_share(&half, part, whole);
	assert_near(share.high - share.value, hypot(2.262157 * sqrt(variance / 2) / 1000, without));
	/* As much again was counted in full: the share is a quarter, and closer to it. */
	whole[0] = 1000;
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 0.25);
	assert_near(share.high - share.value,
		    hypot(2.262157 * sqrt(variance) / 2000, ALLOWANCE * hypot(375, 125) / 2000));
}

/* Groups that differ in size alone say nothing against the share. */
static void sizes_do_not_matter(void **state)
{
	double part[GROUPS_ROOM] = {0}, whole[GROUPS_ROOM] = {0};
	struct plumb_profile_estimate share;

	(void)state;
	for (unsigned group = 1; group <= 10; group++) {
		whole[group] = 100 + 10 * group;
		part[group] = whole[group] / 4;
	}
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 0.25);
	assert_near(share.high - share.value, ALLOWANCE * 0.25 * 0.75 * sqrt(2));
}

static void is_missing_where_unknown(void **state)
{
	const struct grouping four = {.present = 0x1e};
	double part[GROUPS_ROOM] = {0}, whole[GROUPS_ROOM] = {0};
	struct plumb_profile_estimate share;

	(void)state;
	for (unsigned group = 1; group <= 10; group++)
		whole[group] = 100;
	part[3] = 50;
	/* All of it in one group: in one window, perhaps. */
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 0.05);
	assert_true(isnan(share.low) && isnan(share.high));
	/* Hardly anything, beside what was counted in full, may be 50 times as much. */
	part[0] = whole[0] = 100000;
	part[3] = 1;
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 100001 / 101000.0);
	assert_true(share.high - share.value > 50 * 0.009 / 101000);
	assert_true(share.high - share.value < 0.01);
	/* Nothing in any window. */
	share = groups_share(&ten, NULL, whole);
	assert_near(share.value, 0);
	assert_true(isnan(share.low) && isnan(share.high));
	part[3] = 0;
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 100000 / 101000.0);
	/* With 500 windows, it may be in 0.74 % of what they stand for. */
	assert_near(1e3 * (share.high - share.value),
		    1e6 / 101000 * hypot(0.0074 * (1 - share.value), ALLOWANCE * share.value));
	part[0] = 10;
	share = groups_share(&ten, part, whole);
	assert_true(isnan(share.low));
	/* In half of the groups. */
	part[0] = whole[0] = 0;
	for (unsigned group = 1; group <= 5; group++)
		part[group] = 50;
	share = groups_share(&ten, part, whole);
	assert_near(share.value, 0.25);
	assert_true(isnan(share.low));
	share = groups_share(&ten, NULL, NULL);
	assert_true(isnan(share.value) && isnan(share.low));
	for (unsigned group = 1; group <= 4; group++)
		part[group] = 50;
	share = groups_share(&four, part, whole);
	assert_near(share.value, 0.5);
	assert_true(isnan(share.low));
}

static void reads_streams(void **state)
{
	struct grouping grouping = {0};
	struct groups_stream stream;

	(void)state;
	assert_true(groups_read(UINT64_C(0x4000) << 48 | 123 << 8 | 7, &stream));
	assert_int_equal(stream.group, 7);
	assert_int_equal(stream.windows, 123);
	assert_near(stream.modelled, 0.25);
	groups_know(&grouping, &stream);
	assert_int_equal(grouping.present, 1 << 7);
	assert_near(grouping.modelled, 0.25);
	groups_know(&grouping, &stream);
	assert_near(grouping.windows, 123);
	assert_true(groups_read(0, &stream));
	groups_know(&grouping, &stream);
	assert_int_equal(grouping.present, 1 << 7);
	assert_false(groups_read(GROUPS_ROOM, &stream));
}

static uint64_t random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/*
 * A program of 1000 units in phases, of which each run sees a tenth of each unit, dealt into ten
 * groups. Most intervals hold the share of the whole, and not all.
 */
static void holds_most_shares(void **state)
{
	static double cost[1000][10];
	double all = 0, part_of_all = 0, truth;
	unsigned held = 0;
	uint64_t random = 1;

	(void)state;
	for (unsigned u = 0; u < 1000; u++)
		for (unsigned w = 0; w < 10; w++) {
			cost[u][w] = (double)(random_number(&random) % 1000) * (1 + u / 100 % 3);
			all += cost[u][w] + 1000;
			part_of_all += cost[u][w];
		}
	truth = part_of_all / all;
	for (unsigned run = 0; run < 1000; run++) {
		double part[GROUPS_ROOM] = {0}, whole[GROUPS_ROOM] = {0};
		const struct grouping grouping = {.present = 0x7fe, .modelled = 0.1};
		struct plumb_profile_estimate share;

		for (unsigned u = 0; u < 1000; u++) {
			const double here = cost[u][random_number(&random) % 10];

			part[1 + u % 10] += here;
			whole[1 + u % 10] += here + 1000;
		}
		share = groups_share(&grouping, part, whole);
		held += share.low <= truth && truth <= share.high;
	}
	assert_in_range(held, 930, 985);
}

/* Groups of 60 and 40 in turn; with their sizes, nothing is uncertain. */
static void sums_are_uncertain(void **state)
{
	double part[GROUPS_ROOM] = {7}, sizes[GROUPS_ROOM] = {1};
	const double half = 2.2621572 * sqrt(10 * 100.0 * 10 / 9);
	struct plumb_profile_estimate sum;

	(void)state;
	for (unsigned group = 1; group <= 10; group++) {
		part[group] = group % 2 ? 60 : 40;
		sizes[group] = 10 * part[group];
	}
	sum = groups_sum(&ten, part, NULL);
	assert_near(sum.value, 507);
	assert_near((sum.high - sum.value) / 1000, hypot(half, ALLOWANCE * 500) / 1000);
	assert_near(sum.high - sum.value, sum.value - sum.low);
	sum = groups_sum(&ten, part, sizes);
	assert_near(sum.value, 507);
	assert_near(sum.high - sum.value, ALLOWANCE * 500);
	sum = groups_sum(&ten, NULL, sizes);
	assert_true(sum.value == 0 && isnan(sum.low));
	memset(part + 2, 0, (GROUPS_ROOM - 2) * sizeof(*part));
	sum = groups_sum(&ten, part, sizes);
	assert_near(sum.value, 67);
	assert_true(isnan(sum.low));
}

static void adds_to_sums(void **state)
{
	double *sums = NULL, *more = NULL;

	(void)state;
	assert_true(groups_add_all(&sums, NULL));
	assert_null(sums);
	assert_true(groups_add(&more, 3, 5) && groups_add(&more, 3, 6) && groups_add(&more, 0, 1));
	assert_true(groups_add_all(&sums, more) && groups_add_all(&sums, more));
	assert_near(sums[3], 22);
	assert_near(sums[0], 2);
	assert_near(sums[1], 0);
	free(sums);
	free(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_what_is_worked_out),
		cmocka_unit_test(sizes_do_not_matter),
		cmocka_unit_test(is_missing_where_unknown),
		cmocka_unit_test(reads_streams),
		cmocka_unit_test(holds_most_shares),
		cmocka_unit_test(sums_are_uncertain),
		cmocka_unit_test(adds_to_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
