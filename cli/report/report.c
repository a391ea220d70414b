/* SPDX-License-Identifier: Apache-2.0 */
/* plumb report: where a recording's samples are, by function or any other key. */
#include "report/report.h"

#include <plumb/spe_groups.h>
#include <stdlib.h>
#include <string.h>

#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/symbols.h"

/* Of views of exact profiles: at most this many instructions, of up to 8 events each. */
#define COUNTED_ROWS (1u << 22)

struct report_run {
	const struct report_options *options;
	struct reading reading;
	/* With --percentage absolute, its parts: see choice_split(). Else all of it is kept. */
	struct choice kept, shown;
	enum plumb_profile_paths paths;
	struct profile_view view;
	struct helpers helpers;        /* of atomic operations, for --sharing */
	char total[REPORT_EVENT_SIZE]; /* the name of an event whose parts are added up */
};

/* ---- The recording ----------------------------------------------------------------------------
 */

static bool has_chains(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.sample_type & PLUMB_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static bool has_branch_stacks(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.sample_type & PLUMB_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

/* Whether -g names call trees that only tables of events have. */
static bool asks_for_folded_trees(const struct report_options *options)
{
	return options->call_graph && strstr(options->call_graph, "folded");
}

/* Whether no option asks for columns or for a view. */
static bool asks_for_rows(const struct report_options *options)
{
	return !options->fields.count && !options->events.count && !report_preset(options) &&
	       !options->folded && !options->histogram && !options->sharing && !options->callers &&
	       !options->callees && !asks_for_folded_trees(options) && !options->widths &&
	       !options->percent_limit && !options->common.json && !options->csv &&
	       !options->common.separator;
}

static bool has_event(const struct plumb_recording *recording, const char *name)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->name && strcmp(event->name, name) == 0)
			return true;
	return false;
}

/* Tells whether a key says where data is, or how much of it is accessed. */
static bool is_of_data(unsigned key)
{
	return key == PLUMB_KEY_DATA_SYMBOL || key == PLUMB_KEY_DATA_DSO ||
	       key == PLUMB_KEY_CACHE_LINE || key == PLUMB_KEY_PAGE || key == PLUMB_KEY_OFFSET ||
	       key == PLUMB_KEY_ACCESS || key == PLUMB_KEY_BYTES ||
	       key == PLUMB_KEY_PHYSICAL_ADDRESS;
}

/* Tells whether one of these options names a key that says where data is. */
static bool names_data(const struct option_words *words)
{
	for (unsigned i = 0; i < words->count; i++)
		for (const char *at = words->at[i]; *at; at += *at == ',') {
			const size_t plus = *at == '+', length = strcspn(at, ",");
			char *name = memory_copy(at + plus, length - plus);
			const int key = plumb_profile_key_by_name(name);

			free(name);
			if (key >= 0 && is_of_data((unsigned)key))
				return true;
			at += length;
		}
	return false;
}

/*
 * Chooses what of an exact profile to show if -e does not. Rows of text show slots: some seventy
 * tables, one for each event, would be too many to read. Only accesses say where data is.
 */
static void choose_events(const struct report_run *run, struct report_options *options)
{
	const bool rows = asks_for_rows(options);

	if (!options->exact)
		return;
	if (!options->events.count && !report_preset(options) && !options->topdown &&
	    !options->sharing && !options->histogram &&
	    (names_data(&options->sort) || names_data(&options->fields)) &&
	    has_event(run->reading.recording, "exact/line_accesses/"))
		options->events.at[options->events.count++] = "line_accesses";
	else if (rows)
		options->topdown = true;
}

/* Accesses to cache lines are in exact profiles of later versions only. */
static int check_preset(const struct report_run *run)
{
	const struct report_options *options = run->options;

	if (options->stacked && (run->paths != PLUMB_PATHS_NONE || run->view.children)) {
		complain("--branch of branch stacks cannot be combined with --call-graph, "
			 "--children, --callers or --callees");
		return EXIT_USAGE;
	}
	if (!options->sharing || !options->exact ||
	    has_event(run->reading.recording, "exact/line_accesses/"))
		return EXIT_FINE;
	complain("%s: this exact profile has no accesses to cache lines; an older plumb made it",
		 options->from.input);
	advise("record again with plumb record --exact");
	return EXIT_USAGE;
}

/* ---- The profile ------------------------------------------------------------------------------
 */

static bool wants(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	const struct report_run *run = user;

	return choice_wants(&run->kept, item->record, item->task, location);
}

