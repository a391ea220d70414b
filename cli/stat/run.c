/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program, once or several times, and follows it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/figures.h"
#include "runner.h"
#include "tool/complain.h"
#include "tool/memory.h"
#include "tool/progress.h"
#include "tool/results.h"
#include "tool/signals.h"

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
	const double first = (double)r->options->sampled_from;
	char *billion, *slower, *from, *later;

	if (r->told || !(times >= 2) || !isfinite(times) || !(speed > 0))
		return;
	r->told = true;
	progress_new_line(&r->progress);
	slower = figure_count(NULL, figure_rounded(times));
	complain("so far, the %s runs this about %s times slower than a %s would",
		 plumb_source_label(r->machine->source), slower, r->machine->spec->product.name);
	free(slower);
	/* Without a first part to wait for: how fast the rest will be is not known yet. */
	if (runner_is_sampled(r) && !(progress->instructions < first)) {
		advise("the run is sampled, which gets faster; Ctrl-C ends it and prints the "
		       "counts so far");
		return;
	}
	billion = figure_duration(figure_rounded(1e9 / speed));
	from = figure_count(NULL, first);
	later = runner_is_sampled(r)
			? memory_format("; after the first %s the run is sampled, which is faster",
					from)
			: memory_copy("", 0);
	advise("a billion instructions take about %s here; Ctrl-C ends the run and prints the "
	       "counts so far%s",
	       billion, later);
	free(billion);
	free(later);
	free(from);
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

/* ---- runs --------------------------------------------------------------------------------- */

static void on_slice(void *user, const struct plumb_count *counts)
{
	struct runner *r = user;

	if (!runner_has_all_intervals(r) && plumb_result_add_slice(r->whole, counts) < 0)
		memory_given(NULL);
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
		.interval = runner_on_interval,
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
		.unit = targets->by || targets->cgroup_count ? runner_on_unit : NULL,
		.control = targets->control.wanted,
		.control_fd = targets->control.fd,
		.ack_fd = targets->control.ack_fd,
		.sampled_error = r->options->sampled_error,
		.sampled_after = r->options->sampled_from,
		.windows = on_windows,
		.stretch = runner_on_stretch,
		.phase = runner_on_phase,
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
	if (runner_has_all_intervals(r))
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
	/* Whoever sent a command under --control knows that. */
	if (run->ended && !run->by_command && runner_may_say(r))
		window_say_ended(&r->options->counted, *argv != NULL);
	if (!r->options->interval_ms || runner_is_sampled(r))
		runner_add_part(r, r->counts, run);
	for (size_t i = 0; !r->options->interval_ms && i < r->type_count; i++)
		runner_add_part(&r->types[i], r->types[i].counts, run);
	if (!r->options->interval_ms && r->options->repeat > 1)
		runner_keep_repeat(r, run->seconds);
	for (size_t i = 0; r->repeats && i < r->type_count; i++)
		runner_keep_repeat(&r->types[i], run->seconds);
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

/* ---- all of it ---------------------------------------------------------------------------- */

static void release(struct runner *r)
{
	for (size_t i = 0; i < r->type_count; i++)
		release(&r->types[i]);
	plumb_diagnosis_free(r->diagnosis);
	free(r->types);
	free(r->besides);
	for (size_t i = 0; i < r->part_count; i++)
		plumb_diagnosis_free(r->parts[i]);
	counted_units_free(&r->units);
	runner_free_repeats(r);
	stat_free_sampled(&r->sampled);
	stat_free_stretches(&r->intervals);
	stat_free_stretches(&r->phases);
	free(r->shown_phases);
	free(r->parts);
	free(r->counts);
	free(r->warnings);
	plumb_result_free(r->whole);
	plumb_result_free(r->part);
	plumb_diagnostics_free(r->diagnostics);
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
			   .seed = machine->seed,
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
	runner_find_record_options(&r);
	add_types(&r, types);
	runner_say_which(&r);
	machine->say_engine = options->common.verbose && runner_may_say(&r);
	/* Intervals are printed during the run, so the output must be open before it. */
	status = runner_prints_intervals(&r) ? runner_open_output(&r) : EXIT_FINE;
	signals_catch(0);
	signals_cancel(machine->source, *argv ? 2 : 1);
	if (status == EXIT_FINE)
		status = run_all(&r, argv);
	/* What reads the file may never come. */
	if (options->common.output)
		signals_release();
	if (status == EXIT_FINE)
		status = runner_print_whole(&r);
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
