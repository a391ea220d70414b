/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of few samples, worked out apart from the code: by hand, or from the formulas. */
#include "check.h"

#include <math.h>

#include "profile/estimate.h"

static struct tally tally_of(const double *above, const double *below, size_t count)
{
	struct tally tally = {0};

	for (size_t i = 0; i < count; i++)
		tally_add(&tally, above[i], below ? below[i] : 1);
	return tally;
}

static void assert_estimate(struct estimate estimate, double value, double low, double high)
{
	assert_float_equal(estimate.value, value, 1e-6);
	assert_float_equal(estimate.low, low, 1e-6);
	assert_float_equal(estimate.high, high, 1e-6);
}

static void assert_unknown(struct estimate estimate)
{
	assert_true(isnan(estimate.value) && isnan(estimate.low) && isnan(estimate.high));
}

static void nothing_is_known_of_too_few(void **state)
{
	struct tally tally = {0};

	(void)state;
	assert_unknown(estimate_share(&tally, NULL));
	assert_unknown(estimate_mean(&tally, NULL));
	tally_add(&tally, 1, 1);
	assert_unknown(estimate_share(&tally, NULL));
	assert_unknown(estimate_mean(&tally, NULL));
	/* Others do not count: they add nothing to the denominator. */
	tally_add(&tally, 0, 0);
	assert_unknown(estimate_mean(&tally, NULL));
	assert_int_equal(estimate_mean(&tally, NULL).samples, 1);
	assert_unknown(estimate_share_of(0, 0));
	assert_unknown(estimate_share_of(1, 1));
	assert_unknown(estimate_share_of(3, 2));
	assert_unknown(estimate_share_of(NAN, 2));
}

/* Wilson's interval, as textbooks give it for 10 of 100 and for none. */
static void a_share_has_wilsons_interval(void **state)
{
	(void)state;
	assert_estimate(estimate_share_of(10, 100), 0.1, 0.0552291370, 0.1743656615);
	assert_estimate(estimate_share_of(0, 100), 0, 0, 0.0369934982);
	assert_estimate(estimate_share_of(3, 3), 1, 0.4385029682, 1);
}

static void none_and_all_have_a_width(void **state)
{
	struct tally none = {0}, all = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		tally_add(&none, 0, 1);
		tally_add(&all, 1, 1);
	}
	assert_estimate(estimate_share(&none, NULL), 0, 0, 0.0369934982);
	assert_estimate(estimate_share(&all, NULL), 1, 1 - 0.0369934982, 1);
	/* Weighted by two kinds of latency, a hundred are as good as 80. */
	none = (struct tally){0};
	for (int i = 0; i < 100; i++)
		tally_add(&none, 0, i % 2 ? 1 : 3);
	assert_float_equal(estimate_share(&none, NULL).high, estimate_share_of(0, 80).high, 1e-9);
}

/*
 * Four without and four with: neighbours differ once in seven, so a sample's variance is 1/14, and
 * 0.25 / (1/14/8) = 28 independent samples would err as much.
 */
static void neighbours_decide_the_width(void **state)
{
	static const double halves[] = {0, 0, 0, 0, 1, 1, 1, 1};
	struct tally tally = tally_of(halves, NULL, 8);
	struct sampling sampling = sampling_of_spe(1024, true);

	(void)state;
	assert_estimate(estimate_share(&tally, NULL), 0.5, 0.3263312746, 0.6736687254);
	/* The interval strays by (256^2 - 1) / 12 / 1151.5^2 of a sample. */
	assert_estimate(estimate_share(&tally, &sampling), 0.5, 0.3253917200, 0.6746082800);
	/* A filter that took out half of them made halves of that length by chance. */
	sampling.filtered = 0.5;
	assert_estimate(estimate_share(&tally, &sampling), 0.5, 0.2470864651, 0.7529135349);
}

/* With those that are not asked for added as zeros, or not at all. */
static void a_share_is_of_what_is_below_the_line(void **state)
{
	static const double above[] = {1, 0, 0, 0, 1, 0}, below[] = {1, 0, 1, 0, 1, 1};
	struct tally tally = tally_of(above, below, 6);
	struct estimate share = estimate_share(&tally, NULL);

	(void)state;
	assert_float_equal(share.value, 0.5, 1e-12);
	assert_int_equal(share.samples, 4);
	assert_true(share.low > 0 && share.low < 0.3 && share.high > 0.7 && share.high < 1);
}

