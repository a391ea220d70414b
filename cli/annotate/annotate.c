/* SPDX-License-Identifier: Apache-2.0 */
/* plumb annotate: the source and the instructions of a function, with what a recording says of
 * each. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "render/annotation.h"
#include "render/source_text.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/modules.h"
#include "tool/perf_options.h"
#include "tool/reading.h"

#define LINES_SHOWN   5
#define FILES_CHECKED 64
/* Bytes before and after the code at an address without a function. */
#define AROUND UINT64_C(64)

struct annotate_options {
	struct common_options common;
	struct reading_options from;
	const char *symbol, *percent_limit;
	const char *start, *stop; /* as given */
	uint64_t part_start, part_end;
	char part[48]; /* its name as a function */
	/* If the symbol that was asked for is an address; NULL: it is a name. */
	const char *place_text;
	struct choice_place place;
	unsigned limit;
	bool stdio, print_line, no_source, show_samples;
	bool force; /* has no effect */
};

struct annotate_run {
	const struct annotate_options *options;
	struct reading reading;
	struct annotation_view view;
	/* Where most samples without a function are: the candidate of a majority vote. */
	struct plumb_symbol_file *unknown;
	uint64_t unknown_votes;
	bool chosen; /* there are options that choose samples */
	/* The code to show instead of the heaviest function, as it is in none; 0: there is none. */
	uint64_t part_start, part_end;
};

/* ---- The recording ----------------------------------------------------------------------------
 */

static void note_unknown(struct annotate_run *run, struct plumb_symbol_file *file)
{
	if (!run->unknown_votes)
		run->unknown = file;
	if (run->unknown == file)
		run->unknown_votes++;
	else
		run->unknown_votes--;
}

static bool wants(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	struct annotate_run *run = user;

	if (run->chosen && !choice_wants(&run->reading.choice, item->record, item->task, location))
		return false;
	if (location->file && !location->symbol)
		note_unknown(run, location->file);
	return true;
}

/* Adds the whole stream. Returns an error of reading. */
static int add_samples(struct annotate_run *run)
{
	struct plumb_samples *samples = reading_begin(&run->reading);
	const struct plumb_samples_item *item;
	int status;

	while ((status = plumb_samples_next(samples, &item)) > 0)
		if (plumb_annotation_add(run->view.annotation, item) < 0)
			memory_given(NULL);
	if (plumb_annotation_finish(run->view.annotation) < 0)
		memory_given(NULL);
	reading_end(&run->reading, samples);
	return status;
}

/* ---- Functions --------------------------------------------------------------------------------
 */

/* Tells whether `path` is a file, and when it was changed last. */
static bool time_of(const char *path, struct timespec *time)
{
	struct stat status;

	if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	*time = status.st_mtim;
	return true;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Warns if a file of source does not look like the one that the program was built from. */
static void check_source(const struct annotate_run *run, const struct plumb_annotated_code *code,
			 const char *path, unsigned last_line)
{
	const char *program = plumb_symbol_file_path(run->reading.symbols, code->function.file);
	struct source_text *texts;
	struct timespec built, changed;
	size_t length;

	if (!time_of(path, &changed))
		return;
	if (time_of(program, &built) && is_later(&changed, &built)) {
		complain("%s has changed since %s was built; its lines may be wrong", path,
			 program);
		return;
	}
	texts = source_text_new();
	if (!source_text_line(texts, path, last_line, &length) &&
	    source_text_line(texts, path, 1, &length))
		complain(
			"%s has no line %u, so it has changed since %s was built; its lines may be "
			"wrong",
			path, last_line, program ? program : "the program");
	source_text_free(texts);
}

/* Checks each of the first files, by the largest number of lines that stand together. */
static void check_sources(const struct annotate_run *run, const struct plumb_annotated_code *code)
{
	const char *checked[FILES_CHECKED];
	unsigned last = 0;
	size_t count = 0;

	for (size_t i = 0; i < code->line_count && count < FILES_CHECKED; i++) {
		const struct plumb_annotated_line *line = &code->lines[i];
		bool known = !line->file;
		char *path;

		last = line->line > last ? line->line : last;
		if (i + 1 < code->line_count && line->file && line[1].file &&
		    strcmp(line->file, line[1].file) == 0)
			continue;
		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(checked[k], line->file) == 0;
		if (!known) {
			checked[count++] = line->file;
			path = annotation_line_path(line);
			check_source(run, code, path, last);
			free(path);
		}
		last = 0;
	}
}

/* Loads the disassembler, or warns once why there is none. */
static void open_disassembler(struct annotate_run *run)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	char *folder = modules_find("plumb-llvm.so", PLUMB_BUILD_DISASM);
	const struct plumb_diagnostic *first;

	if (plumb_disassembler_new(folder, &run->view.disassembler, diagnostics) < 0) {
		first = plumb_diagnostics_get(diagnostics, 0);
		complain("%s: %s; instructions are shown as numbers", first ? first->file : folder,
			 first ? first->message : "out of memory");
		if (first)
			advise_on(first);
	}
	free(folder);
	plumb_diagnostics_free(diagnostics);
}

