/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script: prints every sample of a recording like perf script, or as JSON. */
#include "script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "script/fields.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/like_perf.h"
#include "tool/memory.h"
#include "tool/perf_options.h"

/* ---- One sample ------------------------------------------------------------------------------ */

/* Checks that the first event of each type has the fields to print. */
static bool check_event(struct script *script, const struct plumb_recorded_event *event)
{
	enum event_type type = script_event_type(&event->attr);
	char room[EVENT_NAME_ROOM];
	int status;

	if (script->checked_types >> type & 1 || choice_is_dummy(&event->attr))
		return true;
	script->checked_types |= 1u << type;
	if (script->options->common.json)
		return true;
	status = script_fields_check(&script->fields, event, script_event_name(event, room),
				     script->aux, script->reading.diagnostics);
	if (status < 0)
		complain_findings(script->reading.diagnostics, script->options->from.input, status);
	return status == 0;
}

static bool wants(const struct script *script, struct script_sample *sample)
{
	const struct choice *choice = &script->reading.choice;

	if (choice_is_all(choice))
		return true;
	return choice_wants(choice, sample->record, sample->task,
			    choice_needs_location(choice) ? script_locate(&script->printer, sample)
							  : NULL);
}

bool script_shows_sample(const struct plumb_record *record)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(record);

	return record->event && mode != PLUMB_MODE_GUEST_KERNEL && mode != PLUMB_MODE_GUEST_USER;
}

/*
 * Prints a sample if it is wanted. Returns false, with a message, if its fields cannot be printed.
 */
static bool print_sample(struct script *script, const struct plumb_samples_item *item)
{
	struct script_sample sample = {
		.record = item->record,
		.task = item->task,
		.spe = item->spe,
		.groups = item->groups,
		.midr = item->midr,
		.event = item->record->event,
		.mode = plumb_record_mode(item->record),
	};

	if (!sample.event)
		return true;
	sample.type = script_event_type(&sample.event->attr);
	if (!(script->checked_types >> sample.type & 1) && !check_event(script, sample.event))
		return false;
	if (!script_shows_sample(sample.record) || !wants(script, &sample))
		return true;
	if (script->options->common.json)
		script_print_json(&script->printer, &sample);
	else
		script_print_line(&script->printer, &sample);
	return true;
}

/* ---- A recording ----------------------------------------------------------------------------- */

static bool check_events(struct script *script)
{
	const struct plumb_recorded_event *event;

	script->aux =
		script->options->from.raw ||
		plumb_recording_has_feature(script->reading.recording, PLUMB_FEATURE_AUXTRACE);
	for (size_t i = 0; (event = plumb_recording_event(script->reading.recording, i)); i++) {
		if (event->attr.sample_type & PLUMB_SAMPLE_CALLCHAIN)
			script->printer.callchains = !script->options->hide_call_graph;
		if (!check_event(script, event))
			return false;
		if (!choice_check_event(&script->reading.choice, &event->attr))
			return false;
	}
	return true;
}

static bool is_shown(const struct script_options *options, const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		return options->show_mmap;
	case PLUMB_RECORD_COMM:
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		return options->show_task;
	case PLUMB_RECORD_LOST:
		return options->show_lost;
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
		return options->show_switch;
	default:
		return false;
	}
}

/* Returns whether addresses may mean other places after this record, or threads have other names.
 */