/* 3 1 2 5 4: differences of 2, 1, 3, 1 make a variance of 15/8; four degrees of freedom, 2.776. */
static void a_mean_has_students_interval(void **state)
{
	static const double even[] = {3, 1, 2, 5, 4};
	struct tally tally = tally_of(even, NULL, 5);
	struct estimate mean = estimate_mean(&tally, NULL);

	(void)state;
	/* The quantile is expanded: right to a thousandth. */
	assert_float_equal(mean.value, 3, 1e-12);
	assert_float_equal(mean.low, 1.2997815485, 1e-3);
	assert_float_equal(mean.high, 4.7002184515, 1e-3);
}

/* Hall's correction, from the sums of squares and cubes: more room above than below. */
/* Latencies are not negative, so neither is the interval of their mean, however few there are. */
static void a_mean_of_latencies_is_positive(void **state)
{
	/* Student's quantile for one degree of freedom, and the standard error of 10 and 30. */
	const double low = 20 - 12.706204736 * 10;
	struct tally tally = {0}, zeros = {0};
	struct estimate mean;

	(void)state;
	tally_add(&tally, 10, 1);
	tally_add(&tally, 30, 1);
	mean = estimate_mean(&tally, NULL);
	assert_float_equal(mean.value, 20, 1e-12);
	assert_float_equal(mean.low, 5 * exp(low / 5 - 1), 1e-9);
	assert_true(mean.low > 0);
	assert_float_equal(mean.high, 20 + 12.706204736 * 10, 1e-6);
	tally_add(&zeros, 0, 1);
	tally_add(&zeros, 0, 1);
	assert_true(estimate_mean(&zeros, NULL).low == 0);
}

/* Of means of few latencies with a long tail, no more than intended lie below their intervals. */
static void few_latencies_cover(void **state)
{
	const unsigned rounds = 40000;

	(void)state;
	srand(1);
	for (unsigned samples = 2; samples <= 8; samples *= 2) {
		unsigned missed = 0;

		for (unsigned round = 0; round < rounds; round++) {
			struct tally tally = {0};

			for (unsigned i = 0; i < samples; i++)
				tally_add(&tally, -100 * log((rand() + 1.0) / (RAND_MAX + 2.0)), 1);
			missed += estimate_mean(&tally, NULL).low > 100;
		}
		/* 2.5 % and four standard deviations. */
		assert_true(missed < 0.025 * rounds + 4 * sqrt(0.025 * 0.975 * rounds));
	}
}

static void a_skewed_mean_leans(void **state)
{
	static const double skewed[] = {1, 1, 9, 1, 1, 2, 1, 1, 3, 1};
	struct tally tally = tally_of(skewed, NULL, 10);
	struct estimate mean = estimate_mean(&tally, NULL);

	(void)state;
	assert_float_equal(mean.value, 2.1, 1e-9);
	assert_float_equal(mean.low, 0.7822190978, 1e-3);
	assert_float_equal(mean.high, 8.8664027471, 2e-2);
}

/* Whole cycles: ten times 4 may be 3.8 to 4.2. */
static void a_constant_has_a_width(void **state)
{
	struct tally tally = {0};
	struct estimate mean;

	(void)state;
	for (int i = 0; i < 10; i++)
		tally_add(&tally, 4, 1);
	mean = estimate_mean(&tally, NULL);
	assert_float_equal(mean.value, 4, 1e-12);
	assert_float_equal(mean.high - 4, 0.2065057511, 1e-4);
	assert_float_equal(4 - mean.low, 0.2065057511, 1e-4);
}

