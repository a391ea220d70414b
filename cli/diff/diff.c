/* SPDX-License-Identifier: Apache-2.0 */
/* plumb diff: what changed from one build to another, and whether a gate lets it pass. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "diff/command.h"
#include "diff/names.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/perf_options.h"

/* Rows of each table without --limit or -v. */
#define LIMIT 12

/* ---- Comparing --------------------------------------------------------------------------------
 */

static int read_side(struct diff_run *run, const char *operand)
{
	struct diff_input input;
	const int status = diff_input_read(operand, &run->reading, &input);

	if (status != EXIT_FINE)
		return status;
	run->inputs = memory_resize(run->inputs, run->side_count + 1, sizeof(*run->inputs));
	run->inputs[run->side_count++] = input;
	return EXIT_FINE;
}

/* Baselines have functions by symbol, so what is compared with them or becomes one has, too. */
static bool is_by_symbol(const struct diff_run *run)
{
	bool by_symbol = run->options->by_name || run->reading.keys || run->options->write_baseline;

	for (size_t i = 0; i < run->side_count; i++)
		by_symbol |= run->inputs[i].side->baseline;
	return by_symbol;
}

/* Reads functions and lines, once it is known what each build inlines. */
static int read_code(struct diff_run *run)
{
	struct diff_side **sides = memory_alloc((run->side_count + 1) * sizeof(struct diff_side *));
	int status = EXIT_FINE;

	for (size_t i = 0; i < run->side_count; i++)
		sides[i] = run->inputs[i].side;
	if (!is_by_symbol(run) && diff_names_new(sides, run->side_count, &run->names) < 0)
		memory_given(NULL);
	free(sides);
	for (size_t i = 0; status == EXIT_FINE && i < run->side_count; i++)
		status = diff_input_read_code(&run->inputs[i], &run->reading, run->names);
	return status;
}

/* Returns whether a single file is enough: nothing that is asked for compares it. */
static bool only_writes_baseline(const struct diff_run *run)
{
	const struct diff_command_options *options = run->options;

	return options->write_baseline && !run->limit_count && !options->markdown &&
	       !options->junit && !options->otava && !options->html && !options->common.output &&
	       !diff_is_for_programs(options);
}

static int read_sides(struct diff_run *run, const struct operands *operands)
{
	/* As perf diff does. */
	static char old[] = "perf.data.old", new[] = "perf.data";
	static char *defaults[] = {old, new};
	const struct operands none = {defaults, 2};
	const struct operands *given = operands;
	int status = EXIT_FINE;

	if (!operands->count && !run->options->baseline)
		given = &none;
	if (!operands->count && run->options->baseline) {
		complain("missing file to compare with the baseline");
		return EXIT_USAGE;
	}
	if (given->count == 1 && !run->options->baseline && !only_writes_baseline(run)) {
		complain("missing second file to compare");
		advise("name the baseline first, or with --baseline FILE");
		return EXIT_USAGE;
	}
	if (given == &none && access(old, F_OK) != 0) {
		complain("missing files to compare: there is no %s here", old);
		advise("plumb diff BASELINE FILE");
		return EXIT_USAGE;
	}
	if (run->options->baseline)
		status = read_side(run, run->options->baseline);
	for (int i = 0; status == EXIT_FINE && i < given->count; i++)
		status = read_side(run, given->at[i]);
	return status;
}

