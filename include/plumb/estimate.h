/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates from samples, each with the interval that covers the truth 95 times in a hundred.
 *
 * A sampler takes one operation of an interval, and the interval varies a little: systematic
 * sampling with a random perturbation. What is asked of the samples is always a quotient: of the
 * samples that are loads, how many missed; of the latency of all loads, how much is this one's; of
 * the latency of misses, how much falls to one. So a sample enters a tally as two numbers, what it
 * adds above the line and below it:
 *
 *     share of the samples with property X      above: X ? 1 : 0          below: 1
 *     share of the loads that have it           above: load && X ? 1 : 0  below: load ? 1 : 0
 *     share of the loads' latency               above: X ? latency : 0    below: latency
 *     mean latency of those with X              above: X ? latency : 0    below: X ? 1 : 0
 *
 * Samples that add nothing are added, too, as two zeros: the tally looks at what follows what. A
 * tally takes the same few hundred bytes however many samples there are.
 *
 * doc/statistics.md has the formulas, what they assume, when they fail, and how often they held.
 * Nothing here allocates or fails; a tally is its caller's, and no two threads may change one at
 * once. What cannot be estimated is NaN: with no sample below the line, or a single one, there is
 * neither a value nor an interval.
 */
#ifndef PLUMB_ESTIMATE_H
#define PLUMB_ESTIMATE_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Adding up ------------------------------------------------------------------------------- */

#define PLUMB_TALLY_BATCHES 64

/* A batch is a run of samples that follow each other. */
struct plumb_tally_batch {
	double above, below;
};

/* All zero is an empty tally. Its members are for the functions here. */
struct plumb_tally {
	uint64_t samples; /* all that were added */
	uint64_t members; /* those with something below the line */
	/* Sums of powers: above^i * below^j is at [i][j]; [0][0] is not used. */
	double powers[4][4];
	/* Of each sample and the one before it: the products of what differs. */
	uint64_t pairs;
	double steps_above, steps_both, steps_below;
	double first[2], last[2];
	struct plumb_tally_batch
		batches[PLUMB_TALLY_BATCHES + 1]; /* the last one is being filled */
	uint64_t batch_size, filled;
	unsigned batch_count;
};

/* Adds a sample, in the order in which they were taken; of a CPU, or of a thread. */
PLUMB_API void plumb_tally_add(struct plumb_tally *tally, double above, double below);
/*
 * Adds the samples of `next`. With `follows` they come directly after those of `tally`, as when
 * several threads read one recording; without, they are of another CPU or thread.
 */
PLUMB_API void plumb_tally_join(struct plumb_tally *tally, const struct plumb_tally *next,
				bool follows);

/* ---- How it was sampled ---------------------------------------------------------------------- */

enum plumb_spread {
	/*
	 * How far the value would go in another run of the sampler over the same program, with its
	 * phases where they were. From how samples differ from the next one.
	 */
	PLUMB_SPREAD_LOCAL,
	/*
	 * How far it would go if phases were chance, too, and if a loop ran in step with the
	 * sampler. From how batches differ: wider, and right where the other fails.
	 */
	PLUMB_SPREAD_BATCHES,
};

/* All zero: nothing is known of it, and PLUMB_SPREAD_LOCAL. */
struct plumb_sampling {
	double interval;     /* operations between two samples, on average; 0: not known */
	double perturbation; /* it is uniform over so many operations: 256 with jitter=1; 0: none */
	/*
	 * What part of the samples a filter took out before they were recorded, or was left out
	 * here: 1 - SAMPLE_FILTRATE / SAMPLE_FEED. 1 if there was a filter and nobody knows.
	 */
	double filtered;
	enum plumb_spread spread;
};

/*
 * What plumb_sampling.interval is for a period of arm_spe: with jitter the unit adds 0 to 255
 * operations to each.
 */
PLUMB_API struct plumb_sampling plumb_sampling_of_spe(uint64_t period, bool jitter);