/* The same sequence, in one tally and in three that follow each other. */
static void joined_tallies_are_one(void **state)
{
	struct tally whole = {0}, parts[3] = {0}, apart;
	struct estimate a, b;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		double above = i * i % 7, below = i % 3 != 0;

		tally_add(&whole, above, below);
		tally_add(&parts[i < 300 ? 0 : i < 310 ? 1 : 2], above, below);
	}
	apart = parts[0];
	tally_join(&apart, &parts[1], false);
	assert_int_equal(apart.pairs, 299 + 9);
	tally_join(&parts[0], &parts[1], true);
	tally_join(&parts[0], &parts[2], true);
	assert_int_equal(parts[0].samples, 1000);
	assert_int_equal(parts[0].pairs, 999);
	a = estimate_mean(&whole, NULL);
	b = estimate_mean(&parts[0], NULL);
	assert_estimate(b, a.value, a.low, a.high);
	assert_true(isfinite(b.clumping));
	/* To and from an empty one. */
	apart = (struct tally){0};
	tally_join(&whole, &apart, true);
	assert_int_equal(whole.samples, 1000);
	tally_join(&apart, &whole, true);
	assert_int_equal(apart.samples, 1000);
	b = estimate_mean(&apart, NULL);
	assert_estimate(b, a.value, a.low, a.high);
}

/* However many there are, batches are equally large, and no sample is in two of them. */
static void batches_hold_what_was_added(void **state)
{
	struct tally tally = {0};

	(void)state;
	for (unsigned i = 1; i <= 5000; i++) {
		double sum = 0;

		tally_add(&tally, i, 1);
		for (unsigned k = 0; k <= tally.batch_count; k++)
			sum += tally.batches[k].above;
		assert_float_equal(sum, i * (i + 1.0) / 2, 1e-6);
		for (unsigned k = 0; k < tally.batch_count; k++)
			assert_float_equal(tally.batches[k].below, (double)tally.batch_size, 0);
		assert_true(tally.batch_count < TALLY_BATCHES);
	}
	assert_int_equal(tally.batch_size, 128);
}

/* Phases clump; their batches make a wider interval. */
static void phases_clump(void **state)
{
	struct sampling sampling = sampling_of_spe(1024, true);
	struct tally mixed = {0}, phased = {0};
	struct estimate local, batches;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		bool odd = (i * 2654435761u >> 16) % 2;

		tally_add(&mixed, odd, 1);
		tally_add(&phased, i < 500 ? odd : 0, 1);
	}
	assert_true(estimate_share(&mixed, &sampling).clumping < CLUMPING_NOTABLE);
	local = estimate_share(&phased, &sampling);
	assert_true(local.clumping > CLUMPING_NOTABLE);
	sampling.spread = SPREAD_BATCHES;
	batches = estimate_share(&phased, &sampling);
	assert_float_equal(batches.value, local.value, 0);
	assert_true(batches.high - batches.low > 1.4 * (local.high - local.low));
}

static void totals_are_shares_of_the_population(void **state)
{
	struct sampling sampling = sampling_of_spe(1024, true);
	struct estimate share = estimate_share_of(10, 100);

	(void)state;
	assert_estimate(estimate_total(&share, &sampling, 100, 1000000), 100000, 55229.137061,
			174365.661505);
	/* Without a count of them: 100 intervals of 1151.5, which stray, and the last is cut off.
	 */
	assert_float_equal(estimate_total(&share, &sampling, 100, 0).value, 11515, 1e-6);
	assert_float_equal(estimate_total(&share, &sampling, 100, 0).low, 6357.189346, 1e-3);
	assert_float_equal(estimate_total(&share, &sampling, 100, 0).high, 20079.678598, 1e-3);
	assert_unknown(estimate_total(&share, NULL, 100, 0));
	assert_unknown(estimate_total(&share, &sampling, 0, 0));
	share = estimate_share_of(0, 0);
	assert_unknown(estimate_total(&share, &sampling, 100, 1000));
}

static void a_share_has_the_interval_of_its_variance(void **state)
{
	struct estimate direct = estimate_share_of(30, 100), by_variance;

	(void)state;
	by_variance = estimate_share_by_variance(0.3, 0.3 * 0.7 / 100, 100);
	assert_float_equal(by_variance.low, direct.low, 1e-12);
	assert_float_equal(by_variance.high, direct.high, 1e-12);
	/* A larger variance makes it wider; a smaller one than the samples' does not make it
	   narrower. */
	assert_true(estimate_share_by_variance(0.3, 0.01, 100).low < direct.low);
	assert_float_equal(estimate_share_by_variance(0.3, 0, 100).low, direct.low, 1e-12);
	/* None and all have a width, and so does a share about which nothing is known. */
	/* What sums leave of a variance of 0. */
	assert_float_equal(estimate_share_by_variance(1, 1e-17, 100).low,
			   estimate_share_by_variance(1, 0, 100).low, 1e-12);
	assert_float_equal(estimate_share_by_variance(0, 1e-17, 100).high,
			   estimate_share_by_variance(0, 0, 100).high, 1e-12);
	assert_true(estimate_share_by_variance(1, 0, 100).low < 1);
	assert_float_equal(estimate_share_by_variance(1, 1, 100).low, 0, 0);
	assert_true(isnan(estimate_share_by_variance(0.5, 0.1, 1).low));
}