static bool shows(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	const struct report_run *run = user;

	return choice_wants(&run->shown, item->record, item->task, location);
}

/* Likewise takes note of who calls helpers for atomic operations. */
static bool wants_callers(void *user, const struct plumb_samples_item *item,
			  const struct plumb_location *location)
{
	struct report_run *run = user;
	const char *name = item->record->event->name;

	if (!choice_is_all(&run->reading.choice) && !wants(user, item, location))
		return false;
	if (name && strcmp(name, "exact/INST_RETIRED/") == 0 && helper_is(location))
		helpers_note(&run->helpers, run->reading.symbols, item);
	return true;
}

static bool takes(void *user, const struct plumb_recorded_event *event)
{
	const struct report_run *run = user;

	return report_takes(run->options, event);
}

static const char *counts_as(void *user, const struct plumb_recorded_event *event)
{
	struct report_run *run = user;

	return report_counts_as(run->options, event, run->total);
}

/* Tells whether to print an event: others may be there for columns alone. */
static bool prints(const struct profile_view *view, const struct plumb_profile_event *event)
{
	return report_takes(view->user, event->event);
}

static bool shows_slots(const struct profile_view *view)
{
	for (size_t c = 0; c < view->column_count; c++)
		if (profile_is_of_slots(view->columns[c]))
			return true;
	return false;
}

