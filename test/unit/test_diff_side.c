/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and baselines in, comparisons out. */
#include "check.h"

#include <math.h>

#include "diff/baseline.h"
#include "diff/diff.h"

#define COUNTS(source, counts, metrics)                                                  \
	"{\"source\": \"" source "\", \"cpu\": {\"name\": \"N3\"}, \"exit_status\": 0, " \
	"\"events\": [" counts "], \"metrics\": [" metrics "]}"
#define EVENT(name, count) "{\"name\": \"" name "\", \"count\": " count ", \"units\": \"events\"}"
#define METRIC(name, value)                                                 \
	"{\"name\": \"" name "\", \"value\": " value ", \"parent\": null, " \
	"\"units\": \"percent of slots\"}"

static int add(struct diff_side *side, const char *text)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const int error = diff_side_add_counts(side, "file", text, strlen(text), diagnostics);

	assert_int_equal(plumb_diagnostics_errors(diagnostics) > 0, error < 0);
	plumb_diagnostics_free(diagnostics);
	return error;
}

static struct diff_side *side_of(const char *label, const char *text)
{
	struct diff_side *side = diff_side_new(label);

	assert_int_equal(add(side, text), 0);
	assert_int_equal(diff_side_finish(side), 0);
	return side;
}

static struct diff *compare(const char *before, const char *after, struct diff_side *sides[2])
{
	struct diff *diff;

	sides[0] = side_of("before", before);
	sides[1] = side_of("after", after);
	assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
	return diff;
}

static void release(struct diff *diff, struct diff_side *sides[2])
{
	diff_free(diff);
	diff_side_free(sides[0]);
	diff_side_free(sides[1]);
}

static void is_exact_for_the_model(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff =
		compare(COUNTS("model", EVENT("CPU_CYCLES", "100"), METRIC("m", "5")),
			COUNTS("model", EVENT("CPU_CYCLES", "101"), METRIC("m", "5")), sides);
	const struct diff_change *cycles = diff_find(diff, DIFF_EVENTS, "CPU_CYCLES", "");
	const struct diff_change *metric = diff_find(diff, DIFF_METRICS, "m", "");

	(void)state;
	assert_int_equal(cycles->method, DIFF_EXACT);
	assert_true(cycles->real);
	assert_true(cycles->change == 1);
	assert_true(isnan(cycles->p));
	assert_false(metric->real);
	assert_ptr_equal(diff->reason.whole, cycles);
	assert_int_equal(diff->tested[DIFF_EVENTS], 0);
	release(diff, sides);
}

/* Counts of a sampled run are estimates: only what their intervals tell apart has changed. */
static void compares_sampled_runs_by_their_intervals(void **state)
{
#define ESTIMATE(name, count, low, high) \
	"{\"name\": \"" name "\", \"count\": " count ", \"interval\": [" low ", " high "]}"
#define SAMPLED(counts)                                                                    \
	"{\"source\": \"model\", \"sampled\": {\"windows\": 9}, \"events\": [" counts "]," \
	" \"metrics\": []}"
	struct diff_side *sides[2];
	struct diff *diff = compare(
		SAMPLED(ESTIMATE("NEAR", "100", "98", "102") ", " ESTIMATE(
			"FAR", "100", "98", "102") ", " ESTIMATE("EXACT", "7", "7",
								 "7") ", " EVENT("RARE", "5")),
		SAMPLED(ESTIMATE("NEAR", "101", "99", "103") ", " ESTIMATE(
			"FAR", "120", "118", "122") ", " ESTIMATE("EXACT", "8", "8",
								  "8") ", " EVENT("RARE", "6")),
		sides);

	(void)state;
	assert_int_equal(diff_find(diff, DIFF_EVENTS, "NEAR", "")->method, DIFF_INTERVALS);
	assert_true(diff_find(diff, DIFF_EVENTS, "NEAR", "")->p > 0.3);
	assert_true(diff_find(diff, DIFF_EVENTS, "FAR", "")->p < 0.001);
	assert_int_equal(diff_find(diff, DIFF_EVENTS, "EXACT", "")->method, DIFF_EXACT);
	assert_true(diff_find(diff, DIFF_EVENTS, "RARE", "")->method != DIFF_EXACT);
	release(diff, sides);
}

