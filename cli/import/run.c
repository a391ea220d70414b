/* SPDX-License-Identifier: Apache-2.0 */
/* Turns imported counts into results, diagnoses them and prints what plumb stat prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/inside.h"
#include "importing.h"
#include "render/units.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/results.h"

#define OFTEN 99.0 /* percent of the time: what was counted less often is an estimate */

struct runner {
	const struct import_options *options;
	const struct import *import;
	const struct import_names *names;
	struct import_table table;
	struct import_selection selected;
	struct plumb_plan *plan;
	size_t *place_events; /* of each place of the plan: index in names->events, or
				 NAME_UNKNOWN */
	/* For each event in names->events: some part or unit did not count it. */
	bool *lacked;
	bool *part_lacked, *unit_lacked; /* the same for each part, and for each unit */
	struct plumb_count *counts, *sums;
	struct plumb_result *whole, *part;
	struct counted_units units; /* none: everything was counted together */
	struct report report;
	struct plumb_diagnosis **parts;
	struct plumb_diagnostics *diagnostics;
	struct output out;
};

/* ---- counts ---------------------------------------------------------------------------------- */

static const struct import_cell *cell_of(const struct runner *r, size_t part, size_t unit,
					 size_t name)
{
	return &r->table.cells[(part * r->import->unit_count + unit) * r->import->name_count +
			       name];
}

/* Returns what was counted of an event: the mean of all names it has. */
static struct plumb_count count_of(const struct runner *r, size_t part, size_t unit, size_t event)
{
	double sum = 0, running = 0, enabled = 0;
	unsigned times = 0;

	for (size_t i = 0; event != NAME_UNKNOWN && i < r->import->name_count; i++) {
		const struct import_cell *cell = cell_of(r, part, unit, i);

		if (r->names->event[i] != event)
			continue;
		running += cell->running_ns;
		enabled += cell->enabled_ns;
		if (!cell->times)
			continue;
		sum += cell->value * cell->times;
		times += cell->times;
	}
	running = fmin(running, 1e18);
	enabled = fmin(enabled, 1e18);
	return (struct plumb_count){times ? sum / times : (double)NAN, (uint64_t)enabled,
				    (uint64_t)running};
}

static void find_places(struct runner *r)
{
	const struct plumb_plan *plan = r->plan;

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t k = 0; k < plan->groups[g].count; k++) {
			const struct plumb_event_config *event =
				plan->events[plan->groups[g].events[k]];
			size_t *place = &r->place_events[plan->groups[g].first + k], i = 0;
			const struct plumb_event_config *other;

			*place = NAME_UNKNOWN;
			for (; (other = plumb_event_list_get(r->names->events, i)); i++)
				if (other->kind == event->kind && other->config == event->config &&
				    *place == NAME_UNKNOWN)
					*place = i;
		}
	}
}

/* Tells whether a name is of perf's own clocks, which also count while nothing runs. */
static bool is_clock(const char *name)
{
	return strcmp(name, "duration_time") == 0 || strcmp(name, "user_time") == 0 ||
	       strcmp(name, "system_time") == 0;
}

/* Finds what one unit did not count in a part, unless it slept and counted no event. */
static void find_lacked(struct runner *r, size_t part, size_t unit, bool *counted)
{
	const struct import *import = r->import;
	const size_t events = plumb_event_list_count(r->names->events);
	bool awake = false;

	memset(counted, false, events);
	for (size_t i = 0; i < import->name_count; i++) {
		const struct import_name *name = &import->names[i];

		if (name->metric || !cell_of(r, part, unit, i)->times || is_clock(name->text))
			continue;
		awake = true;
		if (r->names->event[i] != NAME_UNKNOWN)
			counted[r->names->event[i]] = true;
	}
	for (size_t e = 0; awake && e < events; e++) {
		if (counted[e])
			continue;
		r->lacked[e] = true;
		r->part_lacked[part * events + e] = true;
		r->unit_lacked[unit * events + e] = true;
	}
}