static const struct plumb_annotated_code *ranked_code;

static int compare_lines(const void *a, const void *b)
{
	const struct plumb_annotated_line *x = &ranked_code->lines[*(const size_t *)a];
	const struct plumb_annotated_line *y = &ranked_code->lines[*(const size_t *)b];

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

static size_t *rank_lines(const struct plumb_annotated_code *code)
{
	size_t *ranking = memory_resize(NULL, code->line_count + 1, sizeof(*ranking));

	for (size_t i = 0; i < code->line_count; i++)
		ranking[i] = i;
	ranked_code = code;
	qsort(ranking, code->line_count, sizeof(*ranking), compare_lines);
	return ranking;
}

/* Computes how often loops ran, if the profile is exact and has all instructions. */
static struct plumb_trips *count_trips(const struct annotate_run *run,
				       const struct plumb_annotated_code *code,
				       const struct plumb_flow *flow)
{
	struct plumb_annotation_summary summary;
	struct plumb_trips *trips;
	struct plumb_loop loop;
	uint64_t *executions;
	size_t count = 0;

	plumb_annotation_summary(run->view.annotation, &summary);
	/* A filter may leave out instructions of the loop. */
	if (summary.basis != PLUMB_BASIS_SLOTS || run->reading.choice.operations)
		return NULL;
	while (plumb_flow_loop(flow, count, &loop))
		count++;
	trips = memory_alloc((count + 1) * sizeof(*trips));
	executions = memory_alloc((code->count + 1) * sizeof(*executions));
	for (size_t i = 0; i < code->count; i++)
		executions[i] = code->instructions[i].executions;
	if (plumb_flow_trips(flow, executions, trips) < 0)
		memory_given(NULL);
	free(executions);
	return trips;
}

static int show(struct annotate_run *run, size_t i, struct output *out, struct json_list *functions)
{
	struct plumb_annotated_code code;
	struct plumb_flow *flow = NULL;
	struct annotated function = {.view = &run->view, .code = &code};
	struct plumb_trips *trips = NULL;
	size_t *ranking = NULL;
	int error = plumb_annotation_code(run->view.annotation, i, &code);

	if (error == 0 && code.words)
		error = plumb_flow_new(code.instructions[0].address, code.words, code.count, &flow);
	if (error == 0) {
		if (flow)
			trips = count_trips(run, &code, flow);
		ranking = rank_lines(&code);
		function.flow = flow;
		function.trips = trips;
		function.ranking = ranking;
		if (functions)
			annotation_json_add(functions, &function);
		else
			annotation_text(out, &function);
		if (!run->view.by_address)
			check_sources(run, &code);
	} else if (error == PLUMB_ERR_LIMIT) {
		complain("%s: this function is too large to be annotated",
			 plumb_symbol_name(code.function.symbol));
	} else {
		memory_given(NULL);
	}
	free(ranking);
	free(trips);
	plumb_flow_free(flow);
	plumb_annotated_code_free(&code);
	return complain_status(error);
}

/* Tells whether a function contains an address of its file. */
static bool contains(const struct annotate_run *run,
		     const struct plumb_annotated_function *function, uint64_t address)
{
	const uint64_t start = plumb_symbol_start(function->symbol);
	const struct plumb_location location = {.file = function->file, .address = start};
	uint64_t linked;

	return plumb_symbolizer_link_address(run->reading.symbols, &location, &linked) &&
	       address - linked < plumb_symbol_end(function->symbol) - start;
}

/* Tells whether a function has the requested name, or contains the requested address. */
static bool is_wanted(const struct annotate_run *run, size_t i)
{
	const struct annotate_options *options = run->options;
	struct plumb_annotated_function function;

	plumb_annotation_function(run->view.annotation, i, &function);
	if (!options->symbol || (!options->part_end &&
				 strcmp(options->symbol, plumb_symbol_name(function.symbol)) == 0))
		return true;
	if (options->place_text && !choice_place_fits(&options->place, function.file))
		return false;
	if (options->part_end)
		return strcmp(options->symbol, plumb_symbol_name(function.symbol)) == 0;
	return options->place_text && contains(run, &function, options->place.address);
}

/* Says why most functions are unknown, unless the symbolizer has a warning about the file. */
static void explain_unknown(const struct annotate_run *run)
{
	const char *name = run->unknown ? plumb_symbol_file_name(run->unknown) : NULL;
	const char *root = run->options->from.symfs ? run->options->from.symfs : "";
	char *path;

	if (!name || *name != '/')
		return;
	path = memory_format("%s%s", root, name);
	if (access(path, R_OK) != 0)
		complain("%s cannot be read: %s", path, strerror(errno));
	free(path);
}

/* Offers the code around the heaviest instruction that is in no function. */
static void advise_part(const struct plumb_annotation_summary *summary)
{
	if (summary->unknown_stop)
		advise("plumb annotate --start-address 0x%" PRIx64 " --stop-address 0x%" PRIx64
		       " shows the heaviest part",
		       summary->unknown_start, summary->unknown_stop);
}

static int no_function(const struct annotate_run *run)
{
	struct plumb_annotation_summary summary;
	struct plumb_annotated_function function;

	plumb_annotation_summary(run->view.annotation, &summary);
	if (run->options->part_end && run->options->place_text) {
		complain("%s: no samples around %s", run->options->from.input,
			 run->options->place_text);
		advise_part(&summary);
	} else if (run->options->part_end && summary.basis != PLUMB_BASIS_NONE) {
		complain("%s: no samples from %s to %s", run->options->from.input,
			 run->options->start, run->options->stop);
		advise_part(&summary);
	} else if (summary.function_count && run->options->symbol) {
		plumb_annotation_function(run->view.annotation, 0, &function);
		complain("%s: no samples in a function called '%s'", run->options->from.input,
			 run->options->symbol);
		advise("the hottest function is %s; plumb report lists all",
		       plumb_symbol_name(function.symbol));
	} else if (summary.basis == PLUMB_BASIS_NONE) {
		complain("%s: no samples %s", run->options->from.input,
			 choice_is_given(&run->options->from.chosen) || run->options->from.filter
				 ? "match"
				 : "in this recording");
	} else {
		explain_unknown(run);
		complain("%s: the functions of all samples are unknown", run->options->from.input);
		advise("--symfs names a folder with the programs; plumb report -s ip shows "
		       "addresses");
		advise_part(&summary);
	}
	return EXIT_USAGE;
}

static int print(struct annotate_run *run)
{
	const struct annotate_options *options = run->options;
	struct plumb_annotated_function function;
	unsigned limit = options->limit ? options->limit : 1;
	struct json_list functions = {.out = NULL};
	struct output out;
	int status;
	size_t shown = 0;

	status = output_open(&out, &options->common);
	if (status != EXIT_FINE)
		return status;
	if (options->common.json)
		functions.out = &out;
	for (size_t i = 0; status == EXIT_FINE && shown < limit &&
			   plumb_annotation_function(run->view.annotation, i, &function);
	     i++) {
		if (!is_wanted(run, i))
			continue;
		if (shown++ && !functions.out)
			fputs("\n\n", out.stream);
		status = show(run, i, &out, functions.out ? &functions : NULL);
	}
	annotation_json_end(&functions);
	return output_close(&out, status);
}

static bool has_function(const struct annotate_run *run)
{
	struct plumb_annotated_function function;

	for (size_t i = 0; plumb_annotation_function(run->view.annotation, i, &function); i++)
		if (is_wanted(run, i))
			return true;
	return false;
}

/* Returns whether code without a function is the heaviest, so that it is what to show. */
static bool takes_part(struct annotate_run *run)
{
	const struct annotate_options *options = run->options;
	struct plumb_annotation_summary summary;

	plumb_annotation_summary(run->view.annotation, &summary);
	if (options->symbol || options->limit || strcmp(options->from.input, "-") == 0 ||
	    !summary.unknown_leads)
		return false;
	run->part_start = summary.unknown_start;
	run->part_end = summary.unknown_stop;
	return true;
}

/* Returns whether to show the code around the requested address, as no function has it. */
static bool takes_place(struct annotate_run *run)
{
	const struct annotate_options *options = run->options;
	struct plumb_annotation_summary summary;
	uint64_t middle = options->place.address & ~(AROUND - 1);

	plumb_annotation_summary(run->view.annotation, &summary);
	if (!options->place_text || options->part_end || summary.basis == PLUMB_BASIS_NONE ||
	    strcmp(options->from.input, "-") == 0 || middle > UINT64_MAX - 2 * AROUND)
		return false;
	run->part_start = middle > AROUND ? middle - AROUND : 0;
	run->part_end = middle + 2 * AROUND;
	return true;
}

static int annotate(struct annotate_run *run)
{
	const struct annotate_options *options = run->options;
	struct plumb_annotation_options wanted = {
		.size = sizeof(wanted),
		.wants = wants,
		.user = run,
		.filtered = options->from.filter != NULL,
		.part_start = options->part_start,
		.part_end = options->part_end,
	};
	int error, status;

	run->chosen = !choice_is_all(&run->reading.choice);
	run->view.filtered = run->reading.choice.operations;
	run->view.modelled = reading_is_modelled(&run->reading);
	run->view.core = plumb_cost_core(reading_midr(&run->reading));
	if (run->view.core)
		wanted.mispredict_cycles = plumb_cost_mispredict(run->view.core);
	wanted.core = run->view.core;
	plumb_annotation_new(&wanted, run->reading.recording,
			     reading_symbols(&run->reading, options->common.verbose),
			     &run->view.annotation);
	memory_given(run->view.annotation);
	error = add_samples(run);
	if (error < 0)
		complain_findings(run->reading.diagnostics, options->from.input, error);
	run->view.incomplete = error < 0 || reading_is_incomplete(&run->reading);
	status = complain_status(error);
	/* What could be read of a damaged recording is of use. */
	if (status == EXIT_FINE && takes_part(run)) {
		advise("the heaviest code is in no known function; shown by its addresses");
	} else if (has_function(run)) {
		if (!run->view.only_lines || options->common.json)
			open_disassembler(run);
		error = print(run);
		status = status == EXIT_FINE ? error : status;
	} else if (status == EXIT_FINE && takes_place(run)) {
		advise("%s is in no known function with samples; the code around it is shown",
		       options->place_text);
	} else if (status == EXIT_FINE) {
		status = no_function(run);
	}
	complain_warnings(run->reading.diagnostics);
	plumb_disassembler_free(run->view.disassembler);
	plumb_annotation_free(run->view.annotation);
	return status;
}

/* ---- The command ------------------------------------------------------------------------------
 */

static int read_view(const struct annotate_options *options, struct annotation_view *view)
{
	char *rest;

	view->path = options->from.input;
	view->by_address = options->no_source;
	view->only_lines = options->print_line;
	view->show_samples = options->show_samples;
	view->line_limit = options->print_line ? SIZE_MAX : LINES_SHOWN;
	if (!options->percent_limit)
		return EXIT_FINE;
	view->percent_limit = strtod(options->percent_limit, &rest);
	if (rest != options->percent_limit && !*rest && view->percent_limit >= 0 &&
	    view->percent_limit <= 100)
		return EXIT_FINE;
	complain_value("percent-limit", options->percent_limit, 100, NULL);
	return EXIT_USAGE;
}

static int read_address(const char *option, const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	if (isxdigit((unsigned char)*text) && !*end && !errno)
		return EXIT_FINE;
	complain_value(option, text, UINT64_MAX,
		       "use an address as objdump -d prints it: 400668 or 0x400668");
	return EXIT_USAGE;
}

static void name_part(struct annotate_options *options)
{
	snprintf(options->part, sizeof(options->part), "0x%" PRIx64 "-0x%" PRIx64,
		 options->part_start, options->part_end);
	options->symbol = options->part;
}

/* Reads --start-address and --stop-address. */
static int read_part(struct annotate_options *options)
{
	int status;

	if (!options->start && !options->stop)
		return EXIT_FINE;
	if (!options->start || !options->stop) {
		complain("--%s requires --%s", options->start ? "start-address" : "stop-address",
			 options->start ? "stop-address" : "start-address");
		return EXIT_USAGE;
	}
	if (options->symbol) {
		complain("--start-address and --symbol cannot be combined");
		return EXIT_USAGE;
	}
	status = read_address("start-address", options->start, &options->part_start);
	if (status == EXIT_FINE)
		status = read_address("stop-address", options->stop, &options->part_end);
	if (status == EXIT_FINE && options->part_end <= options->part_start) {
		complain("--stop-address %s is not above --start-address %s", options->stop,
			 options->start);
		return EXIT_USAGE;
	}
	/* Instructions take four bytes. */
	options->part_start &= ~UINT64_C(3);
	name_part(options);
	return status;
}

/* Reads the recording and shows it. Sets the code to show next instead, or 0. */
static int read_and_show(struct annotate_options *options, uint64_t part[2])
{
	const struct plumb_recording_options how = {.size = sizeof(how)};
	struct annotate_run run = {.options = options, .reading.options = &options->from};
	int status;

	run.reading.diagnostics = memory_given(plumb_diagnostics_new());
	/* By default each SPE record is one sample. */
	run.reading.samples.order = PLUMB_ORDER_TASKS;
	run.reading.samples.each_record_once = !options->from.itrace;
	status = read_view(options, &run.view);
	if (status == EXIT_FINE)
		status = reading_samples(&run.reading, NULL);
	if (status == EXIT_FINE)
		status = reading_open(&run.reading, &how);
	if (status == EXIT_FINE)
		status = reading_filter(&run.reading, NULL);
	if (status == EXIT_FINE)
		status = reading_choice(&run.reading);
	if (status == EXIT_FINE)
		status = annotate(&run);
	part[0] = run.part_start;
	part[1] = run.part_end;
	return reading_close(&run.reading, status);
}

static int run_annotate(struct annotate_options *options)
{
	uint64_t part[2] = {0, 0};
	int status = read_part(options);

	if (options->symbol && !options->part_end &&
	    choice_read_place(options->symbol, &options->place))
		options->place_text = options->symbol;
	if (!options->from.input)
		options->from.input = READING_DEFAULT_INPUT;
	options->from.input = inputs_recording(options->from.input);
	if (status == EXIT_FINE)
		status = read_and_show(options, part);
	if (status != EXIT_FINE || !part[1])
		return status;
	options->part_start = part[0];
	options->part_end = part[1];
	name_part(options);
	return read_and_show(options, part);
}

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct annotate_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) OPTION_ROW_FLAG(struct annotate_options, l, n, member, text)

