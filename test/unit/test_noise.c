/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ranks and intervals; expected values are worked out by hand or by counting. */
#include "check.h"

#include <math.h>

#include "stat/noise.h"

static void near(double is, double should, double by)
{
	if (!(fabs(is - should) <= by))
		fail_msg("%.17g is not %.17g", is, should);
}

static struct rank_test ranks(const double *before, size_t m, const double *after, size_t n)
{
	struct rank_test test;

	assert_int_equal(rank_test(before, m, after, n, &test), 0);
	return test;
}

/* Four below four: one of 70 arrangements, and its mirror image. */
static void separates_all(void **state)
{
	const double before[] = {1, 2, 3, 4}, after[] = {5, 6, 7, 8};
	struct rank_test test = ranks(before, 4, after, 4);

	(void)state;
	near(test.p, 2.0 / 70, 1e-12);
	near(test.effect, 1, 1e-12);
	near(test.least, 2.0 / 70, 1e-12);
	assert_true(test.exact);
	test = ranks(after, 4, before, 4);
	near(test.p, 2.0 / 70, 1e-12);
	near(test.effect, -1, 1e-12);
}

/* {1, 4} and {2, 3}: the ranks sum to 5 both, the mean. */
static void finds_nothing_in_the_middle(void **state)
{
	const double before[] = {1, 4}, after[] = {3, 2};
	const struct rank_test test = ranks(before, 2, after, 2);

	(void)state;
	near(test.p, 1, 1e-12);
	near(test.effect, 0, 1e-12);
}

/* Returns p by going through all ways to pick. `mid` are the ranks of all. */
static double by_counting(const double *mid, unsigned total, unsigned picked, double sum)
{
	const double mean = picked * (total + 1) / 2.0;
	unsigned all = 0, far = 0;

	for (unsigned bits = 0; bits < 1u << total; bits++) {
		double ranks_sum = 0;

		if ((unsigned)__builtin_popcount(bits) != picked)
			continue;
		for (unsigned i = 0; i < total; i++)
			ranks_sum += bits >> i & 1 ? mid[i] : 0;
		all++;
		far += fabs(ranks_sum - mean) >= fabs(sum - mean) - 1e-9;
	}
	return (double)far / all;
}

/* 1 2 2 3 3 3 and 2 3 4 4 5: equal values share the mean of their ranks. */
static void counts_ties(void **state)
{
	const double before[] = {1, 2, 2, 3, 3, 3}, after[] = {2, 3, 4, 4, 5};
	/* 1, three 2s, four 3s, two 4s, 5. */
	const double mid[] = {1, 3, 3, 3, 6.5, 6.5, 6.5, 6.5, 9.5, 9.5, 11};
	const struct rank_test test = ranks(before, 6, after, 5);

	(void)state;
	near(test.p, by_counting(mid, 11, 5, 3 + 6.5 + 9.5 + 9.5 + 11), 1e-12);
	/* Of 30 pairs, `after` is larger in 1 + 3 + 6 + 6 + 6 and smaller in 3. */
	near(test.effect, (22 - 3) / 30.0, 1e-12);
}

static void takes_equal_values(void **state)
{
	const double values[] = {7, 7, 7, 7, 7};
	const struct rank_test test = ranks(values, 5, values, 5);

	(void)state;
	near(test.p, 1, 1e-12);
	near(test.effect, 0, 1e-12);
}

static void takes_no_values(void **state)
{
	const double value = 1;
	const struct rank_test test = ranks(&value, 0, &value, 1);

	(void)state;
	assert_true(isnan(test.p));
	assert_true(isnan(test.effect));
}

/* On both sides of the limit, exact and approximate p are alike. */
static void approximates_many(void **state)
{
	double before[40], after[40];
	struct rank_test few, many;

	(void)state;
	for (int i = 0; i < 40; i++) {
		before[i] = i;
		after[i] = i + 6.5;
	}
	few = ranks(before, 30, after, 30);
	many = ranks(before, 31, after, 31);
	assert_true(few.exact);
	assert_false(many.exact);
	assert_true(few.p > 0.005 && few.p < 0.02);
	near(many.p, few.p, 0.2 * few.p);
}

static void knows_how_many_runs(void **state)
{
	(void)state;
	/* 2 / 20 for three, 2 / 70 for four; 2 / 3432 for seven. */
	assert_int_equal(rank_test_runs(0.05), 4);
	assert_int_equal(rank_test_runs(0.05 / 40), 7);
}

static void finds_medians(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, huge[] = {1.7e308, 1.7e308};

	(void)state;
	near(median_of(odd, 3), 2, 0);
	near(median_of(even, 4), 2.5, 0);
	near(median_of(huge, 2), 1.7e308, 0);
}

