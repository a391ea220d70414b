/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often plumb annotate puts the guilty line first from SPE samples. A recording with a record
 * for every operation is sampled again, as the model's unit would with other seeds; the exact
 * profile of the same program has the truth.
 *
 *     ranks NAME EXACT EVERY RUNS [uncertain]
 *
 * Prints one test. It passes if a line whose exact share is ten points above the next comes first
 * in 99 % of the runs, unless it is "uncertain" because the samples are few, and if a wrong line
 * comes first without a mark in 1 % at most, and if the interval of the true first line has its
 * exact share in 90 % of those in which it has one: with too few samples it has none, and is
 * marked. A line is also marked if its interval overlaps the next one's. Its function must
 * likewise come first in 99 % if its exact share is ten points above the next one's. In how many
 * runs its share is ten points off is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/annotate.h>

#include "spe.h"

#define PERIOD  1024
#define RUNS    1000
#define LEAD    0.10 /* of the guilty line */
#define FEW     0.01 /* of the runs may be wrong */
#define MISSED  0.10 /* ... without the exact share in the 95 % interval */
#define FAR     0.10 /* from the exact share of the function */
#define SOONEST 2048 /* more operations than between two samples */

static _Noreturn void give_up(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* A recording, and what its records make of the process. */
struct input {
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_samples *samples;
};

static void open_input(struct input *input, const char *path)
{
	const struct plumb_recording_options how = {.size = sizeof(how)};
	const struct plumb_symbol_paths paths = {.size = sizeof(paths)};
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_TASKS, .each_record_once = true};

	if (plumb_recording_open(path, &how, &input->recording, NULL) < 0 ||
	    plumb_symbolizer_new(&paths, &input->symbolizer) < 0)
		give_up(path);
	plumb_symbolizer_origin(input->symbolizer, input->recording);
	if (plumb_samples_begin(input->recording, &options, &input->samples, NULL) < 0)
		give_up(path);
}

static void close_input(struct input *input)
{
	plumb_samples_end(input->samples);
	plumb_symbolizer_free(input->symbolizer);
	plumb_recording_close(input->recording);
}

static struct plumb_annotation *new_annotation(const struct input *input)
{
	const struct plumb_cost_core *core =
		plumb_cost_core(plumb_recording_midr(input->recording, -1));
	const struct plumb_annotation_options options = {
		.size = sizeof(options),
		.mispredict_cycles = core ? plumb_cost_mispredict(core) : 0,
		.core = core,
	};
	struct plumb_annotation *annotation;

	if (plumb_annotation_new(&options, input->recording, input->symbolizer, &annotation) < 0)
		give_up("out of memory");
	return annotation;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The first two lines of a function. */
struct first {
	double function, next_function; /* shares of the function, and of the one after it */
	char file[512];
	unsigned line;
	double share, next; /* its share, and the next one's */
	double low, high, next_high;
};

static struct first first_of(const struct plumb_annotated_code *code)
{
	const struct plumb_annotated_line *best = NULL, *next = NULL;
	struct first first = {0};

