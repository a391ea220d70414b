/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a change more than noise? Compares two sets of runs, or two estimates with intervals.
 *
 * doc/statistics.md explains the tests, and how often they were wrong. Nothing here keeps state or
 * reads anything but its arguments.
 */
#ifndef STAT_NOISE_H
#define STAT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include <plumb/error.h>

/* Results below this p are more than noise, once all comparisons are accounted for. */
#define NOISE_LEVEL 0.05

/* ---- Repeated runs --------------------------------------------------------------------------- */

struct rank_test {
	/*
	 * Two-sided p of the Mann-Whitney test: the probability that runs of equal programs differ
	 * as much in their ranks. NaN if a side has no values.
	 */
	double p;
	/*
	 * Cliff's delta: the probability that a run of `after` is larger than one of `before`,
	 * minus that it is smaller. -1 to 1.
	 */
	double effect;
	/* The smallest p that so many runs could have had, all different. */
	double least;
	bool exact; /* p is from all arrangements; otherwise, from the normal distribution */
};

/* The test is exact for up to so many runs on both sides together, with ties, too. */
#define RANK_TEST_EXACT 60

/*
 * Compares the values of two sides, all finite. Takes microseconds for 20 runs, and milliseconds
 * for RANK_TEST_EXACT. Returns 0 or NO_MEMORY.
 */
int rank_test(const double *before, size_t before_count, const double *after, size_t after_count,
	      struct rank_test *test);

/* Returns how many runs each side needs so that p can be `level` or less. */
unsigned rank_test_runs(double level);

/* Returns the median of `count` > 0 values, which it sorts. */
double median_of(double *values, size_t count);

/* ---- Estimates with intervals ---------------------------------------------------------------- */

/* A value and its 95 % confidence interval, from estimate.h. */
struct interval {
	double value, low, high;
};

/*
 * Estimates `after` - `before` of two independent estimates: the ends of the interval are the
 * distances to the ends of theirs that face each other, added as squares (Zou and Donner 2008).
 * Returns two-sided p of no difference; 1 if it is 0, NaN if something is NaN.
 */
double interval_difference(const struct interval *before, const struct interval *after,
			   struct interval *difference);

/*
 * Makes an interval symmetric, with the same width. Means of latencies are skewed, and their
 * intervals allow for that. In the difference of two means of like samples the skewness cancels;
 * with it, equal means would differ twice as often as they should.
 */
struct interval interval_symmetric(const struct interval *skewed);

/* Adds estimates of different samples, such as of two functions: their distances as squares. */
struct interval interval_sum(const struct interval *a, const struct interval *b);

/*
 * Multiplies estimates that are not negative, such as a share and a mean of what it consists of:
 * their relative distances as squares. If the mean has no interval, because there is one sample, it
 * may be anything up to twice as much.
 */
struct interval interval_product(const struct interval *share, const struct interval *mean);

/*
 * Returns the most that something without a single sample may have, as a share: the upper end of
 * Wilson's 95 % interval for none of `draws`. 1 without any.
 */
double unseen_share(double draws);

/*
 * Returns how many draws of equal weight tell as much as `draws` of weights with this mean and its
 * interval: the more they vary, the more may be in a few that were not drawn.
 */
double equal_draws(double draws, const struct interval *mean);

/* ---- Many comparisons ------------------------------------------------------------------------ */

/*
 * Adjusts p for many comparisons by Benjamini and Hochberg's method (1995): of all with an adjusted
 * p of at most 0.05, at most 5 % are expected to be noise; if nothing changed, any is below 0.05
 * in at most 5 % of all pairs. NaN does not count as a comparison, and stays. Returns 0 or
 * NO_MEMORY.
 */
int adjust_for_many(double *p, size_t count);

#endif
