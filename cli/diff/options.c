/* SPDX-License-Identifier: Apache-2.0 */
/* The options of plumb diff. */
#include <stdlib.h>
#include <string.h>

#include <plumb/profile.h>

#include "base/near.h"
#include "diff/command.h"
#include "render/html.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct diff_command_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) \
	OPTION_ROW_FLAG(struct diff_command_options, l, n, member, text)

static const char *const computes[] = {"delta-abs", "delta", "ratio", NULL};
static const char *const orders[] = {"change", "before", "after", "name", NULL};
static const char *const key_names[] = {"symbol",  "dso",     "comm", "pid",    "tid", "cpu",
					"srcline", "srcfile", "op",   "inline", NULL};

const struct option diff_options[] = {
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
		.help = "add up samples by these keys, as in plumb report -s, instead of by "
			"function",
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

/* ---- Their values -----------------------------------------------------------------------------
 */

static int parse_limits(struct diff_run *run, const struct option_words *words, bool below)
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

static int add_key(struct diff_run *run, const char *name)
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

static int parse_keys(struct diff_run *run)
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

static int parse_percent(struct diff_run *run)
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

bool diff_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

bool diff_is_for_programs(const struct diff_command_options *options)
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
			    !inputs_are_one(outputs[i].path, outputs[j].path))
				continue;
			complain("--%s and --%s cannot both write %s", outputs[i].option,
				 outputs[j].option,
				 diff_is_stdout(outputs[i].path) ? "standard output"
								 : outputs[i].path);
			return false;
		}
		if (diff_is_stdout(outputs[i].path) && i > 0 && diff_is_for_programs(options) &&
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

int diff_parse_options(struct diff_run *run)
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