/* ---- Estimates ------------------------------------------------------------------------------- */

struct plumb_estimate {
	double value;
	double low, high; /* its 95 % interval; NaN with the value */
	uint64_t samples; /* that it rests on: members of the tally */
	/*
	 * How much more batches differ than samples that follow each other would make them: about
	 * 1 if all is well. More says that the program has phases, or that a loop runs in step with
	 * the sampler, which samples alone cannot tell apart. NaN: too few samples to say.
	 */
	double clumping;
};

/* From this on, clumping is worth a word: chance alone reaches it less than once in a thousand. */
#define PLUMB_CLUMPING_NOTABLE 2.0

/* `sampling` may be NULL. Of a quotient between 0 and 1; its interval stays in there, and has a
 * width even if all or none of the samples had the property. */
PLUMB_API struct plumb_estimate plumb_estimate_share(const struct plumb_tally *tally,
						     const struct plumb_sampling *sampling);
/* Of a quotient of any size: a mean. What is tallied above the line is taken to be whole numbers,
 * such as cycles: the interval is no narrower than their rounding makes it. */
PLUMB_API struct plumb_estimate plumb_estimate_mean(const struct plumb_tally *tally,
						    const struct plumb_sampling *sampling);
/*
 * `hits` of `total` samples, where it is not known what came after what: filtered records as a
 * share of all samples taken, SAMPLE_FEED. The interval is too wide rather than too narrow if the
 * program has phases. Of samples with the weights that collisions give them, `hits` is their sum
 * times SAMPLE_FEED / (SAMPLE_FEED + SAMPLE_COLLISION). NaN if total < 2 or hits > total.
 */
PLUMB_API struct plumb_estimate plumb_estimate_share_of(double hits, uint64_t total);

/*
 * A share in operations: of `population` (SAMPLE_POP; INST_RETIRED where the population is
 * instructions) if that was counted, that is, is not 0; else of samples * interval, whose own
 * uncertainty is added. `samples` are those below the line before any filter: SAMPLE_FEED and
 * SAMPLE_COLLISION together. NaN if neither is known.
 */
PLUMB_API struct plumb_estimate plumb_estimate_total(const struct plumb_estimate *share,
						     const struct plumb_sampling *sampling,
						     uint64_t samples, uint64_t population);

/* ---- Collisions ------------------------------------------------------------------------------ */

/*
 * A sample is lost when the one before it is still in flight. That depends on the latency of the
 * one before, not on its own, so where all operations are alike it does no harm. But it happens
 * where latencies are long, so that such phases have too few samples. To make up for it, the next
 * few samples stand for those that were lost, too: they come from where these would have, and did
 * not cause their loss.
 *
 * Which ones those are is not recorded; how many were lost is (SAMPLE_COLLISION). They are put down
 * to the longest latencies: a latency of `reach` cycles loses one sample, of twice that two, with
 * `reach` such that the sum is right.
 */
struct plumb_collisions {
	double reach; /* cycles; infinite: nothing was lost */
	double scale; /* so that the sum is that which was counted, and would have been recorded */
	double owed;  /* lost ones that no sample stands for yet; of plumb_collisions_weigh() */
};

/*
 * From how many samples had each total latency, 0 to 4095 cycles, and how many were lost.
 * `passed` is the part of samples that pass the filter, SAMPLE_FILTRATE / SAMPLE_FEED; 1 without
 * one: of the lost ones no more would have been recorded. If no latency is recorded nothing can be
 * put down to it: then `reach` is infinite.
 */
PLUMB_API struct plumb_collisions plumb_collisions_fit(const uint64_t latencies[4096],
						       uint64_t lost, double passed);
/*
 * How many samples this one stands for, itself included; `latency` is its own, which counts for
 * those after it. To be called once for each, in their order. Multiply what is tallied by it, above
 * and below the line.
 */
PLUMB_API double plumb_collisions_weigh(struct plumb_collisions *collisions, unsigned latency);

#ifdef __cplusplus
}
#endif

#endif
