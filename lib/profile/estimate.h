/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates from samples, each with its 95 % confidence interval.
 *
 * A sampler takes one operation per interval, and the interval varies a little: systematic sampling
 * with a random perturbation. Every question about the samples is a quotient: of the loads sampled,
 * what share missed; of the latency of all loads, what share is this one's; what is the mean
 * latency of a miss. So each sample adds two numbers to a tally, one above and one below the line:
 *
 *     share of the samples with property X      above: X ? 1 : 0          below: 1
 *     share of the loads that have it           above: load && X ? 1 : 0  below: load ? 1 : 0
 *     share of the loads' latency               above: X ? latency : 0    below: latency
 *     mean latency of those with X              above: X ? latency : 0    below: X ? 1 : 0
 *
 * Add every sample, with two zeros if it contributes nothing: the order of samples matters. A tally
 * takes about a kilobyte, however many samples there are.
 *
 * doc/statistics.md explains the formulas, their assumptions, when they fail, and how often they
 * held. Nothing here allocates or fails. The caller owns a tally; two threads must not change it at
 * the same time. What cannot be estimated is NaN: with fewer than two samples below the line there
 * is neither a value nor an interval.
 */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include <plumb/error.h>

/* ---- Tallies --------------------------------------------------------------------------------- */

#define TALLY_BATCHES 64

/* A batch is a run of consecutive samples. */
struct tally_batch {
	double above, below;
};

/* Zero-initialize for an empty tally. The members are private. */
struct tally {
	uint64_t samples; /* number of samples added */
	uint64_t members; /* number of samples with something below the line */
	/* Sums of powers: [i][j] is the sum of above^i * below^j; [0][0] is unused. */
	double powers[4][4];
	/* Products of the differences between each sample and the one before it. */
	uint64_t pairs;
	double steps_above, steps_both, steps_below;
	double first[2], last[2];
	struct tally_batch batches[TALLY_BATCHES + 1]; /* the last is being filled */
	uint64_t batch_size, filled;
	unsigned batch_count;
};

/* Adds a sample. Add the samples of one CPU or one thread, in the order they were taken. */
void tally_add(struct tally *tally, double above, double below);
/*
 * Adds the samples of `next`. `follows` means they come directly after those of `tally`, as when
 * several threads read one recording; otherwise they are of another CPU or thread.
 */
void tally_join(struct tally *tally, const struct tally *next, bool follows);

/* ---- How it was sampled ---------------------------------------------------------------------- */

enum spread {
	/*
	 * How much the value would vary if the sampler ran again over the same program, with the
	 * same phases. Estimated from the differences between neighbouring samples.
	 */
	SPREAD_LOCAL,
	/*
	 * How much it would vary if phases were random too, or if a loop runs in step with the
	 * sampler. Estimated from the differences between batches: wider, but correct where the
	 * other fails.
	 */
	SPREAD_BATCHES,
};

/* How samples were taken. All zero means unknown, and SPREAD_LOCAL. */
struct sampling {
	double interval;     /* mean number of operations between two samples; 0: unknown */
	double perturbation; /* its uniform variation, in operations: 256 with jitter=1; 0: none */
	/*
	 * Share of the samples that a filter removed before recording, or that the caller left out:
	 * 1 - SAMPLE_FILTRATE / SAMPLE_FEED. Set it to 1 if there was a filter but the share is
	 * unknown.
	 */
	double filtered;
	enum spread spread;
};

/* Returns the sampling for a period of arm_spe; jitter adds 0 to 255 operations to each. */
struct sampling sampling_of_spe(uint64_t period, bool jitter);

/* ---- Estimates ------------------------------------------------------------------------------- */

struct estimate {
	double value;
	double low, high; /* 95 % confidence interval; NaN if the value is */
	uint64_t samples; /* number of samples used: the members of the tally */
	/*
	 * How much more batches differ than neighbouring samples suggest: normally about 1. More
	 * means that the program has phases, or that a loop runs in step with the sampler; samples
	 * alone cannot tell which. NaN if there are too few samples.
	 */
	double clumping;
};

/* Clumping from this value on is notable: less than once in a thousand by chance alone. */
#define CLUMPING_NOTABLE 2.0

/*
 * Estimates a share: a quotient between 0 and 1. Its interval stays in that range, and has a width
 * even if all or none of the samples have the property. `sampling` may be NULL.
 */
struct estimate estimate_share(const struct tally *tally, const struct sampling *sampling);
/*
 * Estimates a mean: a quotient of any size. Values above the line are assumed to be whole numbers
 * that are not negative, such as cycles: the interval allows for their rounding, and ends above 0
 * unless all are 0. `sampling` may be NULL.
 */
struct estimate estimate_mean(const struct tally *tally, const struct sampling *sampling);
/*
 * Estimates the share of `hits` in `total` samples whose order is unknown: filtered records as a
 * share of all samples taken, SAMPLE_FEED. If the program has phases, the interval is too wide
 * rather than too narrow. For samples weighted for collisions, `hits` is the sum of the weights
 * times SAMPLE_FEED / (SAMPLE_FEED + SAMPLE_COLLISION). NaN if total < 2 or hits > total.
 */
struct estimate estimate_share_of(double hits, uint64_t total);

/* Returns the interval of a share, whose variance is known, of `samples` independent ones. */
struct estimate estimate_share_by_variance(double share, double variance, uint64_t samples);

/*
 * Converts a share to a number of operations. If `population` is not 0, it is the counted number of
 * operations (SAMPLE_POP, or INST_RETIRED if the unit samples instructions). Otherwise the
 * population is estimated as `samples` * interval, and its uncertainty is added. `samples` are
 * those below the line before any filter: SAMPLE_FEED + SAMPLE_COLLISION. NaN if neither is known.
 */
struct estimate estimate_total(const struct estimate *share, const struct sampling *sampling,
			       uint64_t samples, uint64_t population);

/* ---- Collisions ------------------------------------------------------------------------------ */

/*
 * A sample is lost if the previous one is still in flight. That depends on the latency of the
 * previous sample, not on its own, so it does no harm where operations are all alike. But phases
 * with long latencies lose more samples, and would be underestimated. To compensate, the next few
 * samples also stand for the lost ones: they come from the same phase, and did not cause the loss.
 *
 * Recordings have the number of lost samples (SAMPLE_COLLISION), but not their places. The losses
 * are attributed to the longest latencies: a latency of `reach` cycles loses one sample, twice that
 * loses two, and so on. `reach` is chosen such that the sum is right.
 */
struct collisions {
	double reach; /* in cycles; infinite if nothing was lost */
	double scale; /* corrects the sum to the losses counted that would have been recorded */
	double owed;  /* losses not yet represented by a sample; used by collisions_weigh() */
};

/*
 * Fits the model to the number of samples with each total latency, 0 to 4095 cycles, and the number
 * of lost samples. `passed` is the share of samples that pass the filter, SAMPLE_FILTRATE /
 * SAMPLE_FEED, or 1 without a filter: only that share of the lost ones would have been recorded. If
 * no latencies are recorded, losses cannot be attributed, and `reach` is infinite.
 */
struct collisions collisions_fit(const uint64_t latencies[4096], uint64_t lost, double passed);
/*
 * Returns the weight of a sample: the number of samples it stands for, including itself. `latency`
 * is its own; it affects the samples after it. Call this once for each sample, in order. Multiply
 * both values tallied, above and below the line, by the weight.
 */
double collisions_weigh(struct collisions *collisions, unsigned latency);

#endif
