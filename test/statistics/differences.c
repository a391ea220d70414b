/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often plumb diff finds a change where there is none, and how often it
 * finds one that is there: pairs of samplings of the same program with other
 * seeds, and pairs of repeated runs drawn from the same values. Of each metric,
 * at most 5 % of the pairs may have a p of 5 % or less, and at most 5 % of the
 * pairs may have any change left after all comparisons are accounted for; three
 * standard errors are added, 0.7 points with 10,000 pairs.
 *
 *     differences [PAIRS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "profile/estimate.h"
#include "spe.h"

#define FUNCTIONS  16
#define RARE       4 /* more functions, with one or two samples each */
#define OPERATIONS ((size_t)1 << 20)
#define INTERVAL   1024
#define METRICS    40

/* ---- Random numbers
 * ---------------------------------------------------------------------------
 */

/* SplitMix64. */
static uint64_t random_state;

static uint64_t random_word(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* In (0, 1). */
static double random_unit(void)
{
	return ((double)(random_word() >> 11) + 0.5) * 0x1p-53;
}

static double random_normal(void)
{
	const double u = random_unit(), v = random_unit();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* ---- Counting what is found
 * -------------------------------------------------------------------
 */

/* Of all pairs so far. */
struct found {
	unsigned pairs, any; /* with any change in any view, adjusted */
	char names[3 * METRICS][64];
	unsigned metrics[3 * METRICS]; /* with p of 5 % or less, by the order of the
					  items */
	size_t metric_count;
	unsigned changed; /* in which what did change was found, adjusted */
};

/* Returns the number of a metric, the same in all pairs. */
static size_t metric_of(const struct diff_key *key, struct found *found)
{
	char name[64];
	size_t i = 0;

	snprintf(name, sizeof(name), "%s %s", key->name, key->of);
	while (i < found->metric_count && strcmp(found->names[i], name) != 0)
		i++;
	if (i == found->metric_count) {
		if (i == sizeof(found->names) / sizeof(*found->names))
			exit(1);
		strcpy(found->names[found->metric_count++], name);
	}
	return i;
}

static const char *const no_function = "";

/* Compares two sides. `what` names the function or metric that did change. */
static void count_pair(const struct diff_side *a, const struct diff_side *b, const char *what,
		       struct found *found)
{
	bool any = false, changed = false;
	struct diff *diff;

	if (diff_compare(a, b, &(struct diff_options){.unmatched = true}, &diff) < 0)
		exit(1);
	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];
		const size_t metric = metric_of(&change->key, found);

		found->metrics[metric] += change->p <= NOISE_LEVEL;
		any |= change->real;
		changed |= change->real && strcmp(change->key.name, what) == 0;
	}
	found->pairs++;
	found->any += any;
	found->changed += changed;
	diff_free(diff);
}

static double percent(unsigned part, unsigned whole)
{
	return 100.0 * part / whole;
}

/* Returns the largest share of pairs that a metric was found to change in. */
static double worst(const struct found *found)
{
	unsigned most = 0;

	for (size_t i = 0; i < found->metric_count; i++)
		most = found->metrics[i] > most ? found->metrics[i] : most;
	return percent(most, found->pairs);
}

static double mean(const struct found *found)
{
	double sum = 0;

	for (size_t i = 0; i < found->metric_count; i++)
		sum += percent(found->metrics[i], found->pairs);
	return sum / (double)found->metric_count;
}

/* Returns 5 % and this many standard errors, in percent: 5.7 for three and 10,000 pairs. */
static double allowed(unsigned pairs, double errors)
{
	return 5 + errors * 100 * sqrt(0.05 * 0.95 / pairs);
}

/* Of forty metrics and more, the worst of few pairs is often more than three standard errors off.
 */
static bool is_right(const struct found *found)
{
	return worst(found) <= allowed(found->pairs, found->pairs < 10000 ? 4 : 3) &&
	       percent(found->any, found->pairs) <= allowed(found->pairs, 3);
}

/* ---- Sampled programs
 * -------------------------------------------------------------------------
 */

static struct operation {
	uint8_t function, latency;
	bool load, miss;
} operations[OPERATIONS];
static size_t operation_count;

/*
 * Makes a program: calls of functions of some operations each, in random order
 * or in phases, the same every time. Function 3 has so many percent of all
 * operations more than in the program without.
 */
static void make_program(bool phased, double more)
{
	const size_t calls = 12000;

	random_state = 7;
	operation_count = 0;
	for (size_t call = 0; call < calls; call++) {
		const double u = random_unit();
		/* Large ones and small ones: squares. */
		const bool is_rare = call % 120 == 5;
		const unsigned function =
			is_rare  ? (unsigned)(FUNCTIONS + call / 120 % RARE)
			: phased ? (unsigned)(call * 3 * FUNCTIONS / calls) % FUNCTIONS
				 : (unsigned)(u * u * FUNCTIONS);
		unsigned length = 20 + (unsigned)(random_word() % 80);
		const double share = phased ? 1.0 / FUNCTIONS
					    : sqrt((function + 1.0) / FUNCTIONS) -
						      sqrt(function * 1.0 / FUNCTIONS);

		if (function == 3)
			length += (unsigned)(length * more / 100 / share + random_unit());
		else
			random_unit();
		for (unsigned i = 0; i < length && operation_count < OPERATIONS; i++) {
			struct operation *operation = &operations[operation_count++];
			/* What an operation does depends on its place, not on how many there are.
			 */
			const uint64_t word =
				(i * 2654435761u ^ call * 40503u) * UINT64_C(0x9e3779b97f4a7c15) >>
				32;

			operation->function = (uint8_t)function;
			operation->load = word % 4 == 0;
			operation->miss = operation->load && word / 4 % 64 < function;
			operation->latency =
				(uint8_t)(operation->miss ? 60 + word / 256 % 60
							  : 2 + word / 256 % (4 + function / 2));
		}
	}
}

static struct interval scaled(const struct estimate *estimate, double by)
{
	return (struct interval){estimate->value * by, estimate->low * by, estimate->high * by};
}

static void add(struct diff_side *side, enum diff_view view, const char *name, const char *of,
		struct interval value)
{
	struct diff_item *item =
		diff_side_add(side, &(struct diff_key){view, name, of, ""}, &value, false);

	if (!item)
		exit(1);
	item->additive = strcmp(of, "spe_latency") == 0 || strcmp(of, "spe_operations") == 0;
}

struct function {
	const struct tally *share, *latency, *rate;
	const struct sampling *sampling;
	double population;
};

/* Adds what is compared of a function, as diff/recorded.c does. */
static void add_function(struct diff_side *side, unsigned number, const struct function *function)
{
	const struct estimate share = estimate_share(function->share, function->sampling);
	const struct estimate latency = estimate_mean(function->latency, function->sampling);
	const struct estimate rate = estimate_share(function->rate, function->sampling);
	const struct interval part = scaled(&share, 1), skewed = scaled(&latency, 1);
	const struct interval mean = interval_symmetric(&skewed);
	const struct interval product = interval_product(&part, &mean);
	const double population = function->population;
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	if (product.value > 0)
		add(side, DIFF_FUNCTIONS, name, "spe_latency",
		    (struct interval){product.value * population, product.low * population,
				      product.high * population});
	if (!isnan(mean.low))
		add(side, DIFF_FUNCTIONS, name, "spe_mean_latency", mean);
	if (!isnan(rate.low))
		add(side, DIFF_FUNCTIONS, name, "spe_l1d_miss_rate", scaled(&rate, 100));
	add(side, DIFF_FUNCTIONS, name, "spe_operations", scaled(&share, population));
}

/* Samples the program, as plumb record does, and makes the estimates of
 * diff/recorded.c. */
static struct diff_side *sample(uint64_t seed)
{
	static struct tally shares[FUNCTIONS + RARE], latencies[FUNCTIONS + RARE],
		rates[FUNCTIONS + RARE], whole, misses;
	const struct sampling sampling = sampling_of_spe(INTERVAL, true);
	const struct spe_params params = {
		.min_interval = 256, .count_bits = 12, .record_bytes = 64};
	const struct spe_control control = {.interval = INTERVAL,
					    .random = true,
					    .seed = seed,
					    .frequency_mhz = 1000,
					    .discard = true};
	struct diff_side *side = diff_side_new("side");
	struct diff_quantity *quantity;
	struct spe_unit unit;
	struct interval skewed, mean;
	struct estimate estimate;
	uint64_t at = 0;
	bool seen[FUNCTIONS + RARE] = {false};
	double n = 0, population;

	memset(shares, 0, sizeof(shares));
	memset(latencies, 0, sizeof(latencies));
	memset(rates, 0, sizeof(rates));
	memset(&whole, 0, sizeof(whole));
	memset(&misses, 0, sizeof(misses));
	spe_begin(&unit, &params, &control);
	while (unit.left <= operation_count - at) {
		const struct operation *operation = &operations[at + unit.left - 1];

		at += unit.left;
		spe_pass(&unit, unit.left - 1);
		if (!spe_choose(&unit, at * 1000000))
			continue;
		spe_complete(&unit, &(struct spe_sample){.dispatched = at * 1000000});
		for (unsigned f = 0; f < FUNCTIONS + RARE; f++) {
			const bool own = f == operation->function;

			seen[f] |= own;
			tally_add(&shares[f], own, 1);
			tally_add(&latencies[f], own ? operation->latency : 0, own);
			tally_add(&rates[f], own && operation->miss, own && operation->load);
		}
		tally_add(&whole, operation->latency, 1);
		tally_add(&misses, operation->miss, operation->load);
		n++;
	}
	population = n * sampling.interval;
	estimate = estimate_mean(&whole, &sampling);
	skewed = scaled(&estimate, 1);
	mean = interval_symmetric(&skewed);
	diff_side_begin_run(side);
	for (unsigned k = 0; k < 2; k++) {
		const char *of = k ? "spe_operations" : "spe_latency";

		quantity = diff_side_quantity(side, of);
		quantity->runs = 1;
		quantity->whole = k ? population : population * mean.value;
		quantity->zero_high = quantity->whole * unseen_share(k ? n : equal_draws(n, &mean));
	}
	for (unsigned f = 0; f < FUNCTIONS + RARE; f++)
		if (seen[f])
			add_function(side, f,
				     &(struct function){&shares[f], &latencies[f], &rates[f],
							&sampling, population});
	add(side, DIFF_EVENTS, "spe_mean_latency", "", mean);
	estimate = estimate_share(&misses, &sampling);
	add(side, DIFF_EVENTS, "spe_l1d_miss_rate", "", scaled(&estimate, 100));
	if (diff_side_finish(side) < 0)
		exit(1);
	return side;
}

static bool try_samples(unsigned number, bool phased, unsigned pairs)
{
	static const double changes[] = {1, 2, 5};
	struct found found = {.pairs = 0}, power[3];
	struct diff_side *base[50];
	double worst_one, any;
	bool right;

	make_program(phased, 0);
	for (unsigned i = 0; i < pairs; i++) {
		struct diff_side *a = sample(2 * i + 1), *b = sample(2 * i + 2);

		count_pair(a, b, no_function, &found);
		diff_side_free(a);
		diff_side_free(b);
	}
	for (unsigned i = 0; i < 50; i++)
		base[i] = sample(1000000 + i);
	memset(power, 0, sizeof(power));
	for (unsigned c = 0; c < 3; c++) {
		make_program(phased, changes[c]);
		for (unsigned i = 0; i < 1000 && i < pairs; i++) {
			struct diff_side *b = sample(2000000 + i);

			count_pair(base[i % 50], b, "f3", &power[c]);
			diff_side_free(b);
		}
	}
	for (unsigned i = 0; i < 50; i++)
		diff_side_free(base[i]);
	worst_one = worst(&found);
	any = percent(found.any, found.pairs);
	right = is_right(&found);
	printf("# a function with 1, 2, 5 %% of all more was found in %.1f, %.1f, "
	       "%.1f %% of "
	       "pairs\n",
	       percent(power[0].changed, power[0].pairs), percent(power[1].changed, power[1].pairs),
	       percent(power[2].changed, power[2].pairs));
	printf("%sok %u - SPE, %s: %u pairs of %zu metrics: each changed in %.1f %% "
	       "on average, "
	       "%.1f at most; any, adjusted: %.1f\n",
	       right ? "" : "not ", number, phased ? "phases" : "calls", pairs, found.metric_count,
	       mean(&found), worst_one, any);
	fflush(stdout);
	return right;
}

/* ---- Repeated runs
 * ----------------------------------------------------------------------------
 */

/* How counts vary from run to run, as a part of themselves, with a standard
 * deviation of about 1 %.
 */
static double draw(unsigned shape)
{
	switch (shape) {
	case 0: /* normal */
		return 0.01 * random_normal();
	case 1: /* a long tail: now and then something interrupts */
		return 0.007 * (exp(0.9 * random_normal()) - 1);
	case 2: /* two ways to be placed in memory */
		return (random_word() & 1 ? 0.01 : -0.01) + 0.001 * random_normal();
	default: /* few different values */
		return 0.01 * round(1.5 * random_normal());
	}
}

static const char *const shapes[] = {"normal", "long-tailed", "bimodal", "coarse"};

/* Runs of a program with 40 metrics. Half of a metric's noise is that of the
 * run as a whole. */
static struct diff_side *repeat(unsigned shape, unsigned runs, double more)
{
	struct diff_side *side = diff_side_new("side");

	for (unsigned run = 0; run < runs; run++) {
		const double common = draw(shape);

		diff_side_begin_run(side);
		for (unsigned m = 0; m < METRICS; m++) {
			char name[16];
			/* Some go up where others go down. */
			double value =
				1000 * (1 + (m & 1 ? common : -common) * 0.7 + draw(shape) * 0.7);

			snprintf(name, sizeof(name), "m%u", m);
			if (m == 3)
				value *= 1 + more / 100;
			add(side, DIFF_METRICS, name, "", (struct interval){value, NAN, NAN});
		}
	}
	if (diff_side_finish(side) < 0)
		exit(1);
	return side;
}

static void count_repeats(unsigned shape, unsigned runs, double more, unsigned pairs,
			  struct found *found)
{
	for (unsigned i = 0; i < pairs; i++) {
		struct diff_side *a = repeat(shape, runs, 0), *b = repeat(shape, runs, more);

		count_pair(a, b, more > 0 ? "m3" : no_function, found);
		diff_side_free(a);
		diff_side_free(b);
	}
}

static bool try_repeats(unsigned number, unsigned shape, unsigned runs, unsigned pairs)
{
	static const double changes[] = {1, 2, 5};
	struct found found = {.pairs = 0}, power[3];
	double worst_one, any;
	bool right;

	random_state = number;
	count_repeats(shape, runs, 0, pairs, &found);
	memset(power, 0, sizeof(power));
	for (unsigned c = 0; c < 3; c++)
		count_repeats(shape, runs, changes[c], pairs < 1000 ? pairs : 1000, &power[c]);
	worst_one = worst(&found);
	any = percent(found.any, found.pairs);
	right = is_right(&found);
	printf("# 1 metric of 40 with 1, 2, 5 %% more was found in %.1f, %.1f, %.1f "
	       "%% of pairs\n",
	       percent(power[0].changed, power[0].pairs), percent(power[1].changed, power[1].pairs),
	       percent(power[2].changed, power[2].pairs));
	printf("%sok %u - %u and %u runs, %s noise of 1 %%: %u pairs of %zu metrics: "
	       "each changed "
	       "in %.1f %% on average, %.1f at most; any, adjusted: %.1f\n",
	       right ? "" : "not ", number, runs, runs, shapes[shape], pairs, found.metric_count,
	       mean(&found), worst_one, any);
	fflush(stdout);
	return right;
}

int main(int argc, char **argv)
{
	static const unsigned runs[] = {5, 8, 12};
	const unsigned pairs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10000;
	unsigned number = 0;
	bool right = true;

	for (int phased = 0; phased < 2; phased++)
		right &= try_samples(++number, phased, pairs);
	for (unsigned shape = 0; shape < 4; shape++)
		for (unsigned i = 0; i < 3; i++)
			right &= try_repeats(++number, shape, runs[i], pairs);
	printf("1..%u\n", number);
	return !right;
}