/* A gate between different cores or sources would mean nothing. */
static int check_comparable(const struct diff_run *run, const struct diff_side *a,
			    const struct diff_side *b)
{
	const struct {
		const char *what, *a, *b;
	} facts[] = {
		{"source", a->source, b->source},
		{"CPU", a->cpu, b->cpu},
		{"model's settings", a->model, b->model},
		{"kind of recording", a->recorded_source, b->recorded_source},
	};

	for (size_t i = 0; run->limit_count && i < sizeof(facts) / sizeof(*facts); i++) {
		if (!facts[i].a || !facts[i].b || strcmp(facts[i].a, facts[i].b) == 0)
			continue;
		complain("the gate requires the same %s: %s has %s, %s has %s", facts[i].what,
			 a->label, facts[i].a, b->label, facts[i].b);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

/* A misspelt name would leave nothing of both sides, and nothing exceeds no limit. */
static int check_chosen(const struct diff_run *run, const struct diff_side *before,
			const struct diff_side *after)
{
	const struct reading_options *from = &run->reading.from;

	if ((!choice_is_given(&from->chosen) && !from->filter) ||
	    diff_side_has(after, DIFF_FUNCTIONS) ||
	    (diff_side_has(before, DIFF_FUNCTIONS) && !run->limit_count))
		return EXIT_FINE;
	complain("%s: no samples match", after->label);
	return EXIT_USAGE;
}

static int compare_side(struct diff_run *run, const struct diff_side *side,
			struct diff_result *result)
{
	const struct diff_options options = {
		.least = run->least, .unmatched = run->options->by_name || run->reading.keys};
	int status = check_comparable(run, run->inputs[0].side, side);

	if (status == EXIT_FINE)
		status = check_chosen(run, run->inputs[0].side, side);
	if (status != EXIT_FINE)
		return status;
	if (diff_compare(run->inputs[0].side, side, &options, &result->diff) < 0)
		memory_given(NULL);
	if (!result->diff->change_count) {
		complain("%s and %s have nothing in common", run->inputs[0].side->label,
			 side->label);
		return EXIT_USAGE;
	}
	result->gates = memory_resize(NULL, run->limit_count + 1, sizeof(*result->gates));
	for (size_t i = 0; i < run->limit_count; i++)
		result->gates[i] = gate_apply(&run->limits[i], result->diff);
	return EXIT_FINE;
}

static int compare_all(struct diff_run *run)
{
	const struct diff_command_options *options = run->options;
	struct diff_result *results = memory_alloc(run->side_count * sizeof(*results));
	size_t count = 0;
	int status = EXIT_FINE;

	for (size_t i = 1; status == EXIT_FINE && i < run->side_count; i++)
		status = compare_side(run, run->inputs[i].side, &results[count++]);
	run->report = (struct diff_report){
		.before = run->inputs[0].side,
		.results = results,
		.result_count = count,
		.gate_count = run->limit_count,
		.compute = (enum diff_compute)options->compute,
		.order = (enum diff_order)options->order,
		.limit = options->limit            ? options->limit
			 : options->common.verbose ? 0
						   : LIMIT,
		.all = options->common.verbose,
		.baseline_only = options->baseline_only,
		.commit = options->commit,
	};
	if (status == EXIT_FINE)
		status = diff_print_all(run);
	if (status == EXIT_FINE && diff_failures(&run->report))
		status = EXIT_GATE;
	for (size_t i = 0; i < count; i++) {
		diff_free(results[i].diff);
		free(results[i].gates);
	}
	free(results);
	return status;
}

static void release(struct diff_run *run)
{
	for (size_t i = 0; i < run->side_count; i++)
		diff_input_free(&run->inputs[i]);
	free(run->inputs);
	diff_names_free(run->names);
	for (size_t i = 0; i < run->limit_count; i++)
		gate_limit_free(&run->limits[i]);
	free(run->limits);
}

/* ---- The command ------------------------------------------------------------------------------
 */

static int run_diff(const struct command *command, int count, char **arguments)
{
	struct diff_command_options values = {0};
	struct diff_run run = {.options = &values};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status) ||
	    !options_separator(command, &values.common))
		return status;
	run.reading = (struct diff_reading_options){.from = values.from,
						    .lines = values.sort.count == 0,
						    .verbose = values.common.verbose};
	status = diff_parse_options(&run);
	if (status == EXIT_FINE)
		status = read_sides(&run, &operands);
	if (status == EXIT_FINE)
		status = read_code(&run);
	if (status == EXIT_FINE && run.side_count > 1)
		status = compare_all(&run);
	/* What a gate refuses does not become the next baseline by itself. */
	if (status == EXIT_FINE)
		status = diff_write_baseline(&run);
	release(&run);
	return status;
}

const struct command command_diff = {
	.path = "plumb diff",
	.name = "diff",
	.summary = "compare runs of two builds, and tell changes from noise",
	.operands = "[FILE...]",
	.most = OPERANDS_ANY,
	.text = "Compares the first FILE with each of the others (default: perf.data.old with "
		"perf.data). A FILE is counts of plumb stat --json, a recording, several of these "
		"with commas between them, one for each run, or a folder with them. Changes that "
		"may be noise are marked, and left out without -v.",
	.options = diff_options,
	.perf_twins = perf_options_diff,
	.perf_same = perf_same_diff,
	.examples =
		(const struct example[]){
			{"plumb diff old.json new.json", "show which metrics changed"},
			{"plumb diff old.data new.data", "show which functions and lines changed"},
			{"plumb diff run1.json,run2.json,run3.json,run4.json new/",
			 "compare four runs with those in a folder"},
			{"plumb diff --write-baseline baseline.json old.json",
			 "write a baseline to keep in the repository"},
			{"plumb diff --baseline baseline.json --fail-above cycles:2% new.json",
			 "exit with status 4 if cycles grew by more than 2 %"},
			{0},
		},
	.run = run_diff,
};
