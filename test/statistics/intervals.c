/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the intervals cover the truth: the model's SPE unit samples programs whose every
 * operation is known, a thousand times each with another seed, and each time the estimates are made
 * of its records. 95 % of the intervals should hold what they are of; 93.5 to 96.5 % must.
 *
 *     intervals [FIRST-SEED [RUNS]]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/spe.h>

#include "populations.h"
#include "profile/estimate.h"
#include "spe.h"
#include "spe/stream.h"

#define OPERATIONS (UINT64_C(1) << 21)
#define LATENCIES  4096
#define TOLERANCE  1.5
#define CODE       UINT64_C(0x400000) /* where the first operation is */
/* So many runs of each kind write their records, which are read again; the others count them. */
#define WRITTEN 10

/* How the unit is asked to sample, and what is made of it. */
struct setting {
	const char *name;
	uint64_t operations; /* of the population, from its beginning */
	uint32_t interval;
	bool loads;           /* filter */
	uint16_t min_latency; /* filter */
	bool collide;         /* operations are in flight as long as they take; else not at all */
	bool uncorrected;     /* ... and nobody minds */
	bool at_end;          /* ERnd */
	enum spread spread;
	const char *only; /* shown only, of this population */
};

static const struct setting settings[] = {
	{"all", OPERATIONS, 1024, .loads = false},
	{"loads", OPERATIONS, 1024, .loads = true},
	{"latency >= 8", OPERATIONS, 1024, .min_latency = 8},
	{"collisions", OPERATIONS / 2, 256, .collide = true},
	{"loads, collisions", OPERATIONS / 2, 256, .loads = true, .collide = true},
	{"uncorrected", OPERATIONS / 2, 256, .collide = true, .uncorrected = true,
	 .only = "memory phases"},
	{"batches", OPERATIONS, 1024, .spread = SPREAD_BATCHES, .only = "four phases"},
	{"batches", OPERATIONS, 1024, .spread = SPREAD_BATCHES, .only = "resonance"},
	{"ERnd", OPERATIONS, 1024, .at_end = true, .only = "loop of 1024"},
};

/* What is asked of the samples. */
enum question {
	MISSES,          /* share of samples that are loads that miss */
	MISSES_OF_LOADS, /* share of the loads */
	MISSES_OF_TIME,  /* share of all latency */
	LATENCY,         /* mean */
	LATENCY_OF_MISSES,
	MISSES_OF_TAKEN, /* share of all samples, those filtered out included */
	QUESTIONS,
};

static const char *const question_names[] = {
	"miss/all", "miss/load", "miss/latency", "mean", "mean miss", "miss/taken",
};

static struct operation operations[OPERATIONS];

static void make_operations(const struct population *population)
{
	double cycle = 0;

	for (uint64_t i = 0; i < OPERATIONS; i++) {
		struct operation *operation = &operations[i];

		*operation = (struct operation){0};
		population->make(operation, i, OPERATIONS);
		operation->cycle = (uint32_t)cycle;
		/* Four a cycle, and a 256th of what a miss takes is not hidden. */
		cycle += 0.25 + (operation->miss ? operation->latency / 256.0 : 0);
	}
}

static unsigned seen_latency(const struct operation *operation)
{
	return operation->latency < LATENCIES ? operation->latency : LATENCIES - 1;
}

static bool passes(const struct setting *setting, const struct operation *operation)
{
	return (!setting->loads || operation->kind == LOAD) &&
	       seen_latency(operation) >= setting->min_latency;
}

/* What a sample adds above and below the line. */
static void answer(enum question question, const struct operation *operation, double *above,
		   double *below)
{
	bool load = operation->kind == LOAD, miss = load && operation->miss;
	double latency = seen_latency(operation);

	switch (question) {
	case MISSES_OF_LOADS:
		*above = miss;
		*below = load;
		break;
	case MISSES_OF_TIME:
		*above = miss ? latency : 0;
		*below = latency;
		break;
	case LATENCY:
		*above = latency;
		*below = 1;
		break;
	case LATENCY_OF_MISSES:
		*above = miss ? latency : 0;
		*below = miss;
		break;
	default:
		*above = miss;
		*below = 1;
	}
}

/* Of all operations that pass the filter; of MISSES_OF_TAKEN, below the line all there are. */
static void find_truths(const struct setting *setting, double truths[QUESTIONS])
{
	double above[QUESTIONS] = {0}, below[QUESTIONS] = {0}, a, b;

	for (uint64_t i = 0; i < setting->operations; i++) {
		bool pass = passes(setting, &operations[i]);

		for (enum question q = 0; q < QUESTIONS; q++) {
			answer(q, &operations[i], &a, &b);
			above[q] += pass ? a : 0;
			below[q] += pass || q == MISSES_OF_TAKEN ? b : 0;
		}
	}
	for (enum question q = 0; q < QUESTIONS; q++)
		truths[q] = above[q] / below[q];
}