static void an_interval_has_a_mean(void **state)
{
	struct sampling sampling = sampling_of_spe(1024, false);

	(void)state;
	assert_float_equal(sampling.interval, 1024, 0);
	assert_float_equal(sampling.perturbation, 0, 0);
	sampling = sampling_of_spe(1024, true);
	assert_float_equal(sampling.interval, 1151.5, 0);
	assert_float_equal(sampling.perturbation, 256, 0);
}

/* Weights of a sample of each latency, one after another. */
static void assert_weights(struct collisions fit, const unsigned *latencies, const double *weights,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_float_equal(collisions_weigh(&fit, latencies[i]), weights[i], 1e-9);
}

/* Ten latencies of 100 cycles and five of 300, which lost 15. At a reach of 100 they would lose 10
 * and 15, at any more 10 in all: so it is 100, and each counts 15/25. Those after one take half
 * of what is owed. */
static void collisions_are_put_down_to_long_latencies(void **state)
{
	static const unsigned after[] = {4, 100, 4, 4, 300, 4};
	static uint64_t latencies[4096];
	struct collisions fit;

	(void)state;
	latencies[4] = 1000;
	latencies[100] = 10;
	latencies[300] = 5;
	fit = collisions_fit(latencies, 15, 1);
	assert_float_equal(fit.reach, 100, 1e-6);
	assert_weights(
		fit, after,
		(double[]){1, 1, 1 + 0.6 / 2, 1 + 0.3 / 2, 1 + 0.15 / 2, 1 + (0.075 + 1.8) / 2}, 6);
	/* Of those lost, half would not have passed the filter. */
	fit = collisions_fit(latencies, 15, 0.5);
	assert_weights(fit, after, (double[]){1, 1, 1 + 0.3 / 2}, 3);
	/* Five only: each of the longest lost one. */
	fit = collisions_fit(latencies, 5, 1);
	assert_weights(fit, after, (double[]){1, 1, 1, 1, 1, 1.5}, 6);
}

static void without_collisions_all_weigh_the_same(void **state)
{
	static const unsigned any[] = {4095, 50, 0, 4095}, fifty[] = {50, 50};
	static const double ones[] = {1, 1, 1, 1};
	static uint64_t latencies[4096];

	(void)state;
	assert_weights(collisions_fit(latencies, 10, 1), any, ones, 4);
	latencies[0] = 5;
	assert_weights(collisions_fit(latencies, 10, 1), any, ones, 4);
	latencies[50] = 5;
	assert_weights(collisions_fit(latencies, 0, 1), any, ones, 4);
	/* More than any latency explains: all of it, all the same. */
	assert_weights(collisions_fit(latencies, 100000, 1), fifty, (double[]){1, 10001}, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_too_few),
		cmocka_unit_test(a_share_has_wilsons_interval),
		cmocka_unit_test(none_and_all_have_a_width),
		cmocka_unit_test(neighbours_decide_the_width),
		cmocka_unit_test(a_share_is_of_what_is_below_the_line),
		cmocka_unit_test(a_mean_has_students_interval),
		cmocka_unit_test(a_mean_of_latencies_is_positive),
		cmocka_unit_test(few_latencies_cover),
		cmocka_unit_test(a_skewed_mean_leans),
		cmocka_unit_test(a_constant_has_a_width),
		cmocka_unit_test(joined_tallies_are_one),
		cmocka_unit_test(batches_hold_what_was_added),
		cmocka_unit_test(phases_clump),
		cmocka_unit_test(totals_are_shares_of_the_population),
		cmocka_unit_test(a_share_has_the_interval_of_its_variance),
		cmocka_unit_test(an_interval_has_a_mean),
		cmocka_unit_test(collisions_are_put_down_to_long_latencies),
		cmocka_unit_test(without_collisions_all_weigh_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
