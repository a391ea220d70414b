/* SPDX-License-Identifier: Apache-2.0 */
/* plumb export: converts recordings for other tools. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <plumb/recording.h>
#include <plumb/samples.h>
#include <plumb/spe.h>

#include "base/near.h"
#include "commands.h"
#include "export/callgrind.h"
#include "export/stacks.h"
#include "render/spe_csv.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/inputs.h"
#include "tool/join.h"
#include "tool/memory.h"

struct export_options {
	struct common_options common;
	const char *format, *core, *input;
	bool raw;
};

static const struct {
	const char *name, *title;
} formats[] = {
	{"spe-csv", "the three tables of Arm's spe-parser: loads and stores, branches, other "
		    "SPE records"},
	{"callgrind", "events by function, line, instruction and call, for callgrind_annotate and "
		      "KCachegrind"},
	{"folded", "call stacks as lines, for flame graph tools"},
	{"speedscope", "call stacks of each kind of value, for speedscope"},
	{"pprof", "all values of each call stack, with threads, CPUs and data sources, for pprof"},
	{"firefox", "samples by thread and time, for the Firefox Profiler"},
};
#define FORMAT_COUNT (sizeof(formats) / sizeof(*formats))

struct exporting {
	const struct export_options *options;
	struct spe_csv csv;
	uint32_t midr; /* of --core; 0: use the recording's */
	uint64_t records;
};

/* Prints an error and returns false if writing fails. */
static bool export_batch(struct exporting *e, const struct plumb_samples_batch *batch)
{
	/* A bare buffer belongs to CPU 0, as in spe-parser. */
	const uint32_t cpu = e->options->raw ? 0 : (uint32_t)batch->cpu;

	for (size_t i = 0; i < batch->count; i++) {
		e->records++;
		if (!spe_csv_add(&e->csv, &batch->spe[i], cpu, batch->midr))
			return false;
	}
	return true;
}

/* Writes rows in the order of the file. Returns an error of the recording, or 0. */
static int export_recording(struct exporting *e, struct plumb_recording *recording,
			    const char *path, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_FILE, .midr = e->midr};
	const struct plumb_samples_batch *batch;
	struct plumb_samples *samples;
	int status;

	plumb_samples_begin(recording, &options, &samples, diagnostics);
	memory_given(samples);
	while ((status = plumb_samples_next_batch(samples, &batch)) > 0) {
		if (!export_batch(e, batch))
			break;
	}
	plumb_losses_report(plumb_samples_totals(samples)->lost, path, diagnostics);
	plumb_samples_end(samples);
	return status < 0 ? status : 0;
}

static int export_file(struct exporting *e, const char *path)
{
	const struct plumb_recording_options how = {
		.size = sizeof(how), .in_file_order = true, .bare_spe = e->options->raw};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct plumb_recording *recording = NULL;
	int error;

	error = plumb_recording_open(path, &how, &recording, diagnostics);
	if (error == 0)
		error = export_recording(e, recording, path, diagnostics);
	plumb_recording_close(recording);
	if (error < 0)
		complain_recording(diagnostics, path, error, !e->options->raw);
	complain_warnings(diagnostics);
	plumb_diagnostics_free(diagnostics);
	return complain_status(error);
}

/* Returns -o, or "spe" in the folder that -o names, or else "spe", as spe-parser does. */
static char *prefix_of(const char *output)
{
	size_t length = output ? strlen(output) : 0;
	struct stat status;

	if (length == 0)
		return memory_copy("spe", 3);
	if (output[length - 1] == '/') {
		if (mkdir(output, 0777) != 0 && errno != EEXIST)
			complain("cannot create folder %s: %s", output, strerror(errno));
		return memory_format("%sspe", output);
	}
	if (stat(output, &status) == 0 && S_ISDIR(status.st_mode))
		return memory_format("%s/spe", output);
	return memory_copy(output, length);
}