static bool *no_flags(size_t count)
{
	bool *flags = memory_resize(NULL, count + 1, sizeof(*flags));

	memset(flags, false, (count + 1) * sizeof(*flags));
	return flags;
}

/* A sum without one of its terms would be too small, so these events have no sum. */
static void find_all_lacked(struct runner *r)
{
	const size_t events = plumb_event_list_count(r->names->events);
	bool *counted = no_flags(events);

	r->lacked = no_flags(events);
	r->part_lacked = no_flags(r->table.part_count * events);
	r->unit_lacked = no_flags(r->import->unit_count * events);
	for (size_t part = 0; part < r->table.part_count; part++)
		for (size_t unit = 0; unit < r->import->unit_count; unit++)
			find_lacked(r, part, unit, counted);
	free(counted);
}

/* Makes the counts of the lacked events missing. */
static void leave_out(const struct runner *r, struct plumb_count *counts, const bool *lacked)
{
	for (size_t i = 0; i < r->plan->place_count; i++)
		if (r->place_events[i] != NAME_UNKNOWN && lacked[r->place_events[i]])
			counts[i].count = NAN;
}

/* Adds what one unit counted in a part to the sums of the part. */
static void add_unit(struct runner *r, size_t part, size_t unit)
{
	const size_t events = plumb_event_list_count(r->names->events);

	for (size_t i = 0; i < r->plan->place_count; i++) {
		const struct plumb_count count = count_of(r, part, unit, r->place_events[i]);
		struct plumb_count *sum = &r->sums[i];

		r->counts[i] = count;
		sum->enabled_ns += count.enabled_ns;
		sum->running_ns += count.running_ns;
		if (!isnan(count.count))
			sum->count = (isnan(sum->count) ? 0 : sum->count) + count.count;
	}
	if (!r->units.count)
		return;
	plumb_result_free(r->units.at[unit].part);
	r->units.at[unit].part = results_new(r->plan);
	plumb_result_add(r->units.at[unit].part, r->counts, false);
	leave_out(r, r->counts, &r->unit_lacked[unit * events]);
	plumb_result_add(r->units.at[unit].whole, r->counts, false);
}

/* ---- metrics that the other tool computed ---------------------------------------------------- */

/* Tells whether the metric is in the metric group that topdown-tool names, by name or title. */
static bool in_group(const struct plumb_spec *spec, const struct plumb_selected_metric *metric,
		     const char *group)
{
	const struct plumb_metric_group *g;

	if (!group || metric->group == PLUMB_NONE)
		return true;
	g = &spec->metric_groups[metric->group];
	return strcmp(g->name, group) == 0 || strcmp(g->title, group) == 0;
}

static void give_metrics(const struct runner *r, struct plumb_result *result, size_t part)
{
	const struct plumb_selection *selection = r->selected.selection;

	for (size_t i = 0; i < r->import->name_count; i++) {
		const struct import_cell *cell = cell_of(r, part, 0, i);

		for (size_t m = 0; cell->times && m < selection->metric_count; m++)
			if (selection->metrics[m].metric == r->names->metric[i] &&
			    in_group(selection->spec, &selection->metrics[m],
				     r->import->names[i].group))
				result_give_value(result, m, cell->value);
	}
}

static bool has_metrics(const struct runner *r)
{
	for (size_t i = 0; i < r->import->name_count; i++)
		if (r->names->metric[i] != PLUMB_NONE)
			return true;
	return false;
}

/* Gives the events their spread over perf's repeats. */
static void give_deviations(const struct runner *r)
{
	for (uint16_t e = 0; e < r->plan->event_count; e++) {
		for (size_t i = 0; i < r->import->name_count; i++) {
			const struct plumb_event_config *event =
				r->names->event[i] == NAME_UNKNOWN
					? NULL
					: plumb_event_list_get(r->names->events,
							       r->names->event[i]);

			if (event && event->kind == r->plan->events[e]->kind &&
			    event->config == r->plan->events[e]->config)
				result_give_deviation(r->whole, e, r->import->names[i].deviation);
		}
	}
}