static void does_not_know_the_noise_of_one_run(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff = compare(COUNTS("perf", EVENT("CPU_CYCLES", "100"), ""),
				    COUNTS("perf", EVENT("CPU_CYCLES", "200"), ""), sides);

	(void)state;
	assert_int_equal(diff->change_count, 1);
	assert_int_equal(diff->changes[0].method, DIFF_UNKNOWN);
	assert_false(diff->changes[0].real);
	release(diff, sides);
}

#define RUN(n) "{\"elapsed_seconds\": 1, \"events\": [" n "], \"metrics\": []}"
#define RUNS(source, a, b, c, d)                                                                   \
	"{\"source\": \"" source                                                                   \
	"\", \"runs\": 4, \"events\": [" EVENT("E", "0") "], \"metrics\": [], \"repeats\": [" RUN( \
		a) "," RUN(b) "," RUN(c) "," RUN(d) "]}"

static void ranks_several_runs(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff =
		compare(RUNS("perf", "1", "2", "3", "4"), RUNS("perf", "5", "6", "9", "7"), sides);

	(void)state;
	assert_int_equal(diff->changes[0].method, DIFF_RANKS);
	assert_int_equal(diff->changes[0].runs[0], 4);
	assert_true(diff->changes[0].before == 2.5);
	assert_true(diff->changes[0].after == 6.5);
	assert_true(fabs(diff->changes[0].p - 2.0 / 70) < 1e-12);
	assert_true(diff->changes[0].effect == 1);
	assert_true(diff->changes[0].real);
	release(diff, sides);
}

/* A program with threads is not the same every time, so the model's counts are no longer exact. */
static void ranks_runs_of_the_model_that_differ(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff = compare(RUNS("model", "1", "1", "1", "1"),
				    RUNS("model", "1", "1", "1", "2"), sides);

	(void)state;
	assert_int_equal(diff->changes[0].method, DIFF_RANKS);
	assert_false(diff->changes[0].real);
	release(diff, sides);
	diff = compare(RUNS("model", "1", "1", "1", "1"), RUNS("model", "2", "2", "2", "2"), sides);
	assert_int_equal(diff->changes[0].method, DIFF_EXACT);
	assert_true(diff->changes[0].real);
	release(diff, sides);
}

/* Several files, a file of several objects and the summary of intervals. */
static void reads_several_objects(void **state)
{
	struct diff_side *side = side_of("side", COUNTS("perf", EVENT("E", "1"), "") "\n" COUNTS(
							 "perf", EVENT("E", "2"), "") "\n");
	struct diff_side *intervals =
		side_of("intervals",
			"{\"time\": 1, \"summary\": false, \"events\": [" EVENT(
				"E", "1") "]}\n"
					  "{\"time\": 2, \"summary\": true, \"events\": [" EVENT(
						  "E", "3") "]}\n");

	(void)state;
	assert_int_equal(side->item_count, 1);
	assert_int_equal(side->items[0].count, 2);
	assert_int_equal(intervals->items[0].count, 1);
	assert_true(intervals->items[0].values[0].value == 3);
	diff_side_free(side);
	diff_side_free(intervals);
}

static void notes_what_one_side_has(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff = compare(
		COUNTS("model", EVENT("A", "1") "," EVENT("B", "1"), ""),
		COUNTS("model", EVENT("C", "1") "," EVENT("B", "null") "," EVENT("A", "2"), ""),
		sides);

	(void)state;
	assert_int_equal(diff->change_count, 1);
	assert_int_equal(diff->only_count[0], 1);
	assert_string_equal(diff->only[0][0], "B");
	assert_int_equal(diff->only_count[1], 1);
	assert_string_equal(diff->only[1][0], "C");
	release(diff, sides);
}

#define BASELINE(events, functions)                                           \
	"{\"plumb_baseline\": 1, \"metrics\": {}, \"events\": {" events "}, " \
	"\"functions\": {" functions "}}"