static const struct option options[] = {
	OPTION_ROW_INPUT(struct annotate_options, from.input),
	FLAG_ROW(0, "stdio", stdio, "print text (default)"),
	TEXT_ROW('s', "symbol", "SYMBOL", symbol,
		 "show this function (default: the one with the largest share)"),
	TEXT_ROW(0, "start-address", "ADDRESS", start,
		 "show the code from this address, as objdump -d prints it, whatever function it "
		 "is in"),
	TEXT_ROW(0, "stop-address", "ADDRESS", stop, "show the code up to this address"),
	{
		.name = "limit",
		.kind = OPTION_NUMBER,
		.argument = "N",
		.offset = offsetof(struct annotate_options, limit),
		.help = "show the N functions with the largest shares (default: 1)",
	},
	FLAG_ROW('l', "print-line", print_line,
		 "print all lines of source, the largest share first, without instructions"),
	FLAG_ROW(0, "no-source", no_source, "print instructions by address, without source"),
	FLAG_ROW('n', "show-nr-samples", show_samples,
		 "also print the number of samples of each line"),
	TEXT_ROW(0, "percent-limit", "PERCENT", percent_limit,
		 "leave lines with a smaller share out of the list of lines"),
	TEXT_ROW('d', "dsos", "DSO,...", from.chosen.dsos, "use only samples in these files"),
	TEXT_ROW('C', "cpu", "CPU,...", from.chosen.cpus, "use only samples of these CPUs: 0,2-3"),
	TEXT_ROW(0, "time", "START,STOP", from.chosen.time,
		 "use only these times: seconds, or parts such as 10%-20%"),
	TEXT_ROW(0, "pid", "PID,...", from.chosen.pids, "use only these processes"),
	TEXT_ROW(0, "tid", "TID,...", from.chosen.tids, "use only these threads"),
	TEXT_ROW(0, "filter", "TERM,...", from.filter,
		 "use only SPE records and samples that match: load,latency>=100,source=DRAM"),
	TEXT_ROW(0, "itrace", "OPTIONS", from.itrace,
		 "select which samples are synthesized from SPE records (default: each record is "
		 "one sample)"),
	TEXT_ROW(0, "symfs", "DIR", from.symfs, "look for the mapped files below DIR"),
	TEXT_ROW(0, "kallsyms", "FILE", from.kallsyms,
		 "read the recorded kernel's symbols from FILE"),
	TEXT_ROW('k', "vmlinux", "FILE", from.vmlinux,
		 "read the recorded kernel's symbols from this ELF file"),
	OPTION_ROW_CORE(struct annotate_options, from.core),
	FLAG_ROW(0, "no-demangle", from.no_demangle,
		 "print C++ and Rust names as the linker knows them"),
	FLAG_ROW('f', "force", force, "accepted for perf compatibility; no effect"),
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("print functions with their parameters"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct annotate_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (operands.count && values.symbol) {
		complain("--symbol and SYMBOL cannot be combined");
		return EXIT_USAGE;
	}
	if (operands.count)
		values.symbol = operands.at[0];
	return run_annotate(&values);
}

const struct command command_annotate = {
	.path = "plumb annotate",
	.name = "annotate",
	.summary = "show which lines and instructions of a function take the time",
	.operands = "[SYMBOL]",
	.most = 1,
	.text = "Prints the source of a function, with its instructions beneath each line and what "
		"the recording says about each. Exact profiles, made by plumb record --exact, give "
		"slots with their causes; SPE records give latencies.",
	.options = options,
	.perf_twins = perf_options_annotate,
	.examples =
		(const struct example[]){
			{"plumb annotate", "show the function with the largest share"},
			{"plumb annotate main -l", "list the lines of main by their shares"},
			{"plumb annotate --no-source main", "show main's instructions by address"},
			{0},
		},
	.run = run,
};
