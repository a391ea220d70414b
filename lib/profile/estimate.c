/* SPDX-License-Identifier: Apache-2.0 */
/* Computes values with 95 % intervals from tallies; doc/statistics.md derives the formulas. */
#include <math.h>

#include "base/student.h"
#include "profile/estimate.h"

#define QUANTILE 1.959963984540054 /* quantile of the normal distribution for 97.5 % */

/* A share's variance up to this may be nothing but rounding: of a share of 0 or 1, it is 0. */
#define ROUNDED 1e-12

/* Fewer batches than this tell nothing about their differences. */
#define BATCHES_LEAST 16

static const struct estimate unknown = {NAN, NAN, NAN, 0, NAN};

struct sampling sampling_of_spe(uint64_t period, bool jitter)
{
	const double width = jitter ? 256 : 0;

	return (struct sampling){
		.interval = (double)period + (jitter ? (width - 1) / 2 : 0),
		.perturbation = width,
	};
}

/* The residuals of the samples, e = above - quotient * below: their moments and their correlation.
 */
struct residuals {
	double squares, cubes; /* sums */
	double total;          /* variance of one residual, if the order is random */
	double local;          /* variance of one residual, from the differences of neighbours */
	double batches; /* variance of one residual, from the differences of batches; NaN: too few
			 */
	double batch_count;
};

/* Returns a sum of products of three residuals, from sums of powers. */
static double cubes_of(const struct tally *tally, double quotient)
{
	return tally->powers[3][0] - 3 * quotient * tally->powers[2][1] +
	       3 * quotient * quotient * tally->powers[1][2] -
	       quotient * quotient * quotient * tally->powers[0][3];
}

static double squares_of(double above, double both, double below, double quotient)
{
	/* Rounding may give slightly negative values. */
	return fmax(0, above - 2 * quotient * both + quotient * quotient * below);
}

static double batch_variance(const struct tally *tally, double quotient)
{
	double sum = 0, squares = 0, count = tally->batch_count;

	if (tally->batch_count < BATCHES_LEAST)
		return NAN;
	for (unsigned i = 0; i < tally->batch_count; i++) {
		double e = tally->batches[i].above - quotient * tally->batches[i].below;

		sum += e;
		squares += e * e;
	}
	return fmax(0, squares - sum * sum / count) / (count - 1) / (double)tally->batch_size;
}

static struct residuals residuals_of(const struct tally *tally, double quotient)
{
	const double samples = (double)tally->samples;
	struct residuals e = {
		.squares = squares_of(tally->powers[2][0], tally->powers[1][1], tally->powers[0][2],
				      quotient),
		.cubes = cubes_of(tally, quotient),
		.batches = batch_variance(tally, quotient),
		.batch_count = tally->batch_count,
	};

	e.total = e.squares / (samples - 1);
	e.local = e.total;
	if (tally->pairs > 0)
		e.local = squares_of(tally->steps_above, tally->steps_both, tally->steps_below,
				     quotient) /
			  (2 * (double)tally->pairs);
	/* Neighbours that differ significantly more than random pairs: use the smaller variance. */
	if (e.local > e.total * (1 + 3 / sqrt(samples)))
		e.local = e.total;
	return e;
}

/* Returns the square of the interval's relative standard deviation. */
static double drift_of(const struct sampling *sampling)
{
	if (!sampling || !(sampling->interval > 0) || !(sampling->perturbation > 1))
		return 0;
	return (sampling->perturbation * sampling->perturbation - 1) / 12 /
	       (sampling->interval * sampling->interval);
}

/*
 * Returns the share of a phase's variance that is random: the number of samples in a phase varies
 * because the interval does, and because a filter removes samples at random.
 */
static double chance_of(const struct sampling *sampling)
{
	double filtered = sampling ? fmin(1, fmax(0, sampling->filtered)) : 0;

	return filtered + (1 - filtered) * drift_of(sampling);
}

/* Returns the variance of one residual, which decides the interval's width, and the quantile to
 * use. */
static double variance_of(const struct residuals *e, const struct sampling *sampling,
			  double degrees, double *quantile)
{
	*quantile = student_quantile(degrees);
	if (sampling && sampling->spread == SPREAD_BATCHES && isfinite(e->batches)) {
		*quantile = student_quantile(e->batch_count - 1);
		return fmax(e->batches, e->local);
	}
	return e->local + chance_of(sampling) * fmax(0, e->total - e->local);
}

static double clumping_of(const struct residuals *e)
{
	return isfinite(e->batches) && e->local > 0 ? e->batches / e->local : NAN;
}

/* Computes Wilson's interval for a share of `size` independent draws. */
static void wilson(struct estimate *estimate, double size, double quantile)
{
	const double p = estimate->value, q2 = quantile * quantile / size;
	const double middle = (p + q2 / 2) / (1 + q2);
	const double half = quantile / (1 + q2) * sqrt(p * (1 - p) / size + q2 / (4 * size));

	estimate->low = p <= 0 ? 0 : fmax(0, middle - half);
	estimate->high = p >= 1 ? 1 : fmin(1, middle + half);
}