static bool tells_of_tasks(uint32_t type)
{
	switch (type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
	case PLUMB_RECORD_COMM:
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
	case PLUMB_RECORD_KSYMBOL:
	case PLUMB_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

static bool print_item(struct script *script, const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;

	if (record->type == PLUMB_RECORD_SAMPLE)
		return print_sample(script, item);
	if (plumb_symbolizer_add(script->reading.symbols, record) < 0)
		memory_given(NULL);
	if (tells_of_tasks(record->type))
		script_repeats_forget(script->printer.repeats);
	if (is_shown(script->options, record) && !script->options->common.json &&
	    choice_wants_cpu(&script->reading.choice, record))
		script_print_record(&script->printer, record);
	return true;
}

static int print_samples(struct script *script)
{
	const struct plumb_samples_item *item;
	struct plumb_samples *samples;
	bool fine = true;
	int status;

	script->printer.samples = samples = reading_begin(&script->reading);
	while ((status = plumb_samples_next(samples, &item)) > 0) {
		fine = print_item(script, item);
		if (!fine || script->out.sink->error)
			break;
	}
	reading_note_itrace(&script->reading);
	plumb_losses_report(plumb_samples_totals(samples)->lost, script->options->from.input,
			    script->reading.diagnostics);
	if (status < 0)
		complain_findings(script->reading.diagnostics, script->options->from.input, status);
	complain_warnings(script->reading.diagnostics);
	plumb_samples_end(samples);
	return fine ? complain_status(status < 0 ? status : 0) : EXIT_USAGE;
}

/* Reports what the recording lacks, as far as it was read. */
static void say_losses(struct script *script)
{
	plumb_losses_report(plumb_recording_losses(script->reading.recording),
			    script->options->from.input, script->reading.diagnostics);
	complain_warnings(script->reading.diagnostics);
}

static int dump_records(struct script *script)
{
	const struct plumb_record *record;
	int status;

	while ((status = plumb_recording_next(script->reading.recording, &record)) > 0)
		script_dump_record(&script->buffer, record);
	if (status < 0)
		complain_findings(script->reading.diagnostics, script->options->from.input, status);
	say_losses(script);
	return complain_status(status);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_all(struct script *script)
{
	const struct script_options *options = script->options;
	const struct choice_input input = {options->from.input, script->reading.recording,
					   options->reltime, script->reading.diagnostics};
	int status = choice_read(&script->reading.choice, &options->from.chosen, &input);

	if (status == EXIT_FINE)
		status = output_open(&script->out, &options->common);
	if (status != EXIT_FINE)
		return status;
	buffer_open(&script->buffer, &script->out);
	script->printer = (struct script_printer){
		.out = &script->buffer,
		.fields = &script->fields,
		.repeats = script_repeats_new(),
		.recording = script->reading.recording,
		/* perf prints parameters since it demangles with libstdc++. */
		.symbols = reading_symbols(&script->reading,
					   options->common.verbose ||
						   script->reading.samples.like_perf >=
							   PLUMB_PERF_6_12),
		.version = script->reading.samples.like_perf,
		.nanoseconds = options->nanoseconds,
		.relative_times = options->reltime,
		.inlined = options->inlined && !options->no_inlined,
		.time_differences = options->deltatime,
	};
	if (options->header || options->header_only)
		script_print_header(&script->buffer, script->reading.recording, options->from.input,
				    options->full_header);
	if (options->header_only)
		say_losses(script);
	else if (options->dump)
		status = dump_records(script);
	else if (!check_events(script))
		status = EXIT_USAGE;
	else
		status = print_samples(script);
	buffer_close(&script->buffer);
	return output_close(&script->out, status);
}

/* Decides which samples are synthesized from SPE records, and which fields are printed. */
static int read_options(struct script *script)
{
	const struct script_options *options = script->options;
	const struct reading_options *from = &options->from;
	struct reading *reading = &script->reading;
	int error = 0;

	for (unsigned i = 0; error == 0 && i < options->fields.count; i++)
		error = script_fields_parse(&script->fields, options->fields.at[i],
					    reading->diagnostics);
	if (error < 0) {
		complain_findings(reading->diagnostics, "--fields", error);
		return EXIT_USAGE;
	}
	/*
	 * JSON has one object for each record, not one for each of its groups. --quiet counts the
	 * lines of text in either form.
	 */
	reading->samples.each_record_once =
		options->common.json && !options->quiet && !from->itrace && !from->like_perf;
	/* Bare SPE data gives one sample for each record, too. */
	return reading_samples(reading,
			       from->raw && !reading->samples.each_record_once ? "i1i" : NULL);
}

static int check_options(const struct script_options *options)
{
	/* perf says nothing. */
	if (options->full_header && !options->header && !options->header_only)
		complain("--show-info has no effect without --header or --header-only");
	if (options->reltime && options->deltatime) {
		complain("--reltime and --deltatime cannot be combined");
	} else if (options->from.like_perf && options->common.json) {
		complain("--like-perf and --json cannot be combined");
	} else if (options->common.json && (options->header || options->header_only)) {
		complain("--%s and --json cannot be combined",
			 options->header ? "header" : "header-only");
	} else if (options->common.json && options->dump) {
		complain("--dump-raw-trace and --json cannot be combined");
	} else if (options->from.raw && options->dump) {
		complain("--raw and --dump-raw-trace cannot be combined");
		advise("use plumb spe dump --raw to print the packets of bare SPE data");
	} else if (options->from.raw && options->from.chosen.time && !options->quiet) {
		complain("--time is not supported for bare SPE data, which has no times");
	} else if (options->quiet && choice_is_given(&options->from.chosen)) {
		complain("--quiet supports only --filter to select samples");
		advise("use its terms pid=, tid=, cpu= and time=");
	} else {
		return EXIT_FINE;
	}
	return EXIT_USAGE;
}

static int run_script(struct script_options *options)
{
	const struct plumb_recording_options how = {
		.size = sizeof(how), .in_file_order = options->dump, .bare_spe = options->from.raw};
	struct script script = {
		.options = options, .reading.options = &options->from, .reading.takes_raw = true};
	int status = check_options(options);

	if (!options->from.input)
		options->from.input = READING_DEFAULT_INPUT;
	options->from.input = inputs_recording(options->from.input);
	script.reading.diagnostics = memory_given(plumb_diagnostics_new());
	script_fields_init(&script.fields);
	if (status == EXIT_FINE)
		status = read_options(&script);
	if (status == EXIT_FINE)
		status = reading_open(&script.reading, &how);
	if (status == EXIT_FINE)
		status = reading_filter(&script.reading, NULL);
	if (status == EXIT_FINE && options->quiet && script.reading.choice.operations) {
		complain("--quiet cannot filter an exact profile by operation");
		advise("use plumb report --filter instead");
		status = EXIT_USAGE;
	}
	if (status == EXIT_FINE)
		status = options->quiet && !options->header_only ? script_print_totals(&script)
								 : print_all(&script);
	free(script.printer.repeats);
	return reading_close(&script.reading, status);
}

#define TEXT_ROW(l, n, arg, member, text) \
	OPTION_ROW_TEXT(struct script_options, l, n, arg, member, text)
#define FLAG_ROW(l, n, member, text) OPTION_ROW_FLAG(struct script_options, l, n, member, text)

/* Those that are common. */
static const char *const common_fields[] = {
	"comm",    "tid",      "pid",    "time",      "cpu",    "event",          "ip",
	"sym",     "dso",      "addr",   "dsoff",     "symoff", "srcline",        "brstack",
	"period",  "data_src", "weight", "phys_addr", "misc",   "data_page_size", "code_page_size",
	"ins_lat", "flags",    NULL,
};
static const char *const common_itraces[] = {"i1i", "i1000i", "f", "m", "t", "b", "a", "M", NULL};
static const char *const common_terms[] = {
	"load",     "store",    "branch",   "other",     "user", "kernel",
	"l1d-miss", "llc-miss", "tlb-miss", "latency>=", NULL,
};

static const struct option options[] = {
	OPTION_ROW_INPUT(struct script_options, from.input),
	{
		.letter = 'F',
		.name = "fields",
		.kind = OPTION_WORDS,
		.argument = "[TYPE:]FIELD,...",
		.offset = offsetof(struct script_options, fields),
		.choices = common_fields,
		.help = "print these fields of each sample; +FIELD adds, -FIELD removes one",
	},
	{
		.name = "itrace",
		.kind = OPTION_TEXT,
		.argument = "OPTIONS",
		.offset = offsetof(struct script_options, from.itrace),
		.choices = common_itraces,
		.help = "select which samples are synthesized from SPE records: i1i, ...",
	},
	{
		.name = "filter",
		.kind = OPTION_TEXT,
		.argument = "TERM,...",
		.offset = offsetof(struct script_options, from.filter),
		.choices = common_terms,
		.help = "print only SPE records and samples that match: "
			"load,latency>=100,source=DRAM",
	},
	OPTION_ROW_LIKE_PERF(struct script_options, from.like_perf, "print the text of"),
	TEXT_ROW(0, "time", "START,STOP", from.chosen.time,
		 "print only these times: seconds, or parts such as 10%-20%"),
	TEXT_ROW('c', "comms", "COMM,...", from.chosen.comms,
		 "print only threads with these names"),
	TEXT_ROW(0, "pid", "PID,...", from.chosen.pids, "print only these processes"),
	TEXT_ROW(0, "tid", "TID,...", from.chosen.tids, "print only these threads"),
	TEXT_ROW('C', "cpu", "CPU,...", from.chosen.cpus, "print only these CPUs: 0,2-3"),
	TEXT_ROW('S', "symbols", "SYMBOL,...", from.chosen.symbols,
		 "print only samples in these functions"),
	TEXT_ROW(0, "dsos", "DSO,...", from.chosen.dsos, "print only samples in these files"),
	TEXT_ROW(0, "symfs", "DIR", from.symfs, "look for the mapped files below DIR"),
	TEXT_ROW(0, "sysroot", "DIR", from.symfs, "the same as --symfs"),
	TEXT_ROW(0, "kallsyms", "FILE", from.kallsyms,
		 "read the recorded kernel's symbols from FILE"),
	TEXT_ROW('k', "vmlinux", "FILE", from.vmlinux,
		 "read the recorded kernel's symbols from this ELF file"),
	OPTION_ROW_CORE(struct script_options, from.core),
	FLAG_ROW('G', "hide-call-graph", hide_call_graph, "leave out call chains"),
	FLAG_ROW(0, "inline", inlined, "also print functions that are inlined into call chains"),
	FLAG_ROW(0, "no-inline", no_inlined, "leave inlined functions out (default)"),
	FLAG_ROW(0, "no-demangle", from.no_demangle,
		 "print C++ and Rust names as the linker knows them"),
	FLAG_ROW(0, "ns", nanoseconds, "print times with nine decimal places"),
	FLAG_ROW(0, "reltime", reltime, "print times relative to the first sample"),
	FLAG_ROW(0, "deltatime", deltatime, "print times relative to the previous sample"),
	FLAG_ROW(0, "show-mmap-events", show_mmap, "also print mappings"),
	FLAG_ROW(0, "show-task-events", show_task,
		 "also print threads that begin, end, or change names"),
	FLAG_ROW(0, "show-lost-events", show_lost, "also print where records were lost"),
	FLAG_ROW(0, "show-switch-events", show_switch, "also print context switches, if recorded"),
	FLAG_ROW(0, "header", header, "print the recording's header first"),
	FLAG_ROW(0, "header-only", header_only, "print only the header"),
	FLAG_ROW('I', "show-info", full_header,
		 "with --header, also print CPU and NUMA topology, caches and memory"),
	FLAG_ROW('D', "dump-raw-trace", dump, "print every record of the file, with its bytes"),
	FLAG_ROW(0, "raw", from.raw, "read bare SPE data without a perf.data file around it"),
	FLAG_ROW('q', "quiet", quiet,
		 "print only how many samples of each kind there are, and what was lost"),
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("print functions with their parameters"),
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

/* --help lists the fields of the table that parses them. */
static void print_fields(struct output *out)
{
	const char *name;
	bool supported;
	size_t column = 1;

	help_section(out, "Fields");
	fputc(' ', out->stream);
	for (unsigned i = 0; (name = script_field_name(i, &supported)); i++) {
		if (!supported)
			continue;
		if (column + 1 + strlen(name) > out->width) {
			fputs("\n ", out->stream);
			column = 1;
		}
		fprintf(out->stream, " %s", name);
		column += 1 + strlen(name);
	}
	fputc('\n', out->stream);
}

static int run(const struct command *command, int count, char **arguments)
{
	struct script_options values = {0};
	struct operands operands;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	return run_script(&values);
}

const struct command command_script = {
	.path = "plumb script",
	.name = "script",
	.summary = "print the samples in a recording",
	.text = "Prints one sample per line, in the columns of perf script. --itrace selects which "
		"samples are synthesized from SPE records: i1i makes one of each record.\n\n"
		"Messages on standard error report what was lost during recording, and what to "
		"change.",
	.options = options,
	.perf_twins = perf_options_script,
	.perf_same = perf_same_script,
	.more = print_fields,
	.examples =
		(const struct example[]){
			{"plumb script --itrace i1i -F comm,tid,time,ip,sym,addr,weight",
			 "print the place, data address and latency of every SPE record"},
			{"plumb script --json | jq 'select(.op == \"load\") .total_latency'",
			 "print the latency of every load"},
			{"plumb script -q", "count the samples of each kind"},
			{0},
		},
	.run = run,
};