static void rejects_what_are_no_counts(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"events\": 1}",
		"{\"events\": {}}",
		"{\"events\": [1]}",
		"{\"events\": [{}]}",
		"{\"events\": [{\"name\": \"\", \"count\": 1}]}",
		"{\"events\": [{\"name\": \"E\"}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": \"1\"}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": -1}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": 1e999}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": NaN}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": 1}], \"repeats\": [{}]}",
		"{\"events\": [{\"name\": \"E\", \"count\": 1}], \"metrics\": [], "
		"\"repeats\": [{\"events\": [1, 2], \"metrics\": []}]}",
		"{\"events\": [], \"metrics\": []",
		"{\"time\": 1, \"events\": []}",
		"{\"plumb_baseline\": 2}",
		"{\"plumb_baseline\": 1}",
		BASELINE("", ""),
		BASELINE("\"E\": 1", ""),
		BASELINE("\"E\": {\"exact\": true, \"unit\": \"events\", \"value\": []}", ""),
		BASELINE("", "\"E\": {\"exact\": true, \"unit\": \"events\", \"value\": 1}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct diff_side *side = diff_side_new("side");

		assert_true(add(side, texts[i]) < 0);
		diff_side_free(side);
	}
}

static char *written(const struct diff_side *side)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(baseline_write(side, out), 0);
	fclose(out);
	return text;
}

/* What is read again has the same values, and writes the same text. */
static void keeps_baselines(void **state)
{
	const char *counts = COUNTS("model", EVENT("B", "7") "," EVENT("A", "123456789012"),
				    METRIC("m", "33.33333333333"));
	struct diff_side *side = side_of("side", counts);
	char *text = written(side), *again;
	struct diff_side *read = side_of("baseline", text);
	struct diff *diff;

	(void)state;
	again = written(read);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, "\"value\": 33.3333\n"));
	assert_true(strstr(text, "\"A\"") < strstr(text, "\"B\""));
	assert_int_equal(diff_compare(read, side, NULL, &diff), 0);
	assert_int_equal(diff->change_count, 3);
	assert_int_equal(diff_find(diff, DIFF_EVENTS, "A", "")->method, DIFF_EXACT);
	assert_false(diff_find(diff, DIFF_EVENTS, "A", "")->real);
	diff_free(diff);
	diff_side_free(side);
	diff_side_free(read);
	free(text);
	free(again);
}

static void keeps_runs_and_intervals(void **state)
{
	struct diff_side *side = side_of("side", RUNS("perf", "1", "2", "3", "4"));
	const struct diff_key key = {DIFF_EVENTS, "spe_mean_latency", "", ""};
	struct diff_side *read;
	const struct diff_item *item;
	char *text;

	(void)state;
	diff_side_add(side, &key, &(struct interval){5, 4, 6.5}, false);
	text = written(side);
	read = side_of("baseline", text);
	item = diff_side_find(read, &key);
	assert_true(item->values[0].low == 4 && item->values[0].high == 6.5);
	item = diff_side_find(read, &(struct diff_key){DIFF_EVENTS, "E", "", ""});
	assert_int_equal(item->count, 4);
	assert_true(item->values[3].value == 4);
	free(text);
	diff_side_free(side);
	diff_side_free(read);
}

/* Functions that one side lacks have 0 there, with what sampling may have missed. */
static void compares_functions(void **state)
{
	struct diff_side *sides[2];
	struct diff *diff;
	const struct diff_change *gone;

	(void)state;
	for (int s = 0; s < 2; s++) {
		struct diff_quantity *quantity;
		struct diff_item *item;

		sides[s] = diff_side_new(s ? "after" : "before");
		diff_side_begin_run(sides[s]);
		quantity = diff_side_quantity(sides[s], "cycles");
		*quantity = (struct diff_quantity){
			.name = quantity->name, .runs = 1, .whole = 1000, .zero_high = 4};
		for (int i = s; i < 2; i++) {
			item = diff_side_add(sides[s],
					     &(struct diff_key){DIFF_FUNCTIONS, i ? "kept" : "gone",
								"cycles", ""},
					     &(struct interval){500, 470, 530}, false);
			item->additive = true;
		}
		assert_int_equal(diff_side_finish(sides[s]), 0);
	}
	assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
	assert_int_equal(diff->change_count, 2);
	gone = diff_find(diff, DIFF_FUNCTIONS, "gone", "cycles");
	assert_true(gone->real && gone->after == 0 && gone->share == -0.5);
	assert_true(fabs(gone->difference.low - (-500 - 30)) < 1e-9);
	assert_true(fabs(gone->difference.high - (-500 + hypot(4, 30))) < 1e-9);
	assert_false(diff_find(diff, DIFF_FUNCTIONS, "kept", "cycles")->real);
	assert_int_equal(diff->tested[DIFF_FUNCTIONS], 2);
	release(diff, sides);
}

