/* SPDX-License-Identifier: Apache-2.0 */
/* plumb diff: what changed from one build to another, and whether a gate lets it pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <plumb/profile.h>

#include "base/near.h"
#include "commands.h"
#include "diff/baseline.h"
#include "diff/inputs.h"
#include "diff/page.h"
#include "render/diff.h"
#include "render/html.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/perf_options.h"

/* Rows of each table without --limit or -v. */
#define LIMIT 12

struct diff_command_options {
	struct common_options common;
	struct reading_options from;
	struct option_words above, below, sort;
	const char *baseline, *write_baseline, *markdown, *junit, *otava, *commit, *percent_limit;
	int compute, order;
	unsigned limit;
	const char *html;
	bool baseline_only, by_name, csv;
};

struct run {
	const struct diff_command_options *options;
	struct diff_reading_options reading;
	uint8_t keys[PLUMB_PROFILE_KEYS_MAX];
	struct gate_limit *limits;
	size_t limit_count;
	double least;
	struct diff_side **sides; /* the first is the baseline */
	char **recordings;        /* the first of each side; NULL: it has none */
	size_t side_count;
	struct diff_report report;
};

/* ---- Options ----------------------------------------------------------------------------------
 */

static int parse_limits(struct run *run, const struct option_words *words, bool below)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int error = 0;

	for (unsigned i = 0; error == 0 && i < words->count; i++) {
		run->limits =
			memory_resize(run->limits, run->limit_count + 1, sizeof(*run->limits));
		error = gate_limit_parse(words->at[i], below, &run->limits[run->limit_count],
					 diagnostics);
		run->limit_count += error == 0;
	}
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	if (error < 0)
		complain_findings(diagnostics, below ? "--fail-below" : "--fail-above", error);
	plumb_diagnostics_free(diagnostics);
	return error < 0 ? EXIT_USAGE : EXIT_FINE;
}

static int add_key(struct run *run, const char *name)
{
	const int key = plumb_profile_key_by_name(name);
	struct near near = near_to(name);

	if (key >= 0 && run->reading.key_count < PLUMB_PROFILE_KEYS_MAX) {
		run->keys[run->reading.key_count++] = (uint8_t)key;
		run->reading.keys = run->keys;
		return EXIT_FINE;
	}
	if (key >= 0) {
		complain("too many keys: at most %d", PLUMB_PROFILE_KEYS_MAX);
		return EXIT_USAGE;
	}
	complain("unknown key '%s'", name);
	for (unsigned i = 0; plumb_profile_key_name(i); i++)
		near_offer(&near, plumb_profile_key_name(i), plumb_profile_key_name(i));
	if (!advise_near(&near))
		advise("plumb report --help lists the keys");
	return EXIT_USAGE;
}

static int parse_keys(struct run *run)
{
	const struct option_words *words = &run->options->sort;
	int status = EXIT_FINE;

	for (unsigned i = 0; status == EXIT_FINE && i < words->count; i++) {
		char *list = memory_copy(words->at[i], strlen(words->at[i])), *rest = list, *key;

		while (status == EXIT_FINE && (key = strsep(&rest, ",")))
			status = add_key(run, key);
		free(list);
	}
	return status;
}

static int parse_percent(struct run *run)
{
	const char *text = run->options->percent_limit;
	char *end;

	run->least = 0.001;
	if (!text)
		return EXIT_FINE;
	run->least = strtod(text, &end) / 100;
	if (end != text && !*end && run->least >= 0 && run->least <= 1)
		return EXIT_FINE;
	complain_value("percent-limit", text, UINT64_MAX, "use a number from 0 to 100");
	return EXIT_USAGE;
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static bool is_for_programs(const struct diff_command_options *options)
{
	return options->common.json || options->csv || options->common.separator;
}

/* Returns whether each output has a file of its own. */
static bool check_outputs(const struct diff_command_options *options)
{
	const struct {
		const char *option, *path;
	} outputs[] = {
		{"output", options->common.output},
		{"markdown", options->markdown},
		{"junit", options->junit},
		{"otava", options->otava},
		{"html", options->html},
		{"write-baseline", options->write_baseline},
	};
	const size_t count = sizeof(outputs) / sizeof(*outputs);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			if (!outputs[i].path || !outputs[j].path ||
			    strcmp(outputs[i].path, outputs[j].path) != 0)
				continue;
			complain("--%s and --%s cannot both write %s", outputs[i].option,
				 outputs[j].option,
				 is_stdout(outputs[i].path) ? "standard output" : outputs[i].path);
			return false;
		}
		if (is_stdout(outputs[i].path) && i > 0 && is_for_programs(options) &&
		    !options->common.output) {
			complain("--%s - and %s cannot both write standard output",
				 outputs[i].option,
				 options->common.json ? "--json"
				 : options->csv       ? "--csv"
						      : "--field-separator");
			advise("use -o FILE for one of them");
			return false;
		}
	}
	return true;
}

