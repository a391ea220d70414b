/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program, once or several times, and prints the results at its end or at intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "render/report.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/results.h"
#include "tool/signals.h"

/* A CPU, a thread or the like that is counted separately. */
struct unit {
	struct plumb_count_unit given;
	char *name;
	struct plumb_result *whole, *part;
};

struct runner {
	const struct stat_options *options;
	struct machine *machine;
	const struct plumb_plan *plan;
	struct output out;
	bool open;            /* `out` is */
	struct report report; /* of the whole run */
	struct plumb_result *whole, *part;
	struct plumb_count *counts;     /* of one run */
	struct plumb_diagnosis **parts; /* one for each run or interval */
	size_t part_count, part_room;
	struct report_repeat *repeats; /* with -r: one for each run */
	size_t repeat_count;
	struct unit *units;
	struct report_unit *shown; /* what is printed of them */
	size_t unit_count;
	struct plumb_diagnostics *diagnostics;
	const char **warnings;
	const char *record_options[2 * 13 + 2 + 1 + 2 * 2 + 1];
	char costs[2][16]; /* words in it */
	struct report_what_if what_if[PLUMB_WHAT_IF_MAX];
	struct report_sampled sampled;
	struct stat_stretches intervals, phases; /* of a sampled run */
	struct report_phase *shown_phases;
	double last_time;       /* of the previous interval */
	double startup_seconds; /* as in struct plumb_count_run; the mean of the runs */
	const char *startup_end;
	struct progress progress;
	struct runner *types; /* other types of cores, with their plans and results */
	bool beside;          /* one of them */
	size_t type_count;
	struct plumb_diagnosis *diagnosis;  /* of the whole, of another type of cores */
	struct plumb_count_beside *besides; /* what counts for them */
	bool told;                          /* how slow the model is */
	bool interrupted;                   /* by a signal before the program began */
};

static void on_started(void *user, pid_t pid)
{
	struct runner *r = user;

	r->report.engine_path = r->machine->engine_path;
	r->report.engine_version = r->machine->engine_version;
	if (pid > 0) {
		progress_program(&r->progress, pid);
		signals_started(pid);
	} else {
		signals_begun();
	}
}

static int last_signal(void *user)
{
	(void)user;
	return signals_last();
}

/* ---- progress ----------------------------------------------------------------------------- */

/*
 * Prints once how slow the model is, so that the user can tell how long to wait. The model takes
 * about as long for each instruction, so its speed says more than how many times slower than the
 * core it is: that changes by a factor of 20 when a program begins to wait for memory.
 */
static void say_how_slow(struct runner *r, double host, const struct plumb_progress *progress)
{
	const double times = host / progress->seconds;
	const double speed = progress->instructions / host;
	char *billion, *slower;

	if (r->told || !(times >= 2) || !isfinite(times) || !(speed > 0))
		return;
	r->told = true;
	slower = figure_count(NULL, figure_rounded(times));
	complain("so far, the %s runs this about %s times slower than a %s would",
		 plumb_source_label(r->machine->source), slower, r->machine->spec->product.name);
	billion = figure_duration(figure_rounded(1e9 / speed));
	advise("a billion instructions take about %s here; Ctrl-C ends the run and prints the "
	       "counts so far",
	       billion);
	free(billion);
	free(slower);
}

static void on_progress(void *user, const struct plumb_progress *progress)
{
	struct runner *r = user;
	const uint64_t most = r->options->counted.max_instructions;
	double host = progress_seconds(&r->progress);
	char *work, *time;

	if (!progress_is_due(&r->progress))
		return;
	say_how_slow(r, host, progress);
	work = most ? figure_work_of(host, progress->instructions, (double)most)
		    : figure_work(host, progress->instructions);
	if (isnan(progress->instructions)) {
		progress_show(&r->progress, "%s", work);
	} else {
		time = figure_duration(progress->seconds);
		progress_show(&r->progress, "%s; %s of %s time", work, time,
			      plumb_source_name(r->machine->source));
		free(time);
	}
	free(work);
}

/* ---- parts: runs or intervals --------------------------------------------------------------- */