/* A sampled side of one run: `whole` events, of which `one` function has `count`, if any. */
static struct diff_side *sampled_side(const char *function, double count, double zero_high)
{
	struct diff_side *side = diff_side_new("side");
	struct diff_quantity *quantity = diff_side_quantity(side, "cycles");
	const struct diff_key key = {DIFF_FUNCTIONS, function, "cycles", ""};
	struct diff_item *item;

	diff_side_begin_run(side);
	*quantity = (struct diff_quantity){
		.name = quantity->name, .runs = 1, .run = 1, .whole = 1000, .zero_high = zero_high};
	item = diff_side_add(side, &key, &(struct interval){count, count / 2, 2 * count},
			     zero_high == 0);
	assert_non_null(item);
	item->additive = true;
	assert_int_equal(diff_side_finish(side), 0);
	return side;
}

static void bounds_what_has_no_samples(void **state)
{
	struct diff_side *sides[2] = {sampled_side("f", 100, 20), sampled_side("g", 200, 40)};
	const struct diff_change *gone, *new;
	struct diff *diff;

	(void)state;
	assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
	gone = diff_find(diff, DIFF_FUNCTIONS, "f", "cycles");
	new = diff_find(diff, DIFF_FUNCTIONS, "g", "cycles");
	assert_true(isnan(gone->unseen[0]) && gone->unseen[1] == 40);
	assert_true(gone->unseen_shares[1] == 0.04);
	/* From 100, at least 50, to at most 40. */
	assert_true(gone->difference.high == -100 + hypot(50, 40));
	assert_true(new->unseen[0] == 20 && isnan(new->unseen[1]));
	release(diff, sides);
	/* An exact side has none of what it lacks. */
	sides[0] = sampled_side("f", 100, 0);
	sides[1] = sampled_side("g", 200, 0);
	assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
	gone = diff_find(diff, DIFF_FUNCTIONS, "f", "cycles");
	assert_true(isnan(gone->unseen[0]) && isnan(gone->unseen[1]));
	release(diff, sides);
}

/* An exact side with a function and a line of it. */
static struct diff_side *side_with_line(double count)
{
	struct diff_side *side = sampled_side("f", count, 0);
	const struct diff_key key = {DIFF_LINES, "+1", "cycles", "f"};
	struct diff_item *item;

	item = diff_side_add(side, &key, &(struct interval){count, NAN, NAN}, true);
	assert_non_null(item);
	item->additive = true;
	return side;
}

/* Where a side has no lines, as a baseline, those of the other are not new. */
static void compares_lines_of_both_sides(void **state)
{
	struct diff_side *sides[2] = {side_with_line(100), side_with_line(200)};
	char *text = written(sides[1]);
	struct diff *diff;

	(void)state;
	assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
	assert_true(diff_find(diff, DIFF_LINES, "+1", "cycles")->real);
	diff_free(diff);
	diff_side_free(sides[0]);
	sides[0] = side_of("baseline", text);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(diff_compare(sides[turn], sides[!turn], NULL, &diff), 0);
		assert_non_null(diff_find(diff, DIFF_FUNCTIONS, "f", "cycles"));
		assert_null(diff_find(diff, DIFF_LINES, "+1", "cycles"));
		assert_int_equal(diff->real[DIFF_LINES], 0);
		diff_free(diff);
	}
	diff_side_free(sides[0]);
	diff_side_free(sides[1]);
	free(text);
}