	for (size_t i = 0; i < code->line_count; i++) {
		const struct plumb_annotated_line *line = &code->lines[i];

		if (!best || line->share > best->share) {
			next = best;
			best = line;
		} else if (!next || line->share > next->share) {
			next = line;
		}
	}
	if (!best)
		give_up("a function without lines");
	snprintf(first.file, sizeof(first.file), "%s", best->file ? best->file : "?");
	first.line = best->line;
	first.share = best->share;
	first.low = best->low;
	first.high = best->high;
	first.next = next ? next->share : 0;
	first.next_high = next ? next->high : 0;
	return first;
}

enum held { MISSES, HOLDS, UNKNOWN };

/* Tells whether the interval of the true first line has its exact share. */
static enum held holds(const struct plumb_annotated_code *code, const struct first *truth)
{
	for (size_t i = 0; i < code->line_count; i++) {
		const struct plumb_annotated_line *line = &code->lines[i];

		if (line->line == truth->line &&
		    strcmp(line->file ? line->file : "?", truth->file) == 0)
			return isnan(line->low)                                          ? UNKNOWN
			       : line->low <= truth->share && truth->share <= line->high ? HOLDS
											 : MISSES;
	}
	return MISSES;
}

static bool same_line(const struct first *a, const struct first *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/*
 * Finds a function by its name, or the first one, and sets its rank. Returns false if it has no
 * samples.
 */
static bool read_function(struct plumb_annotation *annotation, const char *name,
			  struct plumb_annotated_code *code, size_t *rank)
{
	struct plumb_annotated_function function;

	for (size_t i = 0; plumb_annotation_function(annotation, i, &function); i++) {
		if (name && strcmp(plumb_symbol_name(function.symbol), name) != 0)
			continue;
		if (plumb_annotation_code(annotation, i, code) < 0)
			give_up("no code");
		*rank = i;
		return true;
	}
	return false;
}

/* Returns the name of the hottest function and its first line. Free the name. */
static char *find_truth(const char *path, struct first *truth)
{
	const struct plumb_samples_item *item;
	struct plumb_annotation *annotation;
	struct plumb_annotated_function next = {0};
	struct plumb_annotated_code code;
	struct input input;
	size_t rank;
	char *name;

	open_input(&input, path);
	annotation = new_annotation(&input);
	while (plumb_samples_next(input.samples, &item) > 0)
		if (plumb_annotation_add(annotation, item) < 0)
			give_up("out of memory");
	if (plumb_annotation_finish(annotation) < 0 ||
	    !read_function(annotation, NULL, &code, &rank))
		give_up("no exact profile");
	*truth = first_of(&code);
	truth->function = code.function.share;
	plumb_annotation_function(annotation, 1, &next);
	truth->next_function = next.share;
	name = strdup(plumb_symbol_name(code.function.symbol));
	plumb_annotated_code_free(&code);
	plumb_annotation_free(annotation);
	close_input(&input);
	if (!name)
		give_up("out of memory");
	return name;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* A run of the sampler. */
struct run {
	struct plumb_annotation *annotation;
	struct spe_unit unit;
	struct run *next; /* that samples the same operation */
};

/* The runs by the operation that they sample next, modulo SOONEST. */
static struct run *due[SOONEST];

static void wait_for_next(struct run *run, uint64_t operation)
{
	struct run **at = &due[(operation + run->unit.left) % SOONEST];

	run->next = *at;
	*at = run;
}

static void begin_runs(struct run *runs, unsigned count, const struct input *input)
{
	static const struct spe_params params = {
		.min_interval = 1024, .count_bits = 12, .record_bytes = 64};

	for (unsigned i = 0; i < count; i++) {
		const struct spe_control control = {.interval = PERIOD,
						    .random = true,
						    .seed = i + 1,
						    .frequency_mhz = 1000,
						    .discard = true};

		runs[i].annotation = new_annotation(input);
		spe_begin(&runs[i].unit, &params, &control);
		wait_for_next(&runs[i], 0);
	}
}

/* Gives an operation to the runs that sample it. An instruction of several counts as one. */
static void pass_operation(uint64_t operation, const struct plumb_samples_item *item)
{
	struct run *run = due[operation % SOONEST], *next;

	due[operation % SOONEST] = NULL;
	for (; run; run = next) {
		next = run->next;
		spe_pass(&run->unit, run->unit.left - 1);
		if (spe_choose(&run->unit, operation)) {
			spe_complete(&run->unit, &(struct spe_sample){.retired = operation});
			if (plumb_annotation_add(run->annotation, item) < 0)
				give_up("out of memory");
		}
		wait_for_next(run, operation);
	}
}

static void redraw(struct run *runs, unsigned count, struct input *input)
{
	const struct plumb_samples_item *item;
	uint64_t operation = 0;

	begin_runs(runs, count, input);
	while (plumb_samples_next(input->samples, &item) > 0) {
		if (!item->spe) {
			if (plumb_annotation_add(runs[0].annotation, item) < 0)
				give_up("out of memory");
			continue;
		}
		pass_operation(++operation, item);
	}
}

/* ---- The study ------------------------------------------------------------------------------- */

/* If the function has no samples, as one of many may, what is shown first is judged. */
struct outcome {
	unsigned right, marked, wrong; /* wrong: without a mark */
	unsigned wrong_seed;           /* of the first such run */
	unsigned held, unknown;        /* the true line's interval has its exact share; has none */
	double share;                  /* the mean */
	unsigned first, far;           /* the function is, and its share is from the exact one */
	double function;               /* the mean share */
};

static struct outcome judge(struct run *runs, unsigned count, const char *name,
			    const struct first *truth)
{
	struct outcome outcome = {0};

	for (unsigned i = 0; i < count; i++) {
		struct plumb_annotated_code code;
		struct first first;
		bool right, marked;
		enum held held;
		size_t rank;

		if (plumb_annotation_finish(runs[i].annotation) < 0 ||
		    (!read_function(runs[i].annotation, name, &code, &rank) &&
		     !read_function(runs[i].annotation, NULL, &code, &rank)))
			give_up("no samples in any function");
		first = first_of(&code);
		right = same_line(&first, truth);
		marked = !(first.low > first.next_high);
		outcome.right += right;
		outcome.marked += marked;
		outcome.wrong += !right && !marked;
		if (outcome.wrong == 1 && !right && !marked)
			outcome.wrong_seed = i + 1;
		held = holds(&code, truth);
		outcome.held += held == HOLDS;
		outcome.unknown += held == UNKNOWN;
		outcome.share += first.share / count;
		outcome.first += rank == 0;
		outcome.far += fabs(code.function.share - truth->function) > FAR;
		outcome.function += code.function.share / count;
		plumb_annotated_code_free(&code);
		plumb_annotation_free(runs[i].annotation);
	}
	return outcome;
}

/* In a short study chance may take more: four standard deviations. */
static double allowed(unsigned count, double share)
{
	return share * count + (count < RUNS ? 4 * sqrt(share * (1 - share) * count) : 0);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : RUNS;
	unsigned known;
	struct first truth;
	struct outcome outcome;
	struct input input;
	struct run *runs;
	bool leads, hottest, passed, uncertain = argc > 5 && strcmp(argv[5], "uncertain") == 0;
	char *name;

	if (argc < 4 || !count)
		give_up("usage: ranks NAME EXACT EVERY [RUNS [uncertain]]");
	name = find_truth(argv[2], &truth);
	open_input(&input, argv[3]);
	runs = calloc(count, sizeof(*runs));
	if (!runs)
		give_up("out of memory");
	redraw(runs, count, &input);
	outcome = judge(runs, count, name, &truth);
	known = count - outcome.unknown;
	leads = !uncertain && truth.share - truth.next >= LEAD;
	hottest = truth.function - truth.next_function >= LEAD;
	passed = outcome.wrong <= allowed(count, FEW) &&
		 (!leads || count - outcome.right <= allowed(count, FEW)) &&
		 known - outcome.held <= allowed(known, MISSED) &&
		 (!hottest || count - outcome.first <= allowed(count, FEW));
	printf("%sok - %s: line %u of %s, exactly %.1f %%, the next one %.1f %%\n",
	       passed ? "" : "not ", argv[1], truth.line, name, 100 * truth.share,
	       100 * truth.next);
	printf("# first in %u of %u runs; marked in %u; wrong without a mark in %u; %.1f %% on "
	       "average; the interval held in %u of %u\n",
	       outcome.right, count, outcome.marked, outcome.wrong, 100 * outcome.share,
	       outcome.held, known);
	printf("# the function: exactly %.1f %%, the next one %.1f %%; %.1f %% on average; first "
	       "in %u; "
	       "more than ten points off in %u\n",
	       100 * truth.function, 100 * truth.next_function, 100 * outcome.function,
	       outcome.first, outcome.far);
	if (outcome.wrong)
		printf("# wrong without a mark first with seed %u\n", outcome.wrong_seed);
	free(name);
	free(runs);
	close_input(&input);
	return !passed;
}
