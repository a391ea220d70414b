/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `plumb stat` counted: intervals while it runs, and the whole at the end. */
#include <math.h>
#include <stdlib.h>

#include "runner.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/results.h"

static bool is_text(const struct stat_options *options)
{
	return !options->common.json && !options->csv && !options->common.separator;
}

/* Tells whether each interval is printed when it ends. */
bool runner_prints_intervals(const struct runner *r)
{
	return r->options->interval_ms && !r->options->summary_only;
}

int runner_open_output(struct runner *r)
{
	const struct common_options *common = &r->options->common;
	int status = r->open                      ? EXIT_FINE
		     : runner_prints_intervals(r) ? output_open_stream(&r->out, common)
						  : output_open_beside(&r->out, common);

	if (status == EXIT_FINE && !r->open && r->options->csv && !r->out.appended)
		report_csv_headings(&r->out, &r->report,
				    r->options->targets.by || r->options->targets.cgroup_count,
				    r->type_count > 0);
	if (status == EXIT_FINE && !r->open && r->options->common.separator)
		report_perf_comment(&r->out, &r->report);
	if (status == EXIT_FINE && !r->open && is_text(r->options) && r->out.appended)
		fputc('\n', r->out.stream);
	r->open = status == EXIT_FINE;
	if (r->open && runner_prints_intervals(r))
		output_flush(&r->out);
	return status;
}

/* Prints a report for programs: JSON has that of other types in it, other forms after it. */
static void print(struct runner *r, const struct report *report)
{
	if (r->options->common.json)
		report_json(&r->out, report);
	else if (r->options->csv)
		report_csv(&r->out, report);
	else
		report_perf_lines(&r->out, report, r->options->common.separator);
	for (size_t i = 0; !r->options->common.json && i < report->type_count; i++)
		print(r, &report->types[i]);
}

static void print_text(struct runner *r, const struct report *report)
{
	report_text(&r->out, report);
	for (size_t i = 0; i < report->type_count; i++) {
		fputc('\n', r->out.stream);
		report_text(&r->out, &report->types[i]);
	}
}

/* Tells whether messages may go to standard error: not if only JSON or CSV goes there. */
bool runner_may_say(const struct runner *r)
{
	return is_text(r->options) || r->options->common.output || r->options->common.log_fd > 2;
}

/* Tells whether all intervals of --interval-count have been counted. */
bool runner_has_all_intervals(const struct runner *r)
{
	return r->options->interval_count && r->part_count >= r->options->interval_count;
}

/* Returns the report of the interval that has just ended. */
static struct report report_interval(struct runner *r, double time, double seconds)
{
	static const char *const nothing[] = {NULL};
	struct report report = r->report;

	report.result = r->part;
	report.diagnosis = r->parts[r->part_count - 1];
	report.time = time;
	report.seconds = seconds;
	report.ended = false;
	report.warnings = nothing;
	counted_units_show(&r->units, &report, false);
	return report;
}

void runner_on_interval(void *user, const struct plumb_count *counts, double seconds)
{
	struct runner *r = user;
	struct report report, *types;

	/* What a real CPU still does until it is stopped. */
	if (runner_has_all_intervals(r))
		return;
	runner_add_part(r, counts, NULL);
	/* The others' intervals come before the machine's own, which prints all of them. */
	if (!runner_prints_intervals(r) || r->beside) {
		r->last_time = seconds;
		return;
	}
	report = report_interval(r, seconds, seconds - r->last_time);
	types = memory_resize(NULL, r->type_count + 1, sizeof(*types));
	for (size_t i = 0; i < r->type_count; i++)
		types[i] = report_interval(&r->types[i], report.time, report.seconds);
	report.types = types;
	report.type_count = r->type_count;
	r->last_time = seconds;
	progress_erase(&r->progress);
	if (is_text(r->options)) {
		report_text_interval(&r->out, &report, r->part_count == 1);
		for (size_t i = 0; i < r->type_count; i++)
			report_text_interval(&r->out, &types[i], false);
	} else {
		print(r, &report);
	}
	output_flush(&r->out);
	free(types);
}

/* ---- intervals and phases of a sampled run ------------------------------------------------ */

void runner_on_stretch(void *user, const struct plumb_stretch *given)
{
	struct runner *r = user;

	stat_add_stretch(&r->intervals, r->plan, given);
}

void runner_on_phase(void *user, const struct plumb_stretch *given)
{
	struct runner *r = user;

	stat_add_stretch(&r->phases, r->plan, given);
}