/* Adds the whole stream. Returns an error of reading. */
static int add_samples(struct report_run *run, struct plumb_profile *profile)
{
	struct plumb_samples *samples = reading_begin(&run->reading);
	const int status = plumb_profile_add(profile, samples);
	const struct plumb_samples_totals *totals = plumb_samples_totals(samples);

	if (status == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	/* A view's own filter goes without saying. */
	if (run->options->from.filter && run->reading.samples.each_record_once)
		run->view.filtered_out = totals->records - totals->matched;
	if (plumb_profile_finish(profile, totals) < 0)
		memory_given(NULL);
	reading_end(&run->reading, samples);
	return status;
}

static bool has_samples(const struct plumb_profile *profile)
{
	struct plumb_profile_event event;

	for (size_t i = 0; plumb_profile_event(profile, i, &event); i++)
		if (event.row_count)
			return true;
	return false;
}

/* Whether people read a table of functions. */
static bool prints_functions(const struct report_options *options)
{
	return !options->common.json && !options->csv && !options->common.separator &&
	       !options->folded && !options->histogram && !options->sharing &&
	       !options->from.like_perf && report_counted(options) < 0;
}

static int print(struct report_run *run)
{
	const struct report_options *options = run->options;
	const char *separator = options->common.separator;
	struct output out;
	int status = output_open(&out, &options->common);

	if (status != EXIT_FINE)
		return status;
	if (!separator && options->csv)
		separator = ",";
	if (options->topdown)
		profile_topdown(&out, &run->view, options->common.json, separator);
	else if (report_counted(options) >= 0)
		profile_counts(&out, &run->view, (enum profile_counted)report_counted(options),
			       options->common.json, separator);
	else if (options->sharing)
		profile_sharing(&out, &run->view, options->common.json, separator);
	else if (options->common.json && options->histogram)
		profile_histogram_json(&out, &run->view);
	else if (options->common.json)
		profile_json(&out, &run->view);
	else if (options->histogram && separator)
		profile_histogram_separated(&out, &run->view, separator);
	else if (options->histogram)
		profile_histogram(&out, &run->view);
	else if (options->folded)
		profile_folded(&out, &run->view);
	else if (separator)
		profile_separated(&out, &run->view, separator);
	else
		profile_text(&out, &run->view);
	return output_close(&out, EXIT_FINE);
}

/* Returns the kinds of latencies that something shows more of than their mean. */
static unsigned shown_latencies(const struct report_run *run)
{
	unsigned kinds = run->options->histogram ? (1 << PLUMB_PROFILE_LATENCIES) - 1 : 0;

	for (size_t c = 0; c < run->view.column_count; c++) {
		const unsigned column = run->view.columns[c];

		if (column >= PROFILE_LATENCIES && column < PROFILE_L1D_MISSES)
			kinds |= 1u << (column - PROFILE_LATENCIES) / 4;
		if (column == PROFILE_SOURCES)
			kinds |= 1u << PLUMB_PROFILE_SOURCES;
	}
	return kinds;
}

static bool has_topdown(const struct plumb_profile *profile)
{
	struct plumb_profile_topdown *rows;
	size_t count;
	const int status = plumb_profile_topdown(profile, &rows, &count);

	free(rows);
	if (status == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	return status == 0;
}

/* Tells whether a key says what one operation did, which only records of operations tell. */
static bool is_of_records(unsigned key)
{
	return key == PLUMB_KEY_LATENCY || key == PLUMB_KEY_LATENCY_RANGE ||
	       key == PLUMB_KEY_DATA_SOURCE || key == PLUMB_KEY_GROUP ||
	       key == PLUMB_KEY_BRANCH_TARGET || key == PLUMB_KEY_SYMBOL_TO ||
	       (key >= PLUMB_KEY_DSO_TO && key <= PLUMB_KEY_BLOCKED);
}

/* Tells whether a key says when a sample was taken. */
static bool is_of_times(unsigned key)
{
	return key == PLUMB_KEY_TIME;
}

/*
 * Returns a key for which `is_of` holds if only exact counts by instruction are there, which have
 * no values for it; or NULL. Other samples have them if `sample_type` has one of these bits.
 */
static const char *key_without_values(const struct report_run *run, bool (*is_of)(unsigned key),
				      uint64_t sample_type)
{
	struct plumb_profile_event event;
	const char *name = NULL;

	for (size_t k = 0; run->options->exact && k < run->view.key_count; k++)
		if (is_of(run->view.keys[k]))
			name = plumb_profile_key_name(run->view.keys[k]);
	/* Slots are counted by instruction, also where accesses have addresses. */
	for (size_t e = 0;
	     name && !run->options->topdown && plumb_profile_event(run->view.profile, e, &event);
	     e++)
		if (event.samples && (event.spe || event.event->attr.sample_type & sample_type))
			name = NULL;
	return name;
}

/* Checks that there are values for the keys. Returns an exit status. */
static int check_keys(const struct report_run *run)
{
	const char *input = run->options->from.input;
	const char *of_data = key_without_values(run, is_of_data, PLUMB_SAMPLE_ADDR);
	const char *of_records = key_without_values(
		run, is_of_records, PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_WEIGHT_STRUCT);
	const char *of_times = key_without_values(run, is_of_times, 0);

	if (of_data) {
		complain("%s: no values for %s: an exact profile counts by instruction, without "
			 "addresses of data",
			 input, of_data);
		advise("sample accesses with plumb record -e spe/load,store/");
	} else if (of_records) {
		complain("%s: no values for %s: an exact profile counts by instruction, not each "
			 "operation by itself",
			 input, of_records);
		advise("sample operations with plumb record -e spe");
	} else if (of_times) {
		complain("%s: no values for %s: an exact profile counts over the whole run", input,
			 of_times);
		advise("sample the program instead, as with plumb record -e spe");
	}
	return of_data || of_records || of_times ? EXIT_USAGE : EXIT_FINE;
}

/* Checks that the view has something to show. Returns an exit status. */
static int check_view(const struct report_run *run)
{
	const struct profile_view *view = &run->view;
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_event event;
	bool found = false, exact = false;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		exact |= event.exact;
		for (size_t i = 0; view->function && !found && i < event.row_count; i++)
			found = profile_is_wanted(view, e, i);
		for (unsigned kind = 0; run->options->histogram && kind < PLUMB_PROFILE_LATENCIES;
		     kind++)
			found |= plumb_profile_histogram(view->profile, e, kind, bins) > 0;
	}
	if (run->options->topdown && !exact && !has_topdown(view->profile)) {
		complain("--topdown requires an exact recording, or samples of a group with the "
			 "events of Topdown_L1");
		advise("make one with plumb record --exact or plumb record --topdown");
		return EXIT_USAGE;
	}
	if (!run->options->sharing && check_keys(run) != EXIT_FINE)
		return EXIT_USAGE;
	if (view->function && !found) {
		complain("%s: no samples in function '%s' or below it", run->options->from.input,
			 view->function);
		return EXIT_USAGE;
	}
	if (run->options->histogram && !found) {
		complain("%s: no samples have latencies", run->options->from.input);
		advise("record SPE records with plumb record -e spe");
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

/* Makes the symbolizer, which choices of functions need, and splits the choice of samples. */
static struct plumb_symbolizer *open_symbols(struct report_run *run)
{
	struct plumb_symbolizer *symbols =
		reading_symbols(&run->reading, run->options->common.verbose);

	run->kept = run->reading.choice;
	if (!report_is_relative(run->options))
		choice_split(&run->reading.choice, &run->kept, &run->shown);
	return symbols;
}

static int make_profile(struct report_run *run)
{
	struct plumb_symbolizer *symbols = open_symbols(run);
	/* The slots of a row are in other events than its own. */
	const bool slots = shows_slots(&run->view);
	const struct plumb_profile_options options = {
		.size = sizeof(options),
		.keys = run->view.keys,
		.key_count = run->view.key_count,
		.children = run->view.children,
		.paths = run->paths,
		.batches = run->options->topdown || slots,
		.midr = run->reading.samples.midr,
		.by_return_address = run->options->from.like_perf,
		.unnamed_by_address = run->options->from.like_perf,
		.latencies = shown_latencies(run),
		.wants = run->options->sharing && run->options->exact ? wants_callers
			 : choice_is_all(&run->kept)                  ? NULL
								      : wants,
		.user = run,
		.wants_by = choice_looks_at(&run->kept),
		.shows = choice_is_all(&run->shown) ? NULL : shows,
		.shows_by = choice_looks_at(&run->shown),
		.shows_callers = report_shows_callers(run->options, &run->view),
		.takes = report_selects(run->options) && !slots ? takes : NULL,
		/* Columns of slots need each of them. */
		.counts_as = report_selects(run->options) && !slots ? counts_as : NULL,
		.branches = run->options->stacked,
		/* Exact totals need all rows of the few events. */
		.rows_max = report_counted(run->options) >= 0 ||
					    (run->options->topdown && run->options->exact)
				    ? COUNTED_ROWS
				    : 0,
	};
	const bool selected =
		choice_is_given(&run->options->from.chosen) || run->options->from.filter;
	struct plumb_profile *profile;
	int error, status;

	plumb_profile_new(&options, run->reading.recording, symbols, &profile);
	run->view.profile = memory_given(profile);
	run->view.user = run->options;
	run->view.prints = report_selects(run->options) ? prints : NULL;
	error = add_samples(run, profile);
	if (error < 0)
		complain_findings(run->reading.diagnostics, run->options->from.input, error);
	status = complain_status(error);
	run->view.incomplete = error < 0 || reading_is_incomplete(&run->reading);
	/* What could be read of a damaged recording is of use. */
	if (has_samples(profile)) {
		int printed = check_view(run);

		report_list_callers(&run->helpers, run->reading.symbols, &run->view);
		if (printed == EXIT_FINE)
			printed = print(run);
		if (printed == EXIT_FINE)
			report_say_unsampled(run->options, &run->view);
		status = status == EXIT_FINE ? printed : status;
	} else if (status == EXIT_FINE && run->options->stacked) {
		complain("%s: no branches %s", run->options->from.input,
			 selected ? "match" : "in the branch stacks");
		status = EXIT_USAGE;
	} else if (status == EXIT_FINE && report_preset(run->options) && !run->options->exact) {
		complain("%s: no SPE records match", run->options->from.input);
		if (!selected)
			advise("record some with plumb record -e spe");
		status = EXIT_USAGE;
	} else if (status == EXIT_FINE) {
		if ((selected || check_keys(run) == EXIT_FINE) &&
		    !report_say_unsampled(run->options, &run->view))
			complain("%s: no samples %s", run->options->from.input,
				 selected ? "match" : "in this recording");
		status = EXIT_USAGE;
	}
	complain_warnings(run->reading.diagnostics);
	/* A page has many views of the same files. */
	if (!(run->options->browsed && run->options->common.json) &&
	    !symbols_report_gone(run->reading.symbols, run->options->from.symfs) &&
	    !plumb_symbolizer_warning(run->reading.symbols, 0) && /* which says why */
	    prints_functions(run->options))
		report_nameless(run->options, &run->view);
	report_free_callers(&run->view);
	plumb_profile_free(profile);
	return status;
}

/* ---- The options ------------------------------------------------------------------------------
 */

/* Returns the option that chooses rows or columns, which histograms lack; NULL: none. */
static const char *row_option(const struct report_options *options)
{
	return options->sort.count      ? "sort"
	       : options->fields.count  ? "fields"
	       : options->limit         ? "limit"
	       : options->percent_limit ? "percent-limit"
	       : options->widths        ? "column-widths"
	       : options->call_graph    ? "call-graph"
	       : options->children      ? "children"
	       : options->callers       ? "callers"
	       : options->callees       ? "callees"
	       : options->folded        ? "folded"
					: NULL;
}

static int check_options(const struct report_options *options)
{
	const bool json = options->common.json, csv = options->csv || options->common.separator;
	const char *rows = row_option(options);

	if (options->callers && options->callees)
		complain("--callers and --callees cannot be combined");
	else if (options->folded && (options->callers || options->callees))
		complain("--folded and --%s cannot be combined",
			 options->callers ? "callers" : "callees");
	else if (options->folded && (json || csv))
		complain("--folded and --%s cannot be combined", json ? "json" : "csv");
	else if (options->folded && (options->limit || options->percent_limit))
		complain("--folded and --%s cannot be combined",
			 options->limit ? "limit" : "percent-limit");
	else if ((options->callers || options->callees) && csv) {
		complain("--%s cannot be combined with --csv or --field-separator",
			 options->callers ? "callers" : "callees");
		advise("--json has the call trees");
	} else if (options->histogram && rows)
		complain(
			"--latency-histogram cannot be combined with --%s: it adds up all records, "
			"without rows",
			rows);
	else if (options->events.count && (options->topdown || options->sharing || options->mem ||
					   options->branch || options->mix || options->histogram))
		complain("--event cannot be combined with --topdown, --sharing, --mem, --branch, "
			 "--mix or --latency-histogram");
	else if (options->mem + options->branch + options->mix > 1)
		complain("--mem, --branch and --mix cannot be combined");
	else if ((options->topdown || options->sharing) &&
		 (options->mem || options->branch || options->mix || options->folded ||
		  options->histogram || options->callers || options->callees ||
		  (options->topdown && options->sharing)))
		complain("--%s cannot be combined with other views",
			 options->topdown ? "topdown" : "sharing");
	else if (options->children && options->no_children)
		complain("--children and --no-children cannot be combined");
	else if (json && csv)
		complain("--json and --csv cannot be combined");
	else
		return EXIT_FINE;
	return EXIT_USAGE;
}

/* Views of SPE records select those that they need. */
static int report_filter(struct report_run *run)
{
	const struct report_preset *preset = report_preset(run->options);
	const char *of_view = preset && !run->options->exact ? preset->filter : NULL;
	char *both;
	int status;

	if (!of_view || !run->options->from.filter)
		return reading_filter(&run->reading, of_view);
	both = report_both_filters(of_view, run->options->from.filter);
	if (!both) {
		complain("%s: no SPE records match", run->options->from.input);
		advise("this view shows %s only; --filter selects others",
		       run->options->branch ? "branches" : "loads and stores");
		return EXIT_USAGE;
	}
	status = reading_filter(&run->reading, both);
	free(both);
	return status;
}

int report_run(struct report_options *options)
{
	const struct plumb_recording_options how = {.size = sizeof(how),
						    .bare_spe = options->from.raw};
	struct report_run run = {
		.options = options, .reading.options = &options->from, .reading.takes_raw = true};
	int status = check_options(options);

	run.reading.diagnostics = memory_given(plumb_diagnostics_new());
	run.view.path = options->from.input;
	run.view.only_sampled = options->only_sampled;
	run.view.selected = choice_is_given(&options->from.chosen) || options->from.filter;
	/* By default each SPE record is one sample. */
	run.reading.samples.order = PLUMB_ORDER_TASKS;
	run.reading.samples.each_record_once = !options->from.itrace && !options->from.like_perf;
	if (status == EXIT_FINE)
		status = reading_samples(&run.reading, NULL);
	if (status == EXIT_FINE)
		status = reading_open(&run.reading, &how);
	run.view.modelled = status == EXIT_FINE && reading_is_modelled(&run.reading);
	options->exact = status == EXIT_FINE && !options->only_sampled &&
			 plumb_profile_exact_type(run.reading.recording);
	options->stacked = status == EXIT_FINE && options->branch && !options->exact &&
			   has_branch_stacks(run.reading.recording);
	if (status == EXIT_FINE && !report_check_percentage(options))
		status = EXIT_USAGE;
	if (status == EXIT_FINE)
		choose_events(&run, options);
	if (status == EXIT_FINE)
		status = report_read_view(options, has_chains(run.reading.recording), &run.view,
					  &run.paths);
	if (status == EXIT_FINE)
		status = check_preset(&run);
	if (status == EXIT_FINE)
		status = report_check_events(options, run.reading.recording);
	if (status == EXIT_FINE)
		status = report_filter(&run);
	if (status == EXIT_FINE)
		status = reading_choice(&run.reading);
	if (status == EXIT_FINE)
		status = make_profile(&run);
	return reading_close(&run.reading, status);
}
