/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The normal distribution's quantile for 97.5 %. */
#define NORMAL_QUANTILE 1.959963984540054

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median_of(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return count & 1 ? values[count / 2] : values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

/* ---- Ranks ------------------------------------------------------------------------------------
 */

/* Both sides together, sorted. Ranks of equal values are their mean, so they are kept doubled. */
struct ranked {
	double *values;
	unsigned *doubled; /* twice the rank of each */
	size_t count;
	double ties; /* sum of t^3 - t over groups of t equal values */
};

static void rank(struct ranked *all)
{
	qsort(all->values, all->count, sizeof(*all->values), compare_doubles);
	for (size_t i = 0, end; i < all->count; i = end) {
		double size;

		for (end = i + 1; end < all->count && all->values[end] == all->values[i]; end++)
			;
		size = (double)(end - i);
		all->ties += size * size * size - size;
		/* Ranks i + 1 to end. */
		for (size_t k = i; k < end; k++)
			all->doubled[k] = (unsigned)(i + 1 + end);
	}
}

/* Returns the sum of the doubled ranks of some of the values. */
static size_t rank_sum(const struct ranked *all, const double *values, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = all->count - 1;

		while (low < high) {
			const size_t middle = (low + high) / 2;

			if (all->values[middle] < values[i])
				low = middle + 1;
			else
				high = middle;
		}
		sum += all->doubled[low];
	}
	return sum;
}

/*
 * Returns the share of all ways to pick `picked` of the ranks whose sum is as far from the mean as
 * `sum`, or further; negative if out of memory. ways[k][s] is the number of ways to pick k with the
 * sum s; at most 60 over 30, about 1.2e17, so sums of doubles are good to 1e-15.
 */
static double count_arrangements(const struct ranked *all, size_t picked, size_t sum)
{
	const size_t most = all->count * (all->count + 1), width = most + 1;
	const size_t mean = picked * (all->count + 1);
	const size_t distance = sum > mean ? sum - mean : mean - sum;
	double *ways = calloc((picked + 1) * width, sizeof(*ways));
	size_t sums[RANK_TEST_EXACT + 1] = {0}; /* of the smallest ranks */
	double total = 0, far = 0;

	if (!ways)
		return -1;
	ways[0] = 1;
	for (size_t i = 0; i < all->count; i++) {
		const size_t step = all->doubled[i];

		sums[i + 1] = sums[i] + step;
		for (size_t k = picked < i + 1 ? picked : i + 1; k > 0; k--) {
			double *to = ways + k * width + step;
			const double *from = ways + (k - 1) * width;
			/* What the k - 1 smallest and the k - 1 largest so far add up to. */
			const size_t last = sums[i] - sums[i + 1 - k];

			for (size_t s = sums[k - 1]; s <= last; s++)
				to[s] += from[s];
		}
	}
	for (size_t s = 0; s <= most; s++) {
		const double count = ways[picked * width + s];

		total += count;
		if ((s > mean ? s - mean : mean - s) >= distance)
			far += count;
	}
	free(ways);
	return far / total;
}

/* Returns p by the normal distribution, with the corrections for ties and for continuity. */
static double approximate(const struct ranked *all, size_t before, size_t after, size_t sum)
{
	const double n = (double)all->count, a = (double)before, b = (double)after;
	const double variance = a * b / 12 * (n + 1 - all->ties / (n * (n - 1)));
	const double distance = fabs((double)sum / 2 - b * (n + 1) / 2);

	if (!(variance > 0))
		return 1;
	return erfc(fmax(distance - 0.5, 0) / sqrt(2 * variance));
}

/* Returns 2 / (n over k), at most 1. */
static double least_of(size_t before, size_t after)
{
	double ways = 1;

	for (size_t i = 1; i <= before; i++)
		ways *= (double)(after + i) / (double)i;
	return fmin(1, 2 / ways);
}

int rank_test(const double *before, size_t before_count, const double *after, size_t after_count,
	      struct rank_test *test)
{
	struct ranked all = {.count = before_count + after_count};
	size_t sum;