/* One run of the sampler: what it tracked and what passed, in order. */
struct run {
	const struct operation *records[OPERATIONS / 256];
	size_t count;
	struct spe_counts counts;
};

/* What was written are the operations of the run. */
static bool equals_records(const struct run *run, const uint8_t *bytes, size_t size)
{
	struct plumb_spe_stream stream;
	struct plumb_spe_record record;
	size_t count = 0;

	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, bytes, size);
	while (spe_stream_next(&stream, &record)) {
		uint64_t pc = plumb_spe_code_address(record.addresses[PLUMB_SPE_PC]);
		const struct operation *operation = &operations[(pc - CODE) / 4];

		if (count >= run->count || operation != run->records[count++] ||
		    record.counters[PLUMB_SPE_TOTAL_LATENCY] != seen_latency(operation))
			return false;
	}
	plumb_spe_stream_end(&stream);
	return count == run->count && stream.lost.skipped == 0 && stream.lost.unfinished == 0;
}

/* Returns whether the records, if they were `written`, are right. */
static bool sample(const struct setting *setting, uint64_t seed, bool written, struct run *run)
{
	static uint8_t buffer[OPERATIONS / 256 * 64 + 64];
	static const uint8_t classes[] = {
		[OTHER] = PLUMB_SPE_OTHER,
		[LOAD] = PLUMB_SPE_LOAD_STORE,
		[STORE] = PLUMB_SPE_LOAD_STORE,
		[BRANCH] = PLUMB_SPE_BRANCH,
	};
	const struct spe_params params = {
		.random_at_end = setting->at_end,
		.min_interval = 256,
		.count_bits = 12,
		.record_bytes = 64,
	};
	const struct spe_control control = {
		.interval = setting->interval,
		.random = true,
		.seed = seed,
		.frequency_mhz = 1000,
		.loads = setting->loads,
		.min_latency = setting->min_latency,
		.discard = !written,
	};
	struct spe_unit unit;
	uint64_t at = 0;

	run->count = 0;
	spe_begin(&unit, &params, &control);
	spe_set_buffer(&unit, buffer, sizeof(buffer));
	while (unit.left <= setting->operations - at) {
		const struct operation *operation = &operations[at + unit.left - 1];
		uint64_t before = unit.counts.recorded;

		at += unit.left;
		spe_pass(&unit, unit.left - 1);
		if (!spe_choose(&unit, setting->collide ? operation->cycle : at * 1000000))
			continue;
		spe_complete(&unit, &(struct spe_sample){
					    .pc = CODE + 4 * (uint64_t)(operation - operations),
					    .op_class = classes[operation->kind],
					    .load = operation->kind == LOAD,
					    .store = operation->kind == STORE,
					    .dispatched = operation->cycle,
					    .completed = operation->cycle + operation->latency,
					    .retired = setting->collide ? operation->cycle +
										  operation->latency
									: 0,
				    });
		if (unit.counts.recorded > before)
			run->records[run->count++] = operation;
	}
	run->counts = unit.counts;
	return !written || equals_records(run, buffer, (size_t)(unit.at - buffer));
}

static void estimate(const struct setting *setting, const struct run *run,
		     struct estimate estimates[QUESTIONS])
{
	struct sampling sampling = sampling_of_spe(setting->interval, true);
	static uint64_t latencies[LATENCIES];
	struct tally tallies[QUESTIONS] = {0};
	struct collisions collisions;
	double passed = (double)run->counts.recorded / (double)run->counts.taken, hits = 0;

	sampling.spread = setting->spread;
	sampling.filtered = 1 - passed;
	for (unsigned i = 0; i < LATENCIES; i++)
		latencies[i] = 0;
	for (size_t i = 0; i < run->count; i++)
		latencies[seen_latency(run->records[i])]++;
	collisions = collisions_fit(latencies, setting->uncorrected ? 0 : run->counts.collisions,
				    passed);
	for (size_t i = 0; i < run->count; i++) {
		unsigned latency = seen_latency(run->records[i]);
		double weight = collisions_weigh(&collisions, latency);

		if (run->records[i]->kind == LOAD && run->records[i]->miss)
			hits += weight;
		for (enum question q = 0; q < MISSES_OF_TAKEN; q++) {
			double above, below;

			answer(q, run->records[i], &above, &below);
			tally_add(&tallies[q], above * weight, below * weight);
		}
	}
	for (enum question q = 0; q < MISSES_OF_TAKEN; q++)
		estimates[q] = (q == LATENCY || q == LATENCY_OF_MISSES
					? estimate_mean
					: estimate_share)(&tallies[q], &sampling);
	estimates[MISSES_OF_TAKEN] =
		estimate_share_of(hits * (double)run->counts.taken /
					  (double)(run->counts.taken + run->counts.collisions),
				  run->counts.taken);
}

