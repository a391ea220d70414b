/* SPDX-License-Identifier: Apache-2.0 */
/* plumb import: diagnoses counts that other tools took. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "importing.h"
#include "render/output.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/inputs.h"
#include "tool/memory.h"

/* In the order of enum import_format. */
static const char *const formats[] = {"auto",         "perf-json", "perf-csv",
				      "topdown-tool", "table",     NULL};

static const struct option options[] = {
	OPTION_ROW_CPU,
	{
		.name = "format",
		.kind = OPTION_CHOICE,
		.argument = "FORMAT",
		.offset = offsetof(struct import_options, format),
		.choices = formats,
		.help = "set the format of the input: auto (default), perf-json, perf-csv, "
			"topdown-tool or table",
	},
	{
		.letter = 'x',
		.name = "field-separator",
		.kind = OPTION_TEXT,
		.argument = "SEP",
		.offset = offsetof(struct common_options, separator),
		.help = "set the separator of perf stat -x or of a table (default: recognize it)",
	},
	OPTION_ROWS_SELECTING(struct import_options, selecting, "show"),
	{
		.letter = 'e',
		.name = "event",
		.kind = OPTION_WORDS,
		.argument = "EVENT|METRIC,...",
		.offset = offsetof(struct import_options, events),
		.help = "show these events, by name or code, and metrics",
	},
	{
		.name = "summary-only",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct import_options, summary_only),
		.help = "of intervals, print only the totals, with the range over the intervals",
	},
	OPTION_ROW_JSON,
	{
		.name = "csv",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct import_options, csv),
		.help = "print CSV: one row per metric of each group, and per event",
	},
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("show all nodes and groups, and the counts of their events"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

/* Reads a file; "-" is standard input. */
static int read_file(struct import *import, const struct import_options *values, const char *path,
		     struct plumb_diagnostics *diagnostics)
{
	const bool input = strcmp(path, "-") == 0;
	char *bytes = NULL;
	size_t size = 0;
	int error = file_read(input ? "/dev/stdin" : path, IMPORT_BYTES_MAX, &bytes, &size);

	if (error == PLUMB_ERR_IO) {
		complain("cannot read %s: %s", input ? "standard input" : path, strerror(errno));
		return EXIT_USAGE;
	}
	inputs_note(path, "the input");
	if (error == 0)
		error = import_read(import, (enum import_format)values->format,
				    values->common.separator, path, bytes, size, diagnostics);
	free(bytes);
	if (error < 0)
		complain_findings(diagnostics, path, error);
	if (error < 0 && import->plain)
		advise("run perf stat again with -j");
	return complain_status(error);
}

/* Tells whether a file has call paths, as Arm's sl-analyze names its files. */
static bool has_call_paths(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strncmp(name, "callpaths-", strlen("callpaths-")) == 0;
}

static int read_files(struct import *import, const struct import_options *values,
		      const struct operands *files, struct plumb_diagnostics *diagnostics)
{
	int status = EXIT_FINE;

	for (int i = 0; status == EXIT_FINE && i < files->count; i++) {
		if (!has_call_paths(files->at[i])) {
			status = read_file(import, values, files->at[i], diagnostics);
			continue;
		}
		complain("%s: call paths cannot be imported: each count is in several rows",
			 files->at[i]);
		advise("import the table of functions instead: functions-*.csv");
		status = EXIT_UNABLE;
	}
	return status;
}

static bool check(const struct import_options *values)
{
	if (values->common.json && values->csv) {
		complain("--json and --csv cannot be combined");
		return false;
	}
	return true;
}

/* The counts do not say which CPU they are of, and a wrong one would give wrong metrics. */
static bool names_cpu(const struct import_options *values)
{
	if (values->common.cpu)
		return true;
	complain("missing --cpu: the counts do not say which CPU they are of");
	advise("see plumb spec list cpus; on the machine that counted, plumb list cores");
	return false;
}

/* Reads the files, and diagnoses the counts of `cpu`, which may be NULL. Returns an exit status. */
static int import_files(const struct import_options *values, const struct operands *files,
			const struct plumb_spec *cpu)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct import import;
	struct import_names names;
	int status;

	import_begin(&import);
	/* What is no table of counts is told before the counts' CPU is asked for. */
	status = read_files(&import, values, files, diagnostics);
	if (status == EXIT_FINE && !names_cpu(values))
		status = EXIT_USAGE;
	if (status == EXIT_FINE) {
		status = import_names_find(&import, cpu, &names, diagnostics);
		if (status == EXIT_FINE)
			status = import_run(values, &import, &names, cpu, files->at, diagnostics);
		import_names_free(&names);
	}
	import_end(&import);
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* Returns whether standard input is among the files: it may be long, or a terminal. */
static bool reads_input(const struct operands *files)
{
	for (int i = 0; i < files->count; i++)
		if (strcmp(files->at[i], "-") == 0)
			return true;
	return false;
}

static int run(const struct command *command, int count, char **arguments)
{
	struct import_options values = {0};
	struct operands files;
	struct cpus cpus;
	int status;

	if (!options_parse(command, count, arguments, &values, &files, &status))
		return status;
	if (!options_separator(command, &values.common) || !check(&values))
		return EXIT_USAGE;
	files.at[files.count] = NULL;
	if (!values.common.cpu)
		return reads_input(&files) && !names_cpu(&values)
			       ? EXIT_USAGE
			       : import_files(&values, &files, NULL);
	status = cpus_open_one(&cpus, values.common.cpu, values.common.verbose);
	if (status != EXIT_FINE)
		return status;
	status = import_files(&values, &files, cpus.at[0]);
	cpus_close(&cpus);
	return status;
}

const struct command command_import = {
	.path = "plumb import",
	.name = "import",
	.summary = "diagnose counts that perf stat or other tools took",
	.operands = "FILE...",
	.fewest = 1,
	.most = OPERANDS_ANY,
	.text = "Reads counts from files, or from standard input if FILE is -, and prints the "
		"top-down analysis of them as plumb stat does. Understands what perf stat -j and "
		"perf stat -x print, topdown-tool's CSV of metrics and of events, and CSV tables "
		"with a column per event, such as Streamline exports.\n\n"
		"--cpu names the CPU that was counted. Metrics whose events are not in the input "
		"are shown as missing.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb import --cpu neoverse-v2 stat.json",
			 "diagnose what perf stat -j -o stat.json counted"},
			{"plumb import --cpu neoverse-n1 --json out/neoverse_n1_events.csv",
			 "print the analysis of topdown-tool's events as JSON"},
			{"plumb import --cpu neoverse-v2 -m L1D_Cache_Effectiveness stat.json",
			 "show one metric group"},
			{0},
		},
	.run = run,
};