static int check_options(const struct diff_command_options *options)
{
	const bool separated = options->csv || options->common.separator;

	if (options->common.json && separated)
		complain("--json and --csv cannot be combined");
	else if (options->commit && !options->otava)
		complain("--commit requires --otava");
	else if (check_outputs(options) && (!options->html || html_is_possible()))
		return EXIT_FINE;
	return EXIT_USAGE;
}

static int parse_options(struct run *run)
{
	int status = check_options(run->options);

	if (status == EXIT_FINE)
		status = parse_limits(run, &run->options->above, false);
	if (status == EXIT_FINE)
		status = parse_limits(run, &run->options->below, true);
	if (status == EXIT_FINE)
		status = parse_keys(run);
	if (status == EXIT_FINE)
		status = parse_percent(run);
	return status;
}

/* ---- Comparing --------------------------------------------------------------------------------
 */

static int read_side(struct run *run, const char *operand)
{
	struct diff_side *side;
	char *recording;
	const int status = diff_inputs_read(operand, &run->reading, &side, &recording);

	if (status != EXIT_FINE)
		return status;
	run->sides = memory_resize(run->sides, run->side_count + 1, sizeof(struct diff_side *));
	run->recordings = memory_resize(run->recordings, run->side_count + 1, sizeof(char *));
	run->recordings[run->side_count] = recording;
	run->sides[run->side_count++] = side;
	return EXIT_FINE;
}

/* Returns whether a single file is enough: nothing that is asked for compares it. */
static bool only_writes_baseline(const struct run *run)
{
	const struct diff_command_options *options = run->options;

	return options->write_baseline && !run->limit_count && !options->markdown &&
	       !options->junit && !options->otava && !options->html && !options->common.output &&
	       !is_for_programs(options);
}