/* What came out of all runs. */
struct outcome {
	double samples, collisions, clumping; /* means */
	double covered[QUESTIONS];            /* percent */
	bool read_right;                      /* the records that were written */
};

static struct outcome run_all(const struct setting *setting, uint64_t first, unsigned runs)
{
	static struct run run;
	struct outcome outcome = {.read_right = true};
	double truths[QUESTIONS];

	find_truths(setting, truths);
	for (unsigned i = 0; i < runs; i++) {
		struct estimate estimates[QUESTIONS];

		if (!sample(setting, first + i, i < WRITTEN, &run))
			outcome.read_right = false;
		estimate(setting, &run, estimates);
		outcome.samples += (double)run.count / runs;
		outcome.collisions += (double)run.counts.collisions / runs;
		outcome.clumping += estimates[LATENCY].clumping / runs;
		for (enum question q = 0; q < QUESTIONS; q++) {
			if (estimates[q].low <= truths[q] && truths[q] <= estimates[q].high)
				outcome.covered[q] += 100.0 / runs;
		}
	}
	return outcome;
}

static bool within(double percent, double tolerance)
{
	return fabs(percent - 95) <= tolerance + 1e-9;
}

/*
 * Shares and means within the tolerance, each all together; and none of them far off: of so many
 * figures of a thousand runs each, chance alone takes a few past the tolerance.
 */
static bool is_right(const struct population *population, const struct setting *setting,
		     const struct outcome *outcome)
{
	const double *covered = outcome->covered;
	double shares = (covered[MISSES] + covered[MISSES_OF_LOADS] + covered[MISSES_OF_TIME]) / 3;
	double means = (covered[LATENCY] + covered[LATENCY_OF_MISSES]) / 2;
	bool right = outcome->read_right && within(shares, TOLERANCE) && within(means, TOLERANCE);

	for (enum question q = 0; q < MISSES_OF_TAKEN; q++)
		right = right && within(covered[q], TOLERANCE + 1);
	if (setting->loads || setting->min_latency > 0) {
		double taken = covered[MISSES_OF_TAKEN];

		/* In phases it is too wide rather than too narrow, and with collisions it is off.
		 */
		right = right && (within(taken, TOLERANCE + 1) ||
				  (population->phased && (taken > 95 || setting->collide)));
	}
	return right;
}

static void print_figures(const struct setting *setting, const struct outcome *outcome)
{
	printf("# %-18s %7.0f %6.0f %8.2f ", setting->name, outcome->samples, outcome->collisions,
	       outcome->clumping);
	for (enum question q = 0; q < QUESTIONS; q++) {
		if (q == MISSES_OF_TAKEN && !setting->loads && setting->min_latency == 0)
			printf("%*s", (int)strlen(question_names[q]) + 2, "-");
		else
			printf("%*.1f", (int)strlen(question_names[q]) + 2, outcome->covered[q]);
	}
	printf("\n");
}

static void print_head(void)
{
	printf("# %-18s %7s %6s %8s ", "", "samples", "lost", "clumping");
	for (enum question q = 0; q < QUESTIONS; q++)
		printf("  %s", question_names[q]);
	printf("\n");
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000;
	unsigned number = 0, wrong = 0;

	printf("# coverage of 95 %% intervals, %u runs from seed %" PRIu64 " on\n", runs, first);
	print_head();
	for (const struct population *p = populations; p->name; p++) {
		bool right = true;

		printf("# %s\n", p->name);
		make_operations(p);
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
			const struct setting *setting = &settings[i];
			struct outcome outcome;

			if (setting->only && strcmp(setting->only, p->name) != 0)
				continue;
			outcome = run_all(setting, first, runs);
			print_figures(setting, &outcome);
			if (!setting->only && !p->shown_only)
				right = is_right(p, setting, &outcome) && right;
		}
		if (p->shown_only)
			continue;
		number++;
		wrong += !right;
		printf("%sok %u - %s\n", right ? "" : "not ", number, p->name);
		fflush(stdout);
	}
	printf("1..%u\n", number);
	return wrong > 0;
}