/* Adds an interval, or the run that `run` tells about. */
static void add_part(struct runner *r, const struct plumb_count *counts,
		     const struct plumb_count_run *run)
{
	plumb_result_free(r->part);
	r->part = results_new(r->plan);
	plumb_result_add(r->part, counts, run);
	plumb_result_add(r->whole, counts, run);
	if (run) {
		plumb_result_add_moving(r->part, run->moving_cycles, run->cycles);
		plumb_result_add_waits(r->part, run->unforwarded_cycles, run->cycles,
				       run->limit_cycles);
		plumb_result_add_kernel(r->part, run->conditions.kernel_cycles, run->cycles);
		plumb_result_add_core_waits(r->part, &run->waits);
	}
	if (r->part_count == r->part_room) {
		r->part_room = r->part_room ? 2 * r->part_room : 16;
		r->parts = memory_resize(r->parts, r->part_room, sizeof(struct plumb_diagnosis *));
	}
	r->parts[r->part_count++] = results_diagnose(r->part);
}

/* Keeps what the newest run counted. */
static void keep_repeat(struct runner *r, double seconds)
{
	const size_t events = r->plan->event_count, metrics = r->plan->selection->metric_count;
	struct report_repeat *repeat;

	r->repeats = memory_resize(r->repeats, r->repeat_count + 1, sizeof(*r->repeats));
	repeat = &r->repeats[r->repeat_count++];
	repeat->seconds = seconds;
	repeat->counts = memory_resize(NULL, events + 1, sizeof(double));
	repeat->values = memory_resize(NULL, metrics + 1, sizeof(double));
	for (size_t i = 0; i < events; i++)
		repeat->counts[i] = r->part->events[i].count.count;
	for (size_t i = 0; i < metrics; i++)
		repeat->values[i] = r->part->values[i].value;
	r->report.repeats = r->repeats;
}

static void free_repeats(struct runner *r)
{
	for (size_t i = 0; i < r->repeat_count; i++) {
		free(r->repeats[i].counts);
		free(r->repeats[i].values);
	}
	free(r->repeats);
}

/* ---- units ---------------------------------------------------------------------------------- */

static void on_unit(void *user, size_t index, const struct plumb_count_unit *given,
		    const struct plumb_count *counts)
{
	struct runner *r = user;
	const bool runs = !r->options->interval_ms;
	struct unit *unit;

	while (r->unit_count <= index) {
		r->units = memory_resize(r->units, r->unit_count + 1, sizeof(*r->units));
		r->shown = memory_resize(r->shown, r->unit_count + 1, sizeof(*r->shown));
		r->shown[r->unit_count] = (struct report_unit){.diagnosis = NULL};
		r->units[r->unit_count++] = (struct unit){.whole = results_new(r->plan)};
	}
	unit = &r->units[index];
	free(unit->name);
	unit->name = given->name ? memory_copy(given->name, strlen(given->name)) : NULL;
	unit->given = *given;
	unit->given.name = unit->name;
	plumb_result_free(unit->part);
	unit->part = results_new(r->plan);
	plumb_result_add(unit->part, counts, runs);
	plumb_result_add(unit->whole, counts, runs);
}

static void hide_units(struct runner *r)
{
	for (size_t i = 0; i < r->unit_count; i++) {
		/* The report only reads it. */
		plumb_diagnosis_free((struct plumb_diagnosis *)(uintptr_t)r->shown[i].diagnosis);
		r->shown[i].diagnosis = NULL;
	}
}

/* Puts the units into a report: their newest part, or the whole. */
static void show_units(struct runner *r, struct report *report, bool whole)
{
	hide_units(r);
	for (size_t i = 0; i < r->unit_count; i++) {
		const struct plumb_result *result = whole ? r->units[i].whole : r->units[i].part;

		r->shown[i] =
			(struct report_unit){r->units[i].given, result, results_diagnose(result)};
	}
	report->units = r->shown;
	report->unit_count = r->unit_count;
}