/* ---- units ----------------------------------------------------------------------------------- */

static void make_units(struct runner *r)
{
	const struct import *import = r->import;

	if (import->unit_count < 2 &&
	    (!import->unit_count || (!import->units[0].text && !import->units[0].cgroup)))
		return;
	for (size_t i = 0; i < import->unit_count; i++)
		counted_units_add(&r->units, r->plan)->given = import_unit_of(&import->units[i]);
}

/* ---- printing -------------------------------------------------------------------------------- */

static bool is_text(const struct import_options *options)
{
	return !options->common.json && !options->csv;
}

static void print(struct runner *r, const struct report *report)
{
	if (r->options->common.json)
		report_json(&r->out, report);
	else if (r->options->csv)
		report_csv(&r->out, report);
	else
		report_text(&r->out, report);
}

static bool prints_intervals(const struct runner *r)
{
	return r->report.intervals && !r->options->summary_only;
}

static void print_part(struct runner *r, size_t part)
{
	static const char *const nothing[] = {NULL};
	struct report report = r->report;

	report.result = r->part;
	report.diagnosis = r->parts[part];
	report.time = r->table.times[part];
	report.seconds = report.time - (part ? r->table.times[part - 1] : 0);
	report.ended = false;
	report.warnings = nothing;
	counted_units_show(&r->units, &report, false);
	if (is_text(r->options))
		report_text_interval(&r->out, &report, part == 0);
	else
		print(r, &report);
}

static void add_part(struct runner *r, size_t part)
{
	const size_t events = plumb_event_list_count(r->names->events);

	plumb_result_free(r->part);
	r->part = results_new(r->plan);
	for (size_t i = 0; i < r->plan->place_count; i++)
		r->sums[i] = (struct plumb_count){NAN, 0, 0};
	for (size_t unit = 0; unit < r->import->unit_count; unit++)
		add_unit(r, part, unit);
	leave_out(r, r->sums, &r->part_lacked[part * events]);
	plumb_result_add(r->part, r->sums, false);
	leave_out(r, r->sums, r->lacked);
	plumb_result_add(r->whole, r->sums, false);
	give_metrics(r, r->part, part);
	if (r->table.part_count == 1)
		give_metrics(r, r->whole, part);
	r->parts[part] = results_diagnose(r->part);
}

/* Warns that counts are estimates, and how often the rarest of them was counted. */
static void warn_of_multiplexing(struct runner *r)
{
	double least = 100;

	for (size_t i = 0; i < r->import->row_count; i++)
		if (r->import->rows[i].percent > 0 && !isnan(r->import->rows[i].value))
			least = fmin(least, r->import->rows[i].percent);
	if (least < OFTEN)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "multiplexed", NULL,
				      "the counters were shared: some events were counted only "
				      "%.1f %% of the time, and their counts are estimates",
				      least);
}

/* Tells whether something counted the event. */
static bool has_count(const struct runner *r, size_t event)
{
	for (size_t i = 0; i < r->import->row_count; i++)
		if (r->names->event[r->import->rows[i].name] == event &&
		    !isnan(r->import->rows[i].value))
			return true;
	return false;
}

/* Tells whether a column of a table has numbers in some rows only. */
static bool has_gaps(const struct runner *r, size_t event)
{
	for (size_t i = 0; i < r->import->name_count; i++)
		if (r->names->event[i] == event && r->import->names[i].gaps)
			return true;
	return false;
}