	*test = (struct rank_test){NAN, NAN, NAN, true};
	if (!before_count || !after_count)
		return 0;
	all.values = calloc(all.count, sizeof(*all.values));
	all.doubled = calloc(all.count, sizeof(*all.doubled));
	if (all.values && all.doubled) {
		memcpy(all.values, before, before_count * sizeof(*before));
		memcpy(all.values + before_count, after, after_count * sizeof(*after));
		rank(&all);
		sum = rank_sum(&all, after, after_count);
		test->exact = all.count <= RANK_TEST_EXACT;
		test->least = least_of(before_count, after_count);
		/* U counts the pairs in which `after` is larger, and half of the equal ones. */
		test->effect = ((double)sum - (double)(after_count * (after_count + 1))) /
				       ((double)before_count * (double)after_count) -
			       1;
		test->p = test->exact ? count_arrangements(&all, after_count, sum)
				      : approximate(&all, before_count, after_count, sum);
	}
	free(all.values);
	free(all.doubled);
	return isnan(test->p) || test->p < 0 ? PLUMB_ERR_NO_MEMORY : 0;
}

unsigned rank_test_runs(double level)
{
	unsigned runs = 2;

	while (runs < 1000 && least_of(runs, runs) > level)
		runs++;
	return runs;
}

/* ---- Intervals --------------------------------------------------------------------------------
 */

double interval_difference(const struct interval *before, const struct interval *after,
			   struct interval *difference)
{
	const double value = after->value - before->value;
	const double down = hypot(after->value - after->low, before->high - before->value);
	const double up = hypot(after->high - after->value, before->value - before->low);
	const double facing = value > 0 ? down : up;

	*difference = (struct interval){value, value - down, value + up};
	if (isnan(value) || isnan(facing))
		return NAN;
	if (value == 0)
		return 1;
	return facing > 0 ? erfc(NORMAL_QUANTILE * fabs(value) / facing / sqrt(2)) : 0;
}

struct interval interval_symmetric(const struct interval *skewed)
{
	const double half = (skewed->high - skewed->low) / 2;

	return (struct interval){skewed->value, skewed->value - half, skewed->value + half};
}

struct interval interval_sum(const struct interval *a, const struct interval *b)
{
	const double value = a->value + b->value;

	return (struct interval){value, value - hypot(a->value - a->low, b->value - b->low),
				 value + hypot(a->high - a->value, b->high - b->value)};
}

struct interval interval_product(const struct interval *share, const struct interval *mean)
{
	const double value = share->value * mean->value;
	const bool known = !isnan(mean->low) && !isnan(mean->high);
	const double low = known ? mean->low : 0, high = known ? mean->high : 2 * mean->value;
	double down, up;

	if (!(value > 0))
		return (struct interval){value, value, share->high * high};
	down = hypot(1 - share->low / share->value, 1 - low / mean->value);
	up = hypot(share->high / share->value - 1, high / mean->value - 1);
	return (struct interval){value, value * fmax(1 - down, 0), value * (1 + up)};
}

double unseen_share(double draws)
{
	return NORMAL_QUANTILE * NORMAL_QUANTILE / (draws + NORMAL_QUANTILE * NORMAL_QUANTILE);
}

double equal_draws(double draws, const struct interval *mean)
{
	const double half = (mean->high - mean->low) / 2 / NORMAL_QUANTILE;
	const double variance = half * half / (mean->value * mean->value); /* relative */

	return draws > 0 && variance >= 0 ? draws / (1 + draws * variance) : 0;
}

/* ---- Many comparisons -------------------------------------------------------------------------
 */

static int compare_indirectly(const void *a, const void *b, void *user)
{
	const double *p = user;

	return compare_doubles(&p[*(const size_t *)a], &p[*(const size_t *)b]);
}

int adjust_for_many(double *p, size_t count)
{
	size_t *order = calloc(count + 1, sizeof(*order));
	size_t known = 0;
	double least = 1;

	if (!order)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			order[known++] = i;
	qsort_r(order, known, sizeof(*order), compare_indirectly, p);
	for (size_t i = known; i-- > 0;) {
		least = fmin(least, p[order[i]] * (double)known / (double)(i + 1));
		p[order[i]] = least;
	}
	free(order);
	return 0;
}