/* Prints the intervals, whose phases are known only now. */
static void print_intervals(struct runner *r)
{
	double before = 0;

	for (size_t i = 0; i < r->intervals.count; i++) {
		static const char *const nothing[] = {NULL};
		const struct stat_stretch *interval = &r->intervals.at[i];
		struct report report = r->report;

		report.result = interval->result;
		report.diagnosis = interval->diagnosis;
		report.sampled = &interval->sampled;
		report.phase = interval->phase;
		report.time = interval->seconds;
		report.seconds = interval->seconds - before;
		report.ended = false;
		report.warnings = nothing;
		report.phase_count = 0;
		before = interval->seconds;
		if (is_text(r->options))
			report_text_interval(&r->out, &report, i == 0);
		else
			print(r, &report);
	}
}

/* Puts the phases into the report of the whole run. */
static void show_phases(struct runner *r)
{
	r->shown_phases = memory_resize(NULL, r->phases.count + 1, sizeof(*r->shown_phases));
	for (size_t i = 0; i < r->phases.count; i++) {
		const struct stat_stretch *phase = &r->phases.at[i];

		r->shown_phases[i] =
			(struct report_phase){phase->phase,  phase->intervals, phase->seconds,
					      phase->result, phase->diagnosis, &phase->sampled};
	}
	r->report.phases = r->shown_phases;
	r->report.phase_count = r->phases.count;
}

/* ---- the whole ---------------------------------------------------------------------------- */

/*
 * Warns if the run is too short for a good diagnosis or, in text, for the model's metrics. Counts
 * by themselves are right however short the run is.
 */
static void warn_of_short_run(struct runner *r, const struct plumb_diagnosis *diagnosis)
{
	/* What runs already neither starts up nor has an end. */
	if (r->report.target)
		return;
	if (diagnosis->verdict == PLUMB_VERDICT_UNKNOWN &&
	    !(is_text(r->options) && r->machine->core && r->plan->selection->metric_count))
		return;
	report_warn_of_short_run(r->diagnostics, r->report.seconds, r->startup_seconds,
				 r->startup_end);
}

/* Sets what the report says of the whole run. */
static void complete_report(struct runner *r, struct plumb_diagnosis *diagnosis)
{
	struct report *report = &r->report;

	report->diagnosis = diagnosis;
	if (plumb_result_estimate(r->whole) < 0)
		memory_given(NULL);
	counted_units_show(&r->units, report, true);
	report_warn_of_missing(r->diagnostics, report, is_text(r->options));
	report_warn_of_contradictions(r->diagnostics, report);
	warn_of_short_run(r, diagnosis);
	free(r->warnings);
	report->warnings = r->warnings = report_warnings(r->diagnostics);
	report->agreeing = runner_agreeing(r, diagnosis);
	stat_count_same(&r->sampled, diagnosis);
	report->ended = true;
}

/* Returns the reports of the other types, to be freed. */
static struct report *complete_types(struct runner *r)
{
	struct report *reports = memory_resize(NULL, r->type_count + 1, sizeof(*reports));

	for (size_t i = 0; i < r->type_count; i++) {
		struct runner *type = &r->types[i];

		type->report.runs = r->report.runs;
		type->report.seconds = r->report.seconds;
		type->report.host_seconds = r->report.host_seconds;
		type->report.exit_status = r->report.exit_status;
		type->diagnosis = results_diagnose(type->whole);
		complete_report(type, type->diagnosis);
		reports[i] = type->report;
	}
	r->report.types = reports;
	r->report.type_count = r->type_count;
	return reports;
}

int runner_print_whole(struct runner *r)
{
	struct plumb_diagnosis *diagnosis = results_diagnose(r->whole);
	struct report *report = &r->report, *types;
	int status = runner_open_output(r);

	complete_report(r, diagnosis);
	types = complete_types(r);
	if (status == EXIT_FINE) {
		report->time = report->intervals && r->options->common.json ? report->seconds : NAN;
		if (runner_is_sampled(r) && runner_prints_intervals(r))
			print_intervals(r);
		show_phases(r);
		if (is_text(r->options) && r->part_count && runner_prints_intervals(r))
			fputc('\n', r->out.stream);
		/* CSV has only the rows of the intervals: totals among them would mislead. */
		if (is_text(r->options))
			print_text(r, report);
		else if (r->options->common.json || !runner_prints_intervals(r))
			print(r, report);
		status = output_close(&r->out, report->exit_status);
		r->open = false;
	}
	free(types);
	plumb_diagnosis_free(diagnosis);
	return status;
}

void runner_say_which(const struct runner *r)
{
	const struct machine *machine = r->machine;

	if (!machine->why || !runner_may_say(r))
		return;
	if (plumb_source_label(machine->source))
		complain("counting with the %s of a %s: %s", plumb_source_label(machine->source),
			 machine->spec->product.name, machine->why);
	else
		complain("counting on this machine's %s: %s, %s", machine->spec->product.name,
			 machine->why, plumb_source_pmu(machine->source));
	for (size_t i = 0; i < r->type_count; i++)
		complain("and on its %s: %s", r->types[i].report.spec->product.name,
			 r->types[i].report.pmu);
}