/* Names the events that have no total, because only some parts, units or rows counted them. */
static void warn_of_gaps(struct runner *r)
{
	const struct plumb_event_config *event;
	struct join events = {0};
	char *text;

	for (size_t e = 0; (event = plumb_event_list_get(r->names->events, e)); e++)
		if (has_gaps(r, e) || (r->lacked[e] && has_count(r, e)))
			join_add(&events, event->name);
	text = join_take(&events);
	if (*text)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "no-total", NULL,
				      "no total of these events, because %s did not count them: %s",
				      r->import->format == IMPORT_TABLE ? "some rows"
				      : r->units.count ? "some CPUs, threads or intervals"
						       : "some intervals",
				      text);
	free(text);
}

/* Says how many runs the counts are means over, if the input has each event several times. */
static void warn_of_runs(struct runner *r)
{
	const struct import *import = r->import;
	size_t *rows = memory_resize(NULL, import->name_count + 1, sizeof(*rows));
	size_t least = SIZE_MAX, most = 0;

	memset(rows, 0, (import->name_count + 1) * sizeof(*rows));
	for (size_t i = 0; i < import->row_count; i++)
		if (import->rows[i].unit == import->rows[0].unit && isnan(import->rows[i].time))
			rows[import->rows[i].name]++;
	for (size_t i = 0; i < import->name_count; i++) {
		if (!rows[i])
			continue;
		least = rows[i] < least ? rows[i] : least;
		most = rows[i] > most ? rows[i] : most;
	}
	free(rows);
	if (import->starts_most > 1 && most > 1)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "runs", NULL,
				      "the counts are means over %zu runs in the input",
				      import->starts_most);
	/* In one run, perf repeats what is in several groups. */
	else if (most > 1 && least > 1 && import->starts != 1)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "runs", NULL,
				      "each event is in the input %zu times, as from %zu runs; "
				      "the counts are means",
				      least, least);
}

static void warn(struct runner *r)
{
	warn_of_runs(r);
	warn_of_multiplexing(r);
	warn_of_gaps(r);
	if (r->import->repeats)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "repeats", NULL,
				      "the counts are means over repeats of the program");
	if (r->table.part_count > 1 && has_metrics(r))
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "only-intervals", NULL,
				      "metrics of intervals cannot be combined without counts, so "
				      "those of the whole run are missing");
	report_warn_of_contradictions(r->diagnostics, &r->report);
	report_warn_of_missing(r->diagnostics, &r->report, is_text(r->options));
}

static unsigned agreeing(const struct runner *r, const struct plumb_diagnosis *whole)
{
	unsigned count = 0;

	for (size_t i = 0; i < r->table.part_count; i++)
		count += r->parts[i]->verdict == whole->verdict &&
			 plumb_diagnosis_common(r->parts[i], whole) == whole->path_length;
	return count;
}

/* Returns the seconds that the counts cover; NaN if they do not say. */
static double elapsed(const struct runner *r)
{
	const struct import_cell *cell;

	if (!isnan(r->table.times[0]))
		return r->table.times[r->table.part_count - 1];
	if (r->names->elapsed == NAME_UNKNOWN)
		return NAN;
	cell = cell_of(r, 0, 0, r->names->elapsed);
	return cell->times ? cell->value / 1e9 : (double)NAN;
}

static void print_all(struct runner *r)
{
	struct report *report = &r->report;
	struct plumb_diagnosis *diagnosis;
	const char **warnings;

	if (r->options->csv)
		report_csv_headings(&r->out, &r->report, r->units.count, false);
	for (size_t part = 0; part < r->table.part_count; part++) {
		add_part(r, part);
		if (prints_intervals(r))
			print_part(r, part);
	}
	give_deviations(r);
	diagnosis = results_diagnose(r->whole);
	report->diagnosis = diagnosis;
	report->seconds = elapsed(r);
	report->time = report->intervals && r->options->common.json ? report->seconds : NAN;
	report->ended = true;
	report->agreeing = agreeing(r, diagnosis);
	warn(r);
	report->warnings = warnings = report_warnings(r->diagnostics);
	counted_units_show(&r->units, report, true);
	if (is_text(r->options) && prints_intervals(r))
		fputc('\n', r->out.stream);
	/* As of plumb stat: totals among the rows of intervals would mislead. */
	if (!r->options->csv || !prints_intervals(r))
		print(r, report);
	plumb_diagnosis_free(diagnosis);
	free(warnings);
}