/* Returns how many parts give the diagnosis of the whole run, or a more specific one. */
static unsigned agreeing(const struct runner *r, const struct plumb_diagnosis *whole)
{
	unsigned count = 0;

	for (size_t i = 0; i < r->part_count; i++)
		count += r->parts[i]->verdict == whole->verdict &&
			 (r->report.intervals || r->parts[i]->sharing == whole->sharing) &&
			 plumb_diagnosis_common(r->parts[i], whole) == whole->path_length;
	return count;
}

static bool is_text(const struct stat_options *options)
{
	return !options->common.json && !options->csv && !options->common.separator;
}

/* Tells whether each interval is printed when it ends. */
static bool prints_intervals(const struct runner *r)
{
	return r->options->interval_ms && !r->options->summary_only;
}

static int open_output(struct runner *r)
{
	const struct common_options *common = &r->options->common;
	int status = r->open               ? EXIT_FINE
		     : prints_intervals(r) ? output_open_stream(&r->out, common)
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
static bool may_say(const struct runner *r)
{
	return is_text(r->options) || r->options->common.output || r->options->common.log_fd > 2;
}

/* Tells whether all intervals of --interval-count have been counted. */
static bool has_all_intervals(const struct runner *r)
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
	show_units(r, &report, false);
	return report;
}