struct estimate estimate_share(const struct tally *tally, const struct sampling *sampling)
{
	const double below = tally->powers[0][1], samples = (double)tally->samples;
	struct estimate estimate = unknown;
	struct residuals e;
	double size, variance, quantile;

	estimate.samples = tally->members;
	if (tally->members < 2)
		return estimate;
	estimate.value = fmin(1, fmax(0, tally->powers[1][0] / below));
	e = residuals_of(tally, estimate.value);
	estimate.clumping = clumping_of(&e);
	variance = variance_of(&e, sampling, INFINITY, &quantile) * samples / (below * below);
	/* Returns the number of independent draws with the same variance; if none or all samples
	 * have the property, the number that the weights leave. */
	size = below * below / tally->powers[0][2];
	if (variance > 0)
		size = estimate.value * (1 - estimate.value) / variance;
	wilson(&estimate, size, quantile);
	return estimate;
}

struct estimate estimate_share_of(double hits, uint64_t total)
{
	struct estimate estimate = unknown;

	estimate.samples = total;
	if (total < 2 || !(hits >= 0 && hits <= (double)total))
		return estimate;
	estimate.value = hits / (double)total;
	wilson(&estimate, (double)total, QUANTILE);
	return estimate;
}

struct estimate estimate_share_by_variance(double share, double variance, uint64_t samples)
{
	struct estimate estimate = unknown;
	double size = (double)samples;

	estimate.samples = samples;
	if (samples < 2)
		return estimate;
	estimate.value = fmin(1, fmax(0, share));
	if (variance > ROUNDED)
		size = fmin(size, estimate.value * (1 - estimate.value) / variance);
	if (size > 0)
		wilson(&estimate, size, QUANTILE);
	else
		estimate.low = 0, estimate.high = 1;
	return estimate;
}

/*
 * Returns Student's variable that corresponds to `normal` for residuals of this skewness: Hall's
 * cubic (1992), the inverse of t + k t^2 / 3 + k^2 t^3 / 27 + k / 6.
 */
static double skewed(double normal, double k)
{
	if (fabs(k) < 1e-9)
		return normal;
	return 3 / k * (cbrt(1 + k * (normal - k / 6)) - 1);
}

/*
 * Returns the lower end of a mean's interval, `down` below it in the mean's own unit. No value is
 * negative, so neither is the mean: an end below a quarter of it approaches zero exponentially, as
 * on a logarithmic scale.
 */
static double lower_end(double mean, double down)
{
	const double quarter = mean / 4;

	return mean > 0 && mean - down < quarter ? quarter * exp((mean - down) / quarter - 1)
						 : fmax(0, mean - down);
}

struct estimate estimate_mean(const struct tally *tally, const struct sampling *sampling)
{
	const double below = tally->powers[0][1], samples = (double)tally->samples;
	struct estimate estimate = unknown;
	struct residuals e;
	double error, quantile, rounding, k = 0;

	estimate.samples = tally->members;
	if (tally->members < 2)
		return estimate;
	estimate.value = tally->powers[1][0] / below;
	e = residuals_of(tally, estimate.value);
	estimate.clumping = clumping_of(&e);
	error = variance_of(&e, sampling, (double)tally->members - 1, &quantile) * samples;
	/* Rounding to whole numbers has a variance of 1/12. */
	rounding = tally->powers[0][2] / 12;
	error = sqrt(fmax(error, rounding)) / below;
	if (e.squares > rounding)
		k = e.cubes / pow(e.squares, 1.5);
	estimate.low = lower_end(estimate.value, error * skewed(quantile, k));
	estimate.high = estimate.value - error * skewed(-quantile, k);
	return estimate;
}

struct estimate estimate_total(const struct estimate *share, const struct sampling *sampling,
			       uint64_t samples, uint64_t population)
{
	struct estimate total = *share;
	double size = (double)population, relative = 0;

	if (population == 0) {
		if (!sampling || !(sampling->interval > 0) || samples == 0)
			return (struct estimate){NAN, NAN, NAN, share->samples, share->clumping};
		/* Each interval varies, and the last one was cut off at a random place. */
		size = (double)samples * sampling->interval;
		relative = drift_of(sampling) / (double)samples +
			   1.0 / 12 / (double)samples / (double)samples;
		relative *= QUANTILE * QUANTILE;
	}
	total.value = size * share->value;
	/* Independent errors add up as squares. */
	total.low = total.value -
		    hypot(size * (share->value - share->low), total.value * sqrt(relative));
	total.high = total.value +
		     hypot(size * (share->high - share->value), total.value * sqrt(relative));
	if (total.low < 0)
		total.low = 0;
	return total;
}