static void make_plan(struct runner *r)
{
	const struct plumb_plan_options how = {.size = sizeof(how)};

	if (plumb_plan_new(r->selected.selection, &how, &r->plan, r->diagnostics) < 0)
		memory_given(NULL);
	r->whole = results_new(r->plan);
	r->counts = memory_resize(NULL, r->plan->place_count + 1, sizeof(*r->counts));
	r->sums = memory_resize(NULL, r->plan->place_count + 1, sizeof(*r->sums));
	r->place_events = memory_resize(NULL, r->plan->place_count + 1, sizeof(*r->place_events));
	r->parts = memory_resize(NULL, r->table.part_count + 1, sizeof(struct plumb_diagnosis *));
	find_places(r);
	find_all_lacked(r);
	make_units(r);
}

static void release(struct runner *r)
{
	counted_units_free(&r->units);
	for (size_t i = 0; i < r->table.part_count; i++)
		plumb_diagnosis_free(r->parts[i]);
	free(r->parts);
	free(r->counts);
	free(r->sums);
	free(r->place_events);
	free(r->lacked);
	free(r->part_lacked);
	free(r->unit_lacked);
	plumb_result_free(r->whole);
	plumb_result_free(r->part);
	plumb_plan_free(r->plan);
	import_selection_free(&r->selected);
	import_table_free(&r->table);
}

/* Returns "counts that perf stat -j printed, in a.json and b.json"; free it. */
static char *target_text(const struct import *import, char *const *files)
{
	return memory_format("counted by %s; read from %s%s",
			     import->format == IMPORT_TABLE ? "another tool"
							    : import_format_name(import->format),
			     *files, files[1] ? " and other files" : "");
}

int import_run(const struct import_options *options, const struct import *import,
	       const struct import_names *names, const struct plumb_spec *spec, char *const *files,
	       struct plumb_diagnostics *diagnostics)
{
	static const char *const no_options[] = {NULL};
	char *const nothing[] = {NULL};
	struct runner r = {
		.options = options, .import = import, .names = names, .diagnostics = diagnostics};
	char *target = target_text(import, files);
	int error, status;

	error = import_combine(import, &r.table, diagnostics);
	if (error < 0) {
		complain_findings(diagnostics, *files, error);
		import_table_free(&r.table);
		free(target);
		return complain_status(error);
	}
	status = import_select(options, names, spec, &r.selected);
	if (status != EXIT_FINE) {
		import_selection_free(&r.selected);
		import_table_free(&r.table);
		free(target);
		return status;
	}
	make_plan(&r);
	r.report = (struct report){.source = import->format == IMPORT_TOPDOWN_TOOL ? "topdown-tool"
					     : import->format == IMPORT_TABLE      ? "table"
										   : "perf",
				   .spec = spec,
				   .command = nothing,
				   .target = target,
				   .counted_by = import_format_name(import->format),
				   .files = files,
				   .result = r.whole,
				   .runs = 1,
				   .intervals = !isnan(r.table.times[0]),
				   .host_seconds = NAN,
				   .time = NAN,
				   .record_options = no_options,
				   .verbose = options->common.verbose,
				   .brief = r.selected.brief && !options->common.verbose,
				   .folds = !options->selecting.groups.count &&
					    !options->selecting.metrics.count &&
					    !options->common.verbose};
	status = output_open(&r.out, &options->common);
	if (status == EXIT_FINE) {
		print_all(&r);
		status = output_close(&r.out, EXIT_FINE);
		release(&r);
	} else {
		r.table.part_count = 0;
		release(&r);
	}
	free(target);
	return status;
}