/* 10 +- 3 and 20 +- 4: 10 +- 5. */
static void subtracts_intervals(void **state)
{
	const struct interval before = {10, 7, 13}, after = {20, 16, 24};
	struct interval difference;
	const double p = interval_difference(&before, &after, &difference);

	(void)state;
	near(difference.value, 10, 1e-12);
	near(difference.low, 5, 1e-12);
	near(difference.high, 15, 1e-12);
	/* Twice the 1.96 standard errors of 95 %. */
	near(p, erfc(2 * 1.959964 / sqrt(2)), 1e-6);
}

/* Where the interval just touches 0, p is 0.05. */
static void agrees_with_the_interval(void **state)
{
	const struct interval before = {10, 9, 14}, after = {15, 12, 16};
	struct interval difference;

	(void)state;
	/* Down: hypot(3, 4) = 5. */
	near(interval_difference(&before, &after, &difference), 0.05, 1e-6);
	near(difference.low, 0, 1e-12);
	near(difference.high, 5 + sqrt(2), 1e-12);
}

static void does_not_know_nan(void **state)
{
	const struct interval known = {1, 0, 2}, unknown = {2, NAN, NAN}, same = {1, 1, 1};
	struct interval difference;

	(void)state;
	assert_true(isnan(interval_difference(&known, &unknown, &difference)));
	near(interval_difference(&same, &same, &difference), 1, 0);
}

/* 10 +- 30 % of 2 +- 40 %: 20 +- 50 %. */
static void multiplies_intervals(void **state)
{
	const struct interval share = {10, 7, 13}, mean = {2, 1.2, 2.8}, single = {2, NAN, NAN};
	struct interval product = interval_product(&share, &mean);

	(void)state;
	near(product.value, 20, 1e-12);
	near(product.low, 10, 1e-12);
	near(product.high, 30, 1e-12);
	product = interval_product(&share, &single);
	near(product.low, 0, 1e-12);
	near(product.high, 20 * (1 + hypot(0.3, 1)), 1e-12);
}

/* The example of Benjamini and Hochberg's paper, section 4.1: four of 15 hypotheses. */
static void adjusts_as_in_the_paper(void **state)
{
	double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
		      0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
	unsigned rejected = 0;

	(void)state;
	assert_int_equal(adjust_for_many(p, 15), 0);
	for (int i = 0; i < 15; i++)
		rejected += p[i] <= 0.05;
	assert_int_equal(rejected, 4);
	near(p[0], 0.0001 * 15, 1e-12);
	near(p[3], 0.0095 * 15 / 4, 1e-12);
	near(p[14], 1, 1e-12);
}

static void leaves_out_nan(void **state)
{
	double p[] = {0.04, NAN, 0.01};

	(void)state;
	assert_int_equal(adjust_for_many(p, 3), 0);
	near(p[0], 0.04, 1e-12);
	assert_true(isnan(p[1]));
	near(p[2], 0.02, 1e-12);
	assert_int_equal(adjust_for_many(NULL, 0), 0);
}

/* Wilson's upper end for none, as published tables have it: 27.8 % of 10, 3.7 % of 100. */
static void bounds_what_was_not_seen(void **state)
{
	(void)state;
	near(unseen_share(10), 0.2775, 1e-4);
	near(unseen_share(100), 0.0370, 1e-4);
	near(unseen_share(0), 1, 1e-12);
	/* Equal weights: as many draws. Deviations as large as the mean: half. */
	near(equal_draws(100, &(struct interval){7, 7, 7}), 100, 1e-9);
	near(equal_draws(100, &(struct interval){7, 7 - 7 * 0.195996, 7 + 7 * 0.195996}), 50, 1e-3);
	near(equal_draws(0, &(struct interval){7, 7, 7}), 0, 1e-12);
	near(equal_draws(1, &(struct interval){7, NAN, NAN}), 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separates_all),
		cmocka_unit_test(finds_nothing_in_the_middle),
		cmocka_unit_test(counts_ties),
		cmocka_unit_test(takes_equal_values),
		cmocka_unit_test(takes_no_values),
		cmocka_unit_test(approximates_many),
		cmocka_unit_test(knows_how_many_runs),
		cmocka_unit_test(finds_medians),
		cmocka_unit_test(subtracts_intervals),
		cmocka_unit_test(agrees_with_the_interval),
		cmocka_unit_test(does_not_know_nan),
		cmocka_unit_test(multiplies_intervals),
		cmocka_unit_test(adjusts_as_in_the_paper),
		cmocka_unit_test(leaves_out_nan),
		cmocka_unit_test(bounds_what_was_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