static int read_sides(struct run *run, const struct operands *operands)
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
static int check_comparable(const struct run *run, const struct diff_side *a,
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

static bool has_functions(const struct diff_side *side)
{
	for (size_t i = 0; i < side->item_count; i++)
		if (side->items[i].key.view == DIFF_FUNCTIONS)
			return true;
	return false;
}

/* A misspelt name would leave nothing of both sides, and nothing exceeds no limit. */
static int check_chosen(const struct run *run, const struct diff_side *before,
			const struct diff_side *after)
{
	const struct reading_options *from = &run->reading.from;

	if ((!choice_is_given(&from->chosen) && !from->filter) || has_functions(after) ||
	    (has_functions(before) && !run->limit_count))
		return EXIT_FINE;
	complain("%s: no samples match", after->label);
	return EXIT_USAGE;
}

static int compare_side(struct run *run, const struct diff_side *side, struct diff_result *result)
{
	const struct diff_options options = {
		.least = run->least, .unmatched = run->options->by_name || run->reading.keys};
	int status = check_comparable(run, run->sides[0], side);

	if (status == EXIT_FINE)
		status = check_chosen(run, run->sides[0], side);
	if (status != EXIT_FINE)
		return status;
	if (diff_compare(run->sides[0], side, &options, &result->diff) < 0)
		memory_given(NULL);
	if (!result->diff->change_count) {
		complain("%s and %s have nothing in common", run->sides[0]->label, side->label);
		return EXIT_USAGE;
	}
	result->gates = memory_resize(NULL, run->limit_count + 1, sizeof(*result->gates));
	for (size_t i = 0; i < run->limit_count; i++)
		result->gates[i] = gate_apply(&run->limits[i], result->diff);
	return EXIT_FINE;
}

/* ---- Printing ---------------------------------------------------------------------------------
 */

/* Writes a file, or standard output for "-". */
static int write_file(const struct run *run, const char *path,
		      void (*print)(struct output *out, const struct diff_report *report))
{
	const struct common_options common = {.output = path, .no_pager = true};
	struct output out;
	int status;

	if (!path)
		return EXIT_FINE;
	status = output_open(&out, &common);
	if (status != EXIT_FINE)
		return status;
	print(&out, &run->report);
	return output_close(&out, EXIT_FINE);
}

static int write_baseline(const struct run *run)
{
	const struct common_options common = {.output = run->options->write_baseline,
					      .no_pager = true};
	struct output out;
	int status, error;

	if (!common.output || !run->sides)
		return EXIT_FINE;
	status = output_open(&out, &common);
	if (status != EXIT_FINE)
		return status;
	error = baseline_write(run->sides[run->side_count - 1], out.stream);
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	return output_close(&out, EXIT_FINE);
}

static int print(const struct run *run)
{
	const struct diff_command_options *options = run->options;
	const char *separator =
		options->csv && !options->common.separator ? "," : options->common.separator;
	struct output out;
	int status;

	/* The others take the place of the text. */
	if (!options->common.output && !is_for_programs(options) &&
	    (is_stdout(options->markdown) || is_stdout(options->junit) ||
	     is_stdout(options->otava) || is_stdout(options->html)))
		return EXIT_FINE;
	status = output_open(&out, &options->common);
	if (status != EXIT_FINE)
		return status;
	if (options->common.json)
		diff_json(&out, &run->report);
	else if (separator)
		diff_separated(&out, &run->report, separator);
	else
		diff_text(&out, &run->report);
	return output_close(&out, EXIT_FINE);
}

static int write_page(const struct run *run)
{
	const struct diff_page page = {
		.report = &run->report,
		.from = &run->options->from,
		.recordings = run->recordings,
		.side_count = run->side_count,
		.common = &run->options->common,
	};

	return run->options->html ? diff_page_write(&page, run->options->html) : EXIT_FINE;
}

static int print_all(const struct run *run)
{
	int status = print(run);

	if (status == EXIT_FINE)
		status = write_file(run, run->options->markdown, diff_markdown);
	if (status == EXIT_FINE)
		status = write_file(run, run->options->junit, diff_junit);
	if (status == EXIT_FINE)
		status = write_file(run, run->options->otava, diff_otava);
	if (status == EXIT_FINE)
		status = write_page(run);
	return status;
}

static int compare_all(struct run *run)
{
	const struct diff_command_options *options = run->options;
	struct diff_result *results = memory_alloc(run->side_count * sizeof(*results));
	size_t count = 0;
	int status = EXIT_FINE;

	for (size_t i = 1; status == EXIT_FINE && i < run->side_count; i++)
		status = compare_side(run, run->sides[i], &results[count++]);
	run->report = (struct diff_report){
		.before = run->sides[0],
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
		status = print_all(run);
	if (status == EXIT_FINE && diff_failures(&run->report))
		status = EXIT_GATE;
	for (size_t i = 0; i < count; i++) {
		diff_free(results[i].diff);
		free(results[i].gates);
	}
	free(results);
	return status;
}

static void release(struct run *run)
{
	for (size_t i = 0; i < run->side_count; i++) {
		diff_side_free(run->sides[i]);
		free(run->recordings[i]);
	}
	free(run->sides);
	free(run->recordings);
	for (size_t i = 0; i < run->limit_count; i++)
		gate_limit_free(&run->limits[i]);
	free(run->limits);
}

/* ---- The command ------------------------------------------------------------------------------
 */

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct diff_command_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) \
	OPTION_ROW_FLAG(struct diff_command_options, l, n, member, text)

static const char *const computes[] = {"delta-abs", "delta", "ratio", NULL};
static const char *const orders[] = {"change", "before", "after", "name", NULL};
static const char *const key_names[] = {"symbol",  "dso",     "comm", "pid",    "tid", "cpu",
					"srcline", "srcfile", "op",   "inline", NULL};

static const struct option options[] = {
	{
		.name = "fail-above",
		.kind = OPTION_WORDS,
		.argument = "LIMIT",
		.offset = offsetof(struct diff_command_options, above),
		.help = "exit with status 4 if a metric, event or function grows by more: "
			"cycles:2%, slots@FUNCTION:5%",
	},
	{
		.name = "fail-below",
		.kind = OPTION_WORDS,
		.argument = "LIMIT",
		.offset = offsetof(struct diff_command_options, below),
		.help = "likewise if it shrinks by more: ipc:2%",
	},
	TEXT_ROW(0, "baseline", "FILE", baseline, "compare with this baseline"),
	TEXT_ROW(0, "write-baseline", "FILE", write_baseline,
		 "write the last file as a baseline, for version control"),
	TEXT_ROW(0, "markdown", "FILE", markdown, "also write Markdown; - is standard output"),
	TEXT_ROW(0, "html", "FILE", html, "also write a page for any web browser"),
	TEXT_ROW(0, "junit", "FILE", junit, "also write the limits as test cases, in JUnit's XML"),
	TEXT_ROW(0, "otava", "FILE", otava, "also write a row per file, for Apache Otava"),
	TEXT_ROW(0, "commit", "ID", commit, "name the commit of the last file in --otava's row"),
	{
		.letter = 'c',
		.name = "compute",
		.kind = OPTION_CHOICE,
		.argument = "WAY",
		.offset = offsetof(struct diff_command_options, compute),
		.choices = computes,
		.help = "show differences, the largest first (delta-abs, default), increases "
			"first (delta), or ratios (ratio)",
	},
	{
		.name = "order",
		.kind = OPTION_CHOICE,
		.argument = "COLUMN",
		.offset = offsetof(struct diff_command_options, order),
		.choices = orders,
		.help = "sort by change (default), before, after or name",
	},
	{
		.letter = 's',
		.name = "sort",
		.kind = OPTION_WORDS,
		.argument = "KEY,...",
		.offset = offsetof(struct diff_command_options, sort),
		.choices = key_names,
		.help = "add up samples by these keys instead of by function",
	},
	FLAG_ROW('b', "baseline-only", baseline_only, "show only what the first file has, too"),
	TEXT_ROW(0, "percent-limit", "PERCENT", percent_limit,
		 "leave out functions and lines with a smaller share on both sides (default: 0.1)"),
	{
		.name = "limit",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct diff_command_options, limit),
		.help = "print at most N rows per table (default: 12)",
	},
	FLAG_ROW(0, "by-name", by_name, "match functions by name only"),
	TEXT_ROW(0, "time", "START,STOP", from.chosen.time,
		 "use only these times: seconds, or parts such as 10%-20%"),
	TEXT_ROW('C', "comms", "COMM,...", from.chosen.comms, "use only threads with these names"),
	TEXT_ROW(0, "pid", "PID,...", from.chosen.pids, "use only these processes"),
	TEXT_ROW(0, "tid", "TID,...", from.chosen.tids, "use only these threads"),
	TEXT_ROW(0, "cpu", "CPU,...", from.chosen.cpus, "use only these CPUs: 0,2-3"),
	TEXT_ROW('S', "symbols", "SYMBOL,...", from.chosen.symbols,
		 "use only samples in these functions"),
	TEXT_ROW('d', "dsos", "DSO,...", from.chosen.dsos, "use only samples in these files"),
	TEXT_ROW(0, "filter", "TERM,...", from.filter,
		 "use only SPE records and samples that match: load,latency>=100,source=DRAM"),
	TEXT_ROW(0, "symfs", "DIR", from.symfs, "look for the mapped files below DIR"),
	TEXT_ROW(0, "kallsyms", "FILE", from.kallsyms,
		 "read the recorded kernel's symbols from FILE"),
	OPTION_ROW_CORE(struct diff_command_options, from.core),
	FLAG_ROW(0, "no-demangle", from.no_demangle,
		 "print C++ and Rust names as the linker knows them"),
	FLAG_ROW(0, "csv", csv, "print CSV with all changes, with a header line"),
	TEXT_ROW('t', "field-separator", "SEP", common.separator,
		 "print one line per change, with fields separated by SEP"),
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("also show small changes and those that may be noise"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run_diff(const struct command *command, int count, char **arguments)
{
	struct diff_command_options values = {0};
	struct run run = {.options = &values};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status) ||
	    !options_separator(command, &values.common))
		return status;
	run.reading = (struct diff_reading_options){.from = values.from,
						    .lines = values.sort.count == 0,
						    .verbose = values.common.verbose};
	status = parse_options(&run);
	if (status == EXIT_FINE)
		status = read_sides(&run, &operands);
	if (status == EXIT_FINE && run.side_count > 1)
		status = compare_all(&run);
	/* What a gate refuses does not become the next baseline by itself. */
	if (status == EXIT_FINE)
		status = write_baseline(&run);
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
	.options = options,
	.perf_twins = perf_options_diff,
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
