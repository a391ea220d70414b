/* SPDX-License-Identifier: Apache-2.0 */
/* plumb annotate: reads a recording, and chooses the functions to show. */
#include "annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folders.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/modules.h"

#define LINES_SHOWN 5
/* Bytes before and after the code at an address without a function. */
#define AROUND UINT64_C(64)

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

/* ---- Functions ---------------------------------------------------------------------------------
 */

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
	const char *name = run->name ? run->name : options->symbol;
	struct plumb_annotated_function function;

	plumb_annotation_function(run->view.annotation, i, &function);
	if (!name || (!options->part_end && strcmp(name, plumb_symbol_name(function.symbol)) == 0))
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
	const char *inlined_into;

	plumb_annotation_summary(run->view.annotation, &summary);
	if (run->options->part_end && run->options->place_text) {
		complain("%s: no samples around %s", run->options->from.input,
			 run->options->place_text);
		advise_part(&summary);
	} else if (run->options->part_end && summary.basis != PLUMB_BASIS_NONE) {
		complain("%s: no samples from %s to %s", run->options->from.input,
			 run->options->start, run->options->stop);
		advise_part(&summary);
	} else if (run->candidate_count) {
		annotate_complain_candidates(run);
	} else if (summary.function_count && run->options->symbol) {
		inlined_into = annotate_find_inlined(run);
		plumb_annotation_function(run->view.annotation, 0, &function);
		complain("%s: no samples in a function called '%s'", run->options->from.input,
			 run->options->symbol);
		if (inlined_into)
			advise("it is inlined into %s: annotate that one", inlined_into);
		else
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
	run->view.pen = pen_for(&out);
	if (options->common.json)
		functions.out = &out;
	for (size_t i = 0; status == EXIT_FINE && shown < limit &&
			   plumb_annotation_function(run->view.annotation, i, &function);
	     i++) {
		if (!is_wanted(run, i))
			continue;
		if (shown++ && !functions.out)
			fputs("\n\n", out.stream);
		status = annotate_show(run, i, &out, functions.out ? &functions : NULL);
	}
	annotation_json_end(&functions);
	annotate_note_unread(run);
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
	run->view.by_filter = options->from.filter != NULL;
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
	} else if (has_function(run) || annotate_find_name(run)) {
		if (options->part_end && options->place_text)
			advise("%s is in no known function with samples; the code around it is "
			       "shown",
			       options->place_text);
		if (!run->view.only_lines || options->common.json)
			open_disassembler(run);
		error = print(run);
		status = status == EXIT_FINE ? error : status;
	} else if (status == EXIT_FINE && !takes_place(run)) {
		status = no_function(run);
	}
	/* Another run, which shows a part, finds the same. */
	if (!run->part_end)
		complain_warnings(run->reading.diagnostics);
	plumb_disassembler_free(run->view.disassembler);
	plumb_annotation_free(run->view.annotation);
	return status;
}

/* ---- A run ------------------------------------------------------------------------------------
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

int annotate_recording(struct annotate_options *options, uint64_t part[2])
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
