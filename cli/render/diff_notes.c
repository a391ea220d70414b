/* SPDX-License-Identifier: Apache-2.0 */
/* What limits a comparison. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "render/diff.h"
#include "tool/join.h"
#include "tool/memory.h"

struct notes {
	char **at;
	size_t count;
};

static void PLUMB_PRINTF(2, 3) add(struct notes *notes, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	notes->at = memory_resize(notes->at, notes->count + 2, sizeof(*notes->at));
	notes->at[notes->count++] = memory_vformat(format, arguments);
	notes->at[notes->count] = NULL;
	va_end(arguments);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* What makes the sides hard to compare. */
static void add_differences(struct notes *notes, const struct diff_side *a,
			    const struct diff_side *b)
{
	if (differ(a->source, b->source))
		add(notes, "The sources differ: %s and %s. Their counts do not compare.", a->source,
		    b->source);
	if (differ(a->cpu, b->cpu))
		add(notes, "The CPUs differ: %s and %s.", a->cpu, b->cpu);
	if (differ(a->model, b->model))
		add(notes, "The model's settings differ: %s and %s.", a->model, b->model);
	if (differ(a->recorded_source, b->recorded_source))
		add(notes, "The recordings differ in kind: %s, and %s.", a->recorded_source,
		    b->recorded_source);
	if (differ(a->sampling, b->sampling))
		add(notes, "SPE sampled differently: %s, and %s.", a->sampling, b->sampling);
	for (size_t s = 0; s < 2; s++) {
		const struct diff_side *side = s ? b : a;

		if (side->differs)
			add(notes, "The runs of %s differ in their source, CPU or settings.",
			    side->label);
		if (side->failed)
			add(notes, "The program of %s failed.", side->label);
		if (side->lacks_repeats)
			add(notes, "%s has only the mean of several runs: an older plumb made it.",
			    side->label);
	}
}

static void add_only(struct notes *notes, const struct diff *diff)
{
	for (size_t s = 0; s < 2; s++) {
		const size_t count = diff->only_count[s], shown = count < 5 ? count : 5;
		struct join names = {0};
		char *text;

		for (size_t i = 0; i < shown; i++)
			join_add(&names, diff->only[s][i]);
		text = join_take(&names);
		if (count > shown)
			add(notes, "Only in %s: %s and %zu more.",
			    (s ? diff->after : diff->before)->label, text, count - shown);
		else if (count)
			add(notes, "Only in %s: %s.", (s ? diff->after : diff->before)->label,
			    text);
		free(text);
	}
}

/* Lines of one side alone tell nothing of how they changed. */
static void add_lines(struct notes *notes, const struct diff *diff)
{
	const struct diff_side *sides[] = {diff->before, diff->after};

	for (size_t s = 0; s < 2; s++)
		if (diff_side_has(sides[!s], DIFF_LINES) && !diff_side_has(sides[s], DIFF_LINES) &&
		    diff_side_has(sides[s], DIFF_FUNCTIONS))
			add(notes, "%s has no lines of source, so they are not compared.",
			    sides[s]->label);
}

/* Which methods there were, and with how many runs. */
struct methods {
	bool exact, ranks, intervals, unknown;
	size_t runs[2]; /* the fewest */
	double least;
};

/* Tells whether a row or a limit that is shown has an interval. */
static bool shows_interval(const struct diff_report *report, const struct diff *diff)
{
	bool shown = false;

	for (enum diff_view view = 0; view < DIFF_VIEWS; view++) {
		struct diff_rows rows = diff_rows(report, diff, view);

		for (size_t i = 0; i < rows.count; i++)
			shown |= rows.at[i]->method == DIFF_INTERVALS;
		free(rows.at);
	}
	for (size_t r = 0; r < report->result_count; r++)
		for (size_t g = 0; report->results[r].diff == diff && g < report->gate_count; g++) {
			const struct diff_change *change = report->results[r].gates[g].change;

			shown |= change && change->method == DIFF_INTERVALS;
		}
	return shown;
}

static struct methods methods_of(const struct diff_report *report, const struct diff *diff)
{
	struct methods methods = {.least = 0};

	methods.intervals = shows_interval(report, diff);
	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		methods.exact |= change->method == DIFF_EXACT;
		methods.unknown |= change->method == DIFF_UNKNOWN;
		if (change->method != DIFF_RANKS)
			continue;
		if (!methods.ranks || change->least > methods.least) {
			methods.least = change->least;
			methods.runs[0] = change->runs[0];
			methods.runs[1] = change->runs[1];
		}
		methods.ranks = true;
	}
	return methods;
}

/* Why functions differ from those of plumb report. */
static void add_places(struct notes *notes, const struct diff *diff)
{
	bool inlined = false;

	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		inlined |= change->placed &&
			   (change->places[0].inlined_count || change->places[1].inlined_count);
	}
	if (inlined)
		add(notes, "The sides show functions inlined into different ones: such functions "
			   "count as their own on both sides.");
}

/* Tells whether each side has one seed, and not the same. */
static bool seeds_differ(const struct diff *diff)
{
	const struct diff_side *a = diff->before, *b = diff->after;

	return a->seeded && b->seeded && !a->seeds && !b->seeds && a->seed != b->seed;
}

static void add_methods(struct notes *notes, const struct diff_report *report,
			const struct diff *diff)
{
	const struct methods methods = methods_of(report, diff);
	size_t most = 0;

	for (enum diff_view view = 0; view < DIFF_VIEWS; view++)
		most = diff->tested[view] > most ? diff->tested[view] : most;
	if (methods.exact && seeds_differ(diff))
		add(notes,
		    "\"exact\": the model counted both, with the seeds %" PRIu64 " and %" PRIu64
		    ". Seeds change the order of threads, for example, and no interval "
		    "covers that: compare equal seeds, or several runs of each side with "
		    "different ones.",
		    diff->before->seed, diff->after->seed);
	else if (methods.exact)
		add(notes, "\"exact\": the model counted both, so every difference is real.");
	if (methods.ranks)
		add(notes,
		    "p is that of a rank test of %zu and %zu runs, adjusted for all comparisons of "
		    "its table; effect is Cliff's delta, from -1 to +1.",
		    methods.runs[0], methods.runs[1]);
	if (methods.ranks && methods.least * (double)most > NOISE_LEVEL)
		add(notes,
		    "With so few runs, a single change among %zu may look like noise: %u runs of "
		    "each side show it.",
		    most, rank_test_runs(NOISE_LEVEL / (double)most));
	if (methods.intervals)
		add(notes,
		    "\"LOW..HIGH\" is the change's 95 %% confidence interval, from sampling.");
	if (methods.intervals && diff->after->recorded_source &&
	    strcmp(diff->after->recorded_source, "samples") == 0)
		add(notes,
		    "Intervals do not cover how runs differ; record several of each side for "
		    "that.");
	if (methods.unknown)
		add(notes, "\"unknown\": a side has one run, so its noise is unknown; count it "
			   "several times, with -r 8.");
}

char **diff_notes(const struct diff_report *report, const struct diff *diff)
{
	struct notes notes = {.at = memory_alloc(sizeof(char *))};

	add_differences(&notes, diff->before, diff->after);
	add_only(&notes, diff);
	add_lines(&notes, diff);
	add_places(&notes, diff);
	add_methods(&notes, report, diff);
	return notes.at;
}

void diff_notes_free(char **notes)
{
	for (size_t i = 0; notes[i]; i++)
		free(notes[i]);
	free(notes);
}