static int export_spe_csv(const struct export_options *options, uint32_t midr, const char *path)
{
	const char *output = options->common.output;
	struct exporting e = {.options = options, .midr = midr};
	char *prefix;
	int status;

	if (output && !output_is_file(&options->common)) {
		complain("cannot write to standard output: spe-csv writes several files");
		advise("name the prefix of the files, or their folder, with -o");
		return EXIT_USAGE;
	}
	prefix = prefix_of(output);
	e.csv.prefix = prefix;
	status = export_file(&e, path);
	if (!spe_csv_close(&e.csv))
		status = EXIT_OTHER;
	if (status == EXIT_FINE && e.records == 0) {
		complain("%s: no SPE records in this file", path);
		if (!options->raw)
			advise("record some with plumb record -e spe");
		status = EXIT_USAGE;
	}
	for (enum spe_table table = 0; status == EXIT_FINE && table < SPE_TABLES; table++) {
		if (options->common.verbose)
			fprintf(stderr, "%s-%s.csv: %" PRIu64 " rows\n", prefix,
				spe_csv_table_name(table), e.csv.files[table].rows);
	}
	free(prefix);
	return status;
}

static bool check_format(const char *format)
{
	struct near near = near_to(format ? format : "");

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (format && strcmp(formats[i].name, format) == 0)
			return true;
		near_offer(&near, formats[i].name, formats[i].name);
	}
	if (format)
		complain("unknown format '%s'", format);
	else
		complain("missing --format");
	if (!format || !advise_near(&near)) {
		struct join names = {0};
		char *list;

		for (size_t i = 0; i < FORMAT_COUNT; i++)
			join_add(&names, formats[i].name);
		list = join_take(&names);
		advise("supported formats: %s", list);
		free(list);
	}
	return false;
}

static void print_formats(struct output *out)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		table_cell(&table, formats[i].name);
		table_cell(&table, formats[i].title);
	}
	help_section(out, "Formats");
	table_print(&table, out, 2);
	table_free(&table);
}

static const char *const format_names[] = {"spe-csv", "callgrind", "folded", "speedscope",
					   "pprof",   "firefox",   NULL};

static const struct option options[] = {
	OPTION_ROW_INPUT(struct export_options, input),
	{
		.name = "format",
		.kind = OPTION_TEXT,
		.argument = "FORMAT",
		.offset = offsetof(struct export_options, format),
		.choices = format_names,
		.help = "set the output format (required)",
	},
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "FILE|PREFIX|FOLDER/",
		.offset = offsetof(struct export_options, common.output),
		.help = "write to FILE; with spe-csv, set the prefix of the files' names, or "
			"their folder (default: spe)",
	},
	{
		.name = "raw",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct export_options, raw),
		.help = "read a bare SPE buffer, such as WindowsPerf's spe.data",
	},
	OPTION_ROW_CORE(struct export_options, core),
	OPTION_ROW_VERBOSE("with spe-csv, print how many rows each file has"),
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct export_options values = {0};
	struct operands operands;
	uint32_t midr;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (!check_format(values.format) || cpus_midr(values.core, &midr) != EXIT_FINE)
		return EXIT_USAGE;
	if (!options_input(&operands, &values.input))
		return EXIT_USAGE;
	inputs_note(values.input, "the input");
	if (strcmp(values.format, "spe-csv") == 0)
		return export_spe_csv(&values, midr, values.input);
	if (strcmp(values.format, "callgrind") != 0)
		return export_stacks(&values.common,
				     &(const struct reading_options){.input = values.input,
								     .core = values.core,
								     .raw = values.raw},
				     values.format);
	if (values.raw || values.core) {
		complain("%s cannot be combined with --format callgrind",
			 values.raw ? "--raw" : "--core");
		return EXIT_USAGE;
	}
	return export_callgrind(&values.common, values.input);
}

const struct command command_export = {
	.path = "plumb export",
	.name = "export",
	.summary = "convert recordings for other tools",
	.operands = "[FILE]",
	.most = 1,
	.text = "Converts a recording (default: perf.data) to a format that other tools read. "
		"spe-csv writes no tables without rows.",
	.options = options,
	.more = print_formats,
	.examples =
		(const struct example[]){
			{"plumb export --format spe-csv",
			 "write spe-ldst.csv, spe-br.csv and spe-other.csv, as spe-parser -t csv "
			 "does"},
			{"plumb export --format spe-csv -o run1 run1.data",
			 "write run1-ldst.csv and so on"},
			{"plumb export --format callgrind -o callgrind.out",
			 "write a file for callgrind_annotate or KCachegrind"},
			{"plumb export --format pprof -o profile.pb.gz",
			 "write a file for pprof, as in go tool pprof -http=: profile.pb.gz"},
			{0},
		},
	.run = run,
};