/* A recording's events come in any order. */
static void ranks_functions_by_what_tells_time_best(void **state)
{
	static const char *const names[] = {
		"instructions",        "spe_operations", "spe_latency", "armv8_pmuv3_0/cpu_cycles",
		"slots_backend_bound", "slots",          "CPU_CYCLES",  "spe_latency"};
	static const char *const best[] = {"instructions",
					   "instructions",
					   "spe_latency",
					   "armv8_pmuv3_0/cpu_cycles",
					   "armv8_pmuv3_0/cpu_cycles",
					   "slots",
					   "slots",
					   "slots"};
	static const char *const cycles[] = {"cycles", "cycles:u", "cpu-cycles:k", "CPU_CYCLES"};
	struct diff_side *side = diff_side_new("side");

	(void)state;
	assert_null(diff_side_main(side));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_non_null(diff_side_quantity(side, names[i]));
		assert_string_equal(diff_side_main(side)->name, best[i]);
	}
	diff_side_free(side);
	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
		side = diff_side_new("side");
		assert_non_null(diff_side_quantity(side, "spe_latency"));
		assert_non_null(diff_side_quantity(side, "bus-cycles"));
		assert_non_null(diff_side_quantity(side, cycles[i]));
		assert_string_equal(diff_side_main(side)->name, cycles[i]);
		diff_side_free(side);
	}
}

/* An exact side with slots in four functions. */
static struct diff_side *exact_side(const double values[4])
{
	struct diff_side *side = diff_side_new("side");
	static const char *const names[] = {"f", "g", "h", "i"};
	struct diff_quantity *slots = diff_side_quantity(side, "slots");

	diff_side_begin_run(side);
	slots->exact = true;
	slots->runs = slots->run = 1;
	slots->whole = values[0] + values[1] + values[2] + values[3];
	diff_side_add(side, &(struct diff_key){DIFF_EVENTS, "slots", "", ""},
		      &(struct interval){slots->whole, NAN, NAN}, true);
	for (size_t i = 0; i < 4; i++) {
		const struct diff_key key = {DIFF_FUNCTIONS, names[i], "slots", ""};

		diff_side_add(side, &key, &(struct interval){values[i], NAN, NAN}, true)->additive =
			true;
	}
	assert_int_equal(diff_side_finish(side), 0);
	return side;
}

/* What one function has more is no explanation if another one has it less. */
static void names_a_function_with_what_cancels_it(void **state)
{
	static const struct {
		double before[4], after[4];
		const char *function, *opposite;
	} cases[] = {
		{{500, 400, 100}, {600, 400, 100}, "f", NULL},
		{{500, 400, 100}, {600, 380, 100}, "f", NULL},
		{{900, 0, 100}, {0, 905, 100}, "g", "f"},
		{{0, 900, 100}, {895, 0, 100}, "g", "f"},
		{{700, 200, 100}, {900, 80, 30}, "f", "g"},
		/* No single one cancels most of it. */
		{{400, 200, 200, 200}, {590, 140, 140, 140}, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct diff_side *sides[2] = {exact_side(cases[i].before),
					      exact_side(cases[i].after)};
		struct diff *diff;

		assert_int_equal(diff_compare(sides[0], sides[1], NULL, &diff), 0);
		assert_string_equal(diff->reason.function ? diff->reason.function->key.name : "",
				    cases[i].function ? cases[i].function : "");
		assert_string_equal(diff->reason.opposite ? diff->reason.opposite->key.name : "",
				    cases[i].opposite ? cases[i].opposite : "");
		release(diff, sides);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_exact_for_the_model),
		cmocka_unit_test(compares_sampled_runs_by_their_intervals),
		cmocka_unit_test(does_not_know_the_noise_of_one_run),
		cmocka_unit_test(ranks_several_runs),
		cmocka_unit_test(ranks_runs_of_the_model_that_differ),
		cmocka_unit_test(reads_several_objects),
		cmocka_unit_test(notes_what_one_side_has),
		cmocka_unit_test(rejects_what_are_no_counts),
		cmocka_unit_test(keeps_baselines),
		cmocka_unit_test(keeps_runs_and_intervals),
		cmocka_unit_test(compares_functions),
		cmocka_unit_test(bounds_what_has_no_samples),
		cmocka_unit_test(compares_lines_of_both_sides),
		cmocka_unit_test(ranks_functions_by_what_tells_time_best),
		cmocka_unit_test(names_a_function_with_what_cancels_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