static void on_interval(void *user, const struct plumb_count *counts, double seconds)
{
	struct runner *r = user;
	struct report report, *types;

	/* What a real CPU still does until it is stopped. */
	if (has_all_intervals(r))
		return;
	add_part(r, counts, NULL);
	/* The others' intervals come before the machine's own, which prints all of them. */
	if (!prints_intervals(r) || r->beside) {
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

static bool is_sampled(const struct runner *r)
{
	return r->options->sampled_error != 0;
}

static void on_stretch(void *user, const struct plumb_stretch *given)
{
	struct runner *r = user;

	stat_add_stretch(&r->intervals, r->plan, given);
}

static void on_phase(void *user, const struct plumb_stretch *given)
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

static void on_slice(void *user, const struct plumb_count *counts)
{
	struct runner *r = user;

	if (!has_all_intervals(r) && plumb_result_add_slice(r->whole, counts) < 0)
		memory_given(NULL);
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

static void on_windows(void *user, const struct plumb_windows *windows)
{
	struct runner *r = user;

	stat_free_sampled(&r->sampled);
	stat_keep_windows(&r->sampled, r->whole, windows, r->options->sampled_from);
	progress_erase(&r->progress);
	stat_say_sampled(r->options, windows);
	r->report.sampled = &r->sampled;
}

/* One run of the program. Returns EXIT_FINE, also if the program failed. */
static int run_once(struct runner *r, struct plumb_count_run *run, char *const *argv)
{
	const struct stat_targets *targets = &r->options->targets;
	const struct plumb_count_job job = {
		.size = sizeof(job),
		.plan = r->plan,
		.program = r->machine->program,
		.argv = argv,
		.children = r->options->children,
		.one_pass = r->options->no_multiplex,
		.interval_ms = r->options->interval_ms,
		.window = &r->options->counted,
		.started = on_started,
		.interval = on_interval,
		.progress = on_progress,
		.last_signal = last_signal,
		.user = r,
		.pids = targets->pids.at,
		.tids = targets->tids.at,
		.cpus = targets->cpus.at,
		.pid_count = targets->pids.count,
		.tid_count = targets->tids.count,
		.cpu_count = targets->cpus.count,
		.all_cpus = targets->all_cpus,
		.cgroups = targets->cgroups,
		.cgroup_count = targets->cgroup_count,
		.no_inherit = r->options->no_inherit,
		.by = targets->by,
		.unit = targets->by || targets->cgroup_count ? on_unit : NULL,
		.control = targets->control.wanted,
		.control_fd = targets->control.fd,
		.ack_fd = targets->control.ack_fd,
		.sampled_error = r->options->sampled_error,
		.sampled_after = r->options->sampled_from,
		.windows = on_windows,
		.stretch = on_stretch,
		.phase = on_phase,
		.slice = on_slice,
		.beside = r->besides,
		.beside_count = r->type_count,
	};
	int error;

	*run = (struct plumb_count_run){.size = sizeof(*run)};
	progress_begin(&r->progress, !r->options->no_progress);
	error = plumb_source_count(r->machine->source, &job, r->counts, run, r->diagnostics);
	signals_ended();
	progress_erase(&r->progress);
	/* Only the first run says which engine it uses. */
	r->machine->say_engine = false;
	if (has_all_intervals(r))
		run->seconds = r->last_time;
	/*
	 * The second signal, or the third, ends a program that ignores the first: no error. Only
	 * the model takes a moment to begin.
	 */
	if (error == PLUMB_ERR_INTERRUPTED &&
	    (run->seconds > 0 || !plumb_source_label(r->machine->source)))
		error = PLUMB_OK;
	if (error == PLUMB_ERR_INTERRUPTED) {
		r->interrupted = true;
		return EXIT_OTHER;
	}
	if (error < 0)
		return machine_complain(r->diagnostics,
					r->machine->program ? r->machine->program : targets->text,
					error);
	if (run->ended && may_say(r))
		window_say_ended(&r->options->counted, *argv != NULL, targets->control.wanted,
				 run->host_seconds);
	if (!r->options->interval_ms || is_sampled(r))
		add_part(r, r->counts, run);
	for (size_t i = 0; !r->options->interval_ms && i < r->type_count; i++)
		add_part(&r->types[i], r->types[i].counts, run);
	if (!r->options->interval_ms && r->options->repeat > 1)
		keep_repeat(r, run->seconds);
	for (size_t i = 0; r->repeats && i < r->type_count; i++)
		keep_repeat(&r->types[i], run->seconds);
	plumb_result_add_moving(r->whole, run->moving_cycles, run->cycles);
	plumb_result_add_waits(r->whole, run->unforwarded_cycles, run->cycles, run->limit_cycles);
	plumb_result_add_kernel(r->whole, run->conditions.kernel_cycles, run->cycles);
	plumb_result_add_core_waits(r->whole, &run->waits);
	return EXIT_FINE;
}

/* Adds the answers of one more run, after `before` others, to their means. */
static void keep_what_if(struct runner *r, const struct plumb_count_run *run, unsigned before)
{
	struct report *report = &r->report;
	const struct plumb_what_if *part;
	size_t count = 0;

	if (!r->options->what_if)
		return;
	report->cycles += ((double)run->cycles - report->cycles) / (before + 1);
	for (size_t i = 0; (part = plumb_model_what_if(i)); i++) {
		struct report_what_if *kept = &r->what_if[count];

		if (run->what_if_cycles[i] == 0)
			continue;
		kept->name = part->name;
		kept->text = part->text;
		kept->together = !plumb_model_what_if(i + 1);
		kept->cycles += ((double)run->what_if_cycles[i] - kept->cycles) / (before + 1);
		count++;
	}
	report->what_if = r->what_if;
	report->what_if_count = count;
}

/* Adds what one more run counted of the model's conditions. */
static void keep_conditions(struct report *report, const struct plumb_count_run *run)
{
	const struct plumb_condition_counts *more = &run->conditions;
	struct plumb_condition_counts *all = &report->condition_counts;

	all->page_faults += more->page_faults;
	all->system_calls += more->system_calls;
	all->kernel_cycles += more->kernel_cycles;
	all->wrong_loads += more->wrong_loads;
	all->wrong_refills += more->wrong_refills;
}

static int run_all(struct runner *r, char *const *argv)
{
	unsigned wanted = r->options->repeat ? r->options->repeat : 1;
	struct report *report = &r->report;

	for (unsigned i = 0; i < wanted; i++) {
		struct plumb_count_run run;
		int status = run_once(r, &run, argv);

		if (status != EXIT_FINE)
			return status;
		report->runs = i + 1;
		report->seconds += (run.seconds - report->seconds) / (i + 1);
		r->startup_seconds += (run.startup_seconds - r->startup_seconds) / (i + 1);
		r->startup_end = run.startup_end;
		report->host_seconds += (run.host_seconds - report->host_seconds) / (i + 1);
		/* Keep the status of the first run that failed. */
		keep_what_if(r, &run, i);
		keep_conditions(report, &run);
		for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++)
			report->limit_cycles[set] += (double)run.limit_cycles[set];
		if (report->exit_status == 0) {
			report->exit_status = run.exit_status;
			report->signal = run.signal;
		}
		if (signals_ends() || signals_passed_on())
			break;
	}
	return EXIT_FINE;
}

/* Sets what the report says of the whole run. */
static void complete_report(struct runner *r, struct plumb_diagnosis *diagnosis)
{
	struct report *report = &r->report;

	report->diagnosis = diagnosis;
	if (plumb_result_estimate(r->whole) < 0)
		memory_given(NULL);
	show_units(r, report, true);
	report_warn_of_missing(r->diagnostics, report, is_text(r->options));
	report_warn_of_contradictions(r->diagnostics, report);
	warn_of_short_run(r, diagnosis);
	free(r->warnings);
	report->warnings = r->warnings = report_warnings(r->diagnostics);
	report->agreeing = agreeing(r, diagnosis);
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

static int print_whole(struct runner *r)
{
	struct plumb_diagnosis *diagnosis = results_diagnose(r->whole);
	struct report *report = &r->report, *types;
	int status = open_output(r);

	complete_report(r, diagnosis);
	types = complete_types(r);
	if (status == EXIT_FINE) {
		report->time = report->intervals && r->options->common.json ? report->seconds : NAN;
		if (is_sampled(r) && prints_intervals(r))
			print_intervals(r);
		show_phases(r);
		if (is_text(r->options) && r->part_count && prints_intervals(r))
			fputc('\n', r->out.stream);
		/* CSV has only the rows of the intervals: totals among them would mislead. */
		if (is_text(r->options))
			print_text(r, report);
		else if (r->options->common.json || !prints_intervals(r))
			print(r, report);
		status = output_close(&r->out, report->exit_status);
		r->open = false;
	}
	free(types);
	plumb_diagnosis_free(diagnosis);
	return status;
}

static void say_which(const struct runner *r)
{
	const struct machine *machine = r->machine;

	if (!machine->why || !may_say(r))
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

static void release(struct runner *r)
{
	for (size_t i = 0; i < r->type_count; i++)
		release(&r->types[i]);
	plumb_diagnosis_free(r->diagnosis);
	free(r->types);
	free(r->besides);
	for (size_t i = 0; i < r->part_count; i++)
		plumb_diagnosis_free(r->parts[i]);
	hide_units(r);
	free_repeats(r);
	stat_free_sampled(&r->sampled);
	stat_free_stretches(&r->intervals);
	stat_free_stretches(&r->phases);
	free(r->shown_phases);
	for (size_t i = 0; i < r->unit_count; i++) {
		plumb_result_free(r->units[i].whole);
		plumb_result_free(r->units[i].part);
		free(r->units[i].name);
	}
	free(r->units);
	free(r->shown);
	free(r->parts);
	free(r->counts);
	free(r->warnings);
	plumb_result_free(r->whole);
	plumb_result_free(r->part);
	plumb_diagnostics_free(r->diagnostics);
}

/* Collects the options that plumb record needs for the same run. */
/* Adds the option of the `i`-th cost, if there is one. */
static void add_cost(struct runner *r, size_t *count, const char *name, unsigned cycles, size_t i)
{
	if (!cycles)
		return;
	snprintf(r->costs[i], sizeof(r->costs[i]), "%u", cycles);
	r->record_options[(*count)++] = name;
	r->record_options[(*count)++] = r->costs[i];
}

static void find_record_options(struct runner *r)
{
	const struct stat_options *options = r->options;
	const char *const given[][2] = {
		{"--source",
		 options->source != SOURCE_AUTO ? plumb_source_name(r->machine->source) : NULL},
		{"--cpu", options->common.cpu},
		{"-L", options->sysroot},
		{"--qemu", options->qemu},
		{"--page-size", options->page_size ? machine_page_sizes[options->page_size] : NULL},
		{"--delay", options->window.delay},
		{"--timeout", options->window.timeout},
		{"--max-instructions", options->window.instructions},
		{"--from", options->window.from},
		{"--to", options->window.to},
		{"-p", options->pids},
		{"-t", options->tids},
		{"-C", options->cpus},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		if (!given[i][1])
			continue;
		r->record_options[count++] = given[i][0];
		r->record_options[count++] = given[i][1];
	}
	if (options->huge_pages)
		r->record_options[count++] = "--huge-pages";
	if (options->targets.all_cpus)
		r->record_options[count++] = "-a";
	if (options->conditions.wrong_path_loads)
		r->record_options[count++] = "--wrong-path-loads";
	add_cost(r, &count, "--page-fault-cost", options->conditions.page_fault_cost, 0);
	add_cost(r, &count, "--syscall-cost", options->conditions.syscall_cost, 1);
	r->report.record_options = r->record_options;
}

/* Prepares what counts on the cores of the other types. */
static void add_types(struct runner *r, const struct stat_types *types)
{
	r->types = memory_resize(NULL, types->count + 1, sizeof(*r->types));
	r->besides = memory_resize(NULL, types->count + 1, sizeof(*r->besides));
	r->type_count = types->count;
	if (types->count)
		r->report.pmu = plumb_source_pmu(r->machine->source);
	for (size_t i = 0; i < types->count; i++) {
		struct runner *type = &r->types[i];
		const struct stat_type *given = &types->at[i];

		*type = (struct runner){
			.options = r->options,
			.machine = r->machine,
			.plan = given->plan,
			.beside = true,
			.whole = results_new(given->plan),
			.counts = memory_resize(NULL, given->plan->place_count + 1,
						sizeof(*type->counts)),
			.diagnostics = memory_given(plumb_diagnostics_new()),
			.report = r->report,
		};
		type->report.spec = given->plan->selection->spec;
		type->report.midr = plumb_source_midr(given->machine.source);
		type->report.pmu = plumb_source_pmu(given->machine.source);
		type->report.result = type->whole;
		r->besides[i] = (struct plumb_count_beside){given->machine.source, given->plan,
							    type->counts, type};
	}
}

int stat_run(const struct stat_options *options, struct machine *machine,
	     const struct plumb_plan *plan, const struct stat_types *types, char *const *argv,
	     bool brief)
{
	struct runner r = {
		.options = options,
		.machine = machine,
		.plan = plan,
		.whole = results_new(plan),
		.counts = memory_resize(NULL, plan->place_count + 1, sizeof(*r.counts)),
		.diagnostics = memory_given(plumb_diagnostics_new()),
		.report = {.source = plumb_source_name(machine->source),
			   .label = machine->label,
			   .core = machine->core,
			   .core_file = machine->core_file,
			   .page_bytes = machine->page_bytes,
			   .huge_pages = machine->huge_pages,
			   .conditions = machine->conditions,
			   .spec = plan->selection->spec,
			   .midr = plumb_source_midr(machine->source),
			   .command = argv,
			   .target = options->targets.text,
			   .intervals = options->interval_ms != 0,
			   .time = NAN,
			   .phase = -1,
			   .estimates = options->sampled_error != 0,
			   .verbose = options->common.verbose,
			   .brief = brief && !options->common.verbose,
			   .folds = !options->selecting.groups.count &&
				    !options->selecting.metrics.count && !options->common.verbose},
	};
	int status;

	r.report.result = r.whole;
	find_record_options(&r);
	add_types(&r, types);
	say_which(&r);
	machine->say_engine = options->common.verbose && may_say(&r);
	/* Intervals are printed during the run, so the output must be open before it. */
	status = prints_intervals(&r) ? open_output(&r) : EXIT_FINE;
	signals_catch(0);
	signals_cancel(machine->source, *argv ? 2 : 1);
	if (status == EXIT_FINE)
		status = run_all(&r, argv);
	/* What reads the file may never come. */
	if (options->common.output)
		signals_release();
	if (status == EXIT_FINE)
		status = print_whole(&r);
	else if (r.open)
		output_discard(&r.out);
	release(&r);
	if (r.interrupted) {
		signals_end_early();
		complain("a signal ended QEMU before the program began");
	} else if (status == r.report.exit_status) {
		signals_end(r.report.signal);
	}
	return status;
}
