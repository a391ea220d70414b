/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts with Linux's perf: starts the program, if there is one, stopped before its execve(2),
 * opens events for it or for what else is counted, and lets it go. All groups take turns on the
 * counters in one run; with job->one_pass, each pass has its own run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/diagnostics.h"
#include "count/plan.h"
#include "count/scaled.h"
#include "source/perf/beside.h"
#include "source/perf/control.h"
#include "source/perf/instances.h"
#include "source/perf/program.h"
#include "source/perf/record.h"
#include "source/perf/watch.h"
#include "source/source.h"

#define PROGRESS_MS       250
#define TURN_MS           4      /* of a group on the counters */
#define SLICE_MS          50     /* at least */
#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */
#define NAMED_MAX         6      /* events in one warning */

/* perf takes "armv8_pmuv3" for "armv8_pmuv3_0", and "cpu" for the PMU that counts. */
static bool is_pmu(const struct cpu_pmu *pmu, const char *name)
{
	const size_t length = strlen(name);

	return strcmp(name, "cpu") == 0 ||
	       (strncmp(pmu->name, name, length) == 0 &&
		(!pmu->name[length] ||
		 (pmu->name[length] == '_' &&
		  strspn(pmu->name + length + 1, "0123456789") == strlen(pmu->name + length + 1))));
}

static int check(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
		 const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics)
{
	(void)spec;
	if (event->kind != PLUMB_EVENT_PMU || !pmu)
		return 0;
	if (event->pmu && !is_pmu(pmu, event->pmu)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "other-pmu", NULL,
				      "%s: this machine's PMU is %s", event->name, pmu->name);
		return PLUMB_ERR_NOT_FOUND;
	}
	/* armv8pmu_set_event_filter() in drivers/perf/arm_pmuv3.c rejects it. */
	if (event->exclude_idle) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "idle", NULL,
				      "%s: Linux cannot exclude idle time on Arm PMUs",
				      event->name);
		plumb_diagnostics_hint(diagnostics, "remove the modifier I");
		return PLUMB_ERR_UNSUPPORTED;
	}
	return 0;
}

struct counting {
	const struct source_job *job;
	struct source_run *run;
	struct plumb_diagnostics *diagnostics;
	struct perf_instances instances;
	struct perf_besides besides; /* other types of cores */
	struct perf_reading *before; /* of each place, when the last interval ended */
	struct perf_reading *sliced; /* likewise, when the last slice ended */
	struct plumb_count *part;    /* room for the counts of an interval or a unit */
	struct perf_limits limits;   /* of all passes */
	struct source_ending ending; /* how the program ends if it is cancelled */
	struct perf_control control;
	double began, interval_end; /* on the clock */
	double slice_end;           /* when the last slice ended */
	double slice;               /* its length in seconds; 0: there are none */
	double turns_on, turns_off; /* likewise, when the window does */
	double on_since;            /* likewise, if it is on */
	double on_seconds;          /* before that */
	bool on, was_on;
	bool canceled;
	size_t cpu_changes;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- counts ------------------------------------------------------------------------------- */

struct plumb_count perf_count_since(const struct perf_reading *from, const struct perf_reading *to)
{
	uint64_t enabled = to->enabled_ns - from->enabled_ns;
	uint64_t running = to->running_ns - from->running_ns;

	/*
	 * An event that was never enabled, for example because the program slept, counts 0, which
	 * would look like a measurement.
	 */
	if (enabled == 0)
		return (struct plumb_count){NAN, 0, 0};
	return (struct plumb_count){count_scaled(to->raw - from->raw, enabled, running), enabled,
				    running};
}

/* Fills in c->part with what was counted between two readings; `before` becomes `now`. */
static void take_part(struct counting *c, struct perf_reading *before,
		      const struct perf_reading *now_read)
{
	perf_counts_since(c->job, before, now_read, c->part);
	memcpy(before, now_read, c->job->plan->place_count * sizeof(*before));
}

static void read_units(struct counting *c)
{
	for (size_t i = 0; c->job->unit && i < c->instances.unit_count; i++) {
		struct perf_unit *unit = &c->instances.units[i];
		struct plumb_count_unit given = unit->given;

		given.name = *unit->name ? unit->name : NULL;
		take_part(c, unit->before, unit->now);
		c->job->unit(c->job->user, i, &given, c->part);
	}
}

static void read_interval(struct counting *c, double time)
{
	perf_instances_read(&c->instances);
	read_units(c);
	take_part(c, c->before, c->instances.now);
	c->job->interval(c->job->user, c->part, time);
}

/*
 * Returns the length of a slice: Linux lets another group count every perf_event_mux_interval_ms,
 * by default a tick of 4 ms, so that each has two turns.
 */
static double slice_seconds(const struct source_job *job)
{
	const double turns = 1e-3 * 2 * TURN_MS * job->plan->group_count;

	if (!job->slice || job->one_pass || job->plan->pass_count < 2)
		return 0;
	return turns > 1e-3 * SLICE_MS ? turns : 1e-3 * SLICE_MS;
}

static void end_slice(struct counting *c)
{
	perf_instances_read(&c->instances);
	take_part(c, c->sliced, c->instances.now);
	c->job->slice(c->job->user, c->part);
	c->slice_end = now();
}

/* Sets what was opened in this pass. */
static void read_all(struct counting *c)
{
	const size_t places = c->job->plan->place_count;

	perf_instances_read(&c->instances);
	perf_besides_read(&c->besides);
	if (!c->job->interval || !c->job->interval_ms)
		read_units(c);
	memset(c->before, 0, places * sizeof(*c->before));
	perf_counts_since(c->job, c->before, c->instances.now, c->part);
	for (size_t i = 0; i < places; i++)
		if (c->part[i].enabled_ns)
			c->run->counts[i] = c->part[i];
}

/* Returns the instructions so far; NaN if they are not counted. */
static double instructions_so_far(struct counting *c)
{
	const struct plumb_plan *plan = c->job->plan;
	const uint16_t instructions = plumb_plan_event(plan, CODE_INSTRUCTIONS);
	double count = NAN;

	for (uint16_t g = 0; g < plan->group_count && isnan(count); g++) {
		for (uint16_t i = 0; i < plan->groups[g].count && isnan(count); i++) {
			const struct perf_reading *read =
				&c->instances.now[plan->groups[g].first + i];

			if (plan->groups[g].events[i] == instructions)
				count = count_scaled(read->raw, read->enabled_ns, read->running_ns);
		}
	}
	return count;
}

static void tell_progress(struct counting *c)
{
	struct plumb_progress progress = {NAN, now() - c->began};

	perf_instances_read(&c->instances);
	progress.instructions = instructions_so_far(c);
	c->job->progress(c->job->user, &progress);
}

/* ---- a run -------------------------------------------------------------------------------- */

/* Reads the interval that is due, if any. It includes intervals that were slept through. */
static void end_interval(struct counting *c, double interval)
{
	double late = now() - c->interval_end;

	if (late < interval)
		return;
	c->interval_end += interval * floor(late / interval);
	read_interval(c, now() - c->began);
}

static void turn(struct counting *c, bool on)
{
	if (c->on == on)
		return;
	/* The program's own execve(2) turns events on that need not wait. */
	perf_instances_switch(&c->instances, on);
	perf_besides_switch(&c->besides, on);
	if (on)
		c->on_since = now();
	else
		c->on_seconds += now() - c->on_since;
	c->on = on;
	c->was_on |= on;
}

/* Begins to count when the delay is over; ends counting, and the program, at the timeout. */
static void turn_window(struct counting *c)
{
	if (now() >= c->turns_on) {
		turn(c, true);
		c->turns_on = INFINITY;
		if (c->job->window.timeout_ms)
			c->turns_off = now() + 1e-3 * c->job->window.timeout_ms;
	}
	if (!c->run->ended && now() >= c->turns_off) {
		turn(c, false);
		c->run->ended = true;
	}
}

static void begin_window(struct counting *c)
{
	const struct plumb_window *window = &c->job->window;
	const bool from_exec = !source_job_has_targets(c->job);

	c->on = false;
	c->on_seconds = 0;
	c->turns_on = window->delay_ms < 0 ? INFINITY : c->began + 1e-3 * window->delay_ms;
	/* Without a delay the time runs at once; the events may be waiting for the execve(2). */
	c->turns_off = INFINITY;
	/* If a command is to turn it on, which may never come, the time runs from the beginning. */
	if (window->timeout_ms)
		c->turns_off =
			(window->delay_ms < 0 ? c->began : c->turns_on) + 1e-3 * window->timeout_ms;
	if (window->delay_ms != 0)
		return;
	if (from_exec) {
		c->on = c->was_on = true;
		c->on_since = c->began;
		c->turns_on = INFINITY;
	} else {
		turn_window(c);
	}
}

static void obey(void *user, enum perf_command command)
{
	struct counting *c = user;

	if (command == PERF_ENABLE || command == PERF_DISABLE) {
		turn(c, command == PERF_ENABLE);
		c->turns_on = INFINITY;
	} else if (command == PERF_STOP) {
		turn(c, false);
		c->run->ended = true;
	}
}

/* Returns the milliseconds until `time`, at most `most`. */
static int time_until(double time, int most)
{
	double left = 1e3 * (time - now());

	return left >= most ? most : left > 0 ? (int)left + 1 : 0;
}

/* Waits for what is due next: returns once something has ended, a command has come, or it is time.
 */
static void wait_for_next(struct counting *c, struct perf_watch *watch)
{
	double interval = c->job->interval ? 1e-3 * c->job->interval_ms : 0;
	int timeout = CANCEL_LOOK_MS;

	if (interval > 0)
		timeout = time_until(c->interval_end + interval, timeout);
	if (c->slice > 0)
		timeout = time_until(c->slice_end + c->slice, timeout);
	timeout = time_until(c->turns_on, timeout);
	if (!c->run->ended)
		timeout = time_until(c->turns_off, timeout);
	if (perf_watch_wait(watch, c->control.fd, timeout))
		perf_control_read(&c->control, obey, c);
}

/* Reads what is due until the program ends, or, without one, all that is counted. */
static void watch(struct counting *c, pid_t pid)
{
	const struct source_job *job = c->job;
	double interval = job->interval ? 1e-3 * job->interval_ms : 0, told = now();
	struct perf_watch watch;

	perf_watch_begin(&watch, pid, job);
	for (;;) {
		wait_for_next(c, &watch);
		if (perf_watch_has_ended(&watch))
			break;
		turn_window(c);
		if (source_is_canceled(&job->cancel))
			c->canceled = true;
		if ((c->canceled || c->run->ended) && pid > 0)
			source_end(&c->ending, pid);
		else if (c->canceled || c->run->ended)
			break;
		c->cpu_changes += perf_instances_follow(&c->instances, c->on);
		perf_besides_follow(&c->besides, c->on);
		if (interval > 0)
			end_interval(c, interval);
		if (c->slice > 0 && now() >= c->slice_end + c->slice)
			end_slice(c);
		if (job->progress && now() - told >= 1e-3 * PROGRESS_MS) {
			tell_progress(c);
			told = now();
		}
	}
	/* What is not a program runs on. */
	if (source_job_has_targets(job))
		turn(c, false);
	perf_watch_end(&watch);
}

int perf_status_of(int error)
{
	switch (error) {
	case -ENOMEM:
		return PLUMB_ERR_NO_MEMORY;
	case -EACCES:
	case -EPERM:
		return PLUMB_ERR_PERMISSION;
	case -EBUSY:
		return PLUMB_ERR_BUSY;
	default:
		return PLUMB_ERR_MACHINE;
	}
}

static double counted_seconds(const struct counting *c)
{
	return c->on_seconds + (c->on ? now() - c->on_since : 0);
}

/* Lets the program go, if there is one, and reads what is due until it ends. */
static int run_to_end(struct counting *c, uint16_t pass, const struct perf_program *program)
{
	struct source_run *run = c->run;
	int error, status = 0;

	if (c->job->started)
		c->job->started(c->job->user, program->pid);
	c->began = c->interval_end = c->slice_end = now();
	c->slice = slice_seconds(c->job);
	begin_window(c);
	memset(c->before, 0, (c->job->plan->place_count + 1) * sizeof(*c->before));
	memset(c->sliced, 0, (c->job->plan->place_count + 1) * sizeof(*c->sliced));
	error = program->pid > 0 ? perf_program_let_go(program) : 0;
	if (error == 0)
		watch(c, program->pid);
	/* Before the program is waited for, which takes a moment. */
	run->seconds += (counted_seconds(c) - run->seconds) / (pass + 1);
	if (program->pid > 0)
		status = perf_program_wait(program->pid);
	if (error < 0)
		return perf_program_complain(c->job->program, error, c->diagnostics);
	run->host_seconds += now() - c->began;
	if (run->exit_status == 0) {
		run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		run->exit_status = run->signal ? 128 + run->signal : WEXITSTATUS(status);
	}
	if (c->job->interval && c->job->interval_ms)
		read_interval(c, now() - c->began);
	read_all(c);
	if (c->slice > 0)
		end_slice(c);
	return c->canceled ? PLUMB_ERR_INTERRUPTED : PLUMB_OK;
}

/* Counts one pass, or all of them: runs the program once, if there is one. */
static int run_pass(struct counting *c, uint16_t pass)
{
	struct perf_program program = {.pid = -1, .line = -1};
	int error = 0;

	if (c->job->program)
		error = perf_program_start(&program, c->job->program, c->job->argv);
	if (error < 0)
		return perf_program_complain(c->job->program, error, c->diagnostics);
	error = perf_instances_open(&c->instances, c->job, pass, program.pid, c->diagnostics);
	if (error == PLUMB_OK)
		error = perf_besides_open(&c->besides, c->job, program.pid, c->diagnostics);
	if (error == PLUMB_OK)
		return run_to_end(c, pass, &program);
	if (program.pid > 0)
		perf_program_give_up(&program);
	return error;
}

static void warn_of_refused(const struct counting *c)
{
	char *names = perf_names(c->job->plan, &c->limits.refused);

	if (!names || *names)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "unknown-events", NULL,
				      "this machine does not count %s",
				      names ? names : "any of these events");
	free(names);
}

/* Names the events that waited for a counter to the end. */
static void warn_of_starved(const struct counting *c)
{
	const struct plumb_plan *plan = c->job->plan;
	struct index_set starved = {0}, counted = {0};
	size_t count = 0;
	char *names;

	for (int pass = 0; pass < 2; pass++)
		for (uint16_t g = 0; g < plan->group_count; g++)
			for (uint16_t i = 0; i < plan->groups[g].count; i++) {
				const uint16_t event = plan->groups[g].events[i];
				const struct plumb_count *got =
					&c->run->counts[plan->groups[g].first + i];

				if (pass == 0 && got->running_ns)
					index_set_add(&counted, event);
				else if (pass == 1 && got->enabled_ns && !got->running_ns &&
					 !index_set_has(&counted, event) &&
					 !index_set_has(&starved, event)) {
					index_set_add(&starved, event);
					count++;
				}
			}
	names = count && count <= NAMED_MAX ? perf_names(plan, &starved) : NULL;
	if (count)
		plumb_diagnostics_add(
			c->diagnostics, PLUMB_WARNING, "starved", NULL,
			"%s never got a counter: others have them, or the run was too "
			"short",
			names ? names : "some events");
	free(names);
}

/* Says which metrics have more events than any group: a ratio of two times is no exact ratio. */
static void warn_of_split(const struct counting *c)
{
	const struct plumb_selection *selection = c->job->plan->selection;
	const char *first = NULL;
	unsigned more = 0;

	for (size_t i = 0; i < selection->metric_count; i++) {
		if (plan_home(c->job->plan, i) != PLUMB_NONE ||
		    !plumb_plan_computes(c->job->plan, i, NULL))
			continue;
		more += first != NULL;
		if (!first)
			first = selection->spec->metrics[selection->metrics[i].metric].name;
	}
	if (first && more)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "split-metrics", NULL,
				      "the events of %s and %u more metrics do not share a group: "
				      "they are counted at different times, so these values are "
				      "less certain",
				      first, more);
	else if (first)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "split-metrics", NULL,
				      "the events of %s do not share a group: they are counted at "
				      "different times, so its value is less certain",
				      first);
}

static void warn(const struct counting *c)
{
	warn_of_split(c);
	if (c->limits.no_kernel)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "no-kernel", NULL,
				      "kernel code is not counted: that requires sysctl "
				      "kernel.perf_event_paranoid=1 or the capability CAP_PERFMON");
	if (c->limits.with_processes && !c->job->children && !c->job->no_inherit)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "with-processes", NULL,
				      "forked processes are counted too: this kernel cannot tell "
				      "them from threads");
	if (c->limits.apart)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "counted-apart", NULL,
				      "some events are not counted at the same time as their "
				      "group: it does not fit this machine's counters");
	if (c->cpu_changes)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "cpus-changed", NULL,
				      "CPUs came online or went offline: each is counted while it "
				      "was online");
	if (c->job->pmu && c->job->pmu->some_cores && !c->job->beside_count)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "some-cores", NULL,
				      "only what runs on the cores of %s is counted",
				      c->job->pmu->name);
	warn_of_refused(c);
	warn_of_starved(c);
}

void perf_warn_never_began(const struct plumb_window *window, bool targets,
			   struct plumb_diagnostics *diagnostics)
{
	const char *why = "the program ended within the delay";

	if (window->delay_ms < 0)
		why = "counting was never enabled";
	else if (targets)
		why = "counting ended within the delay";
	plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "window", NULL,
			      "nothing was measured: %s", why);
}

static void warn_of_window(const struct counting *c)
{
	if (!c->was_on)
		perf_warn_never_began(&c->job->window, source_job_has_targets(c->job),
				      c->diagnostics);
}

static int run_passes(struct counting *c)
{
	uint16_t passes =
		c->job->one_pass && c->job->plan->pass_count ? c->job->plan->pass_count : 1;
	int error = PLUMB_OK;

	for (size_t i = 0; i < c->job->plan->place_count; i++)
		c->run->counts[i] = (struct plumb_count){NAN, 0, 0};
	for (uint16_t pass = 0; pass < passes && error == PLUMB_OK; pass++) {
		error = run_pass(c, pass);
		perf_limits_add(&c->limits, &c->instances.limits);
		perf_instances_close(&c->instances);
		perf_besides_close(&c->besides);
		if (error < 0 && error != PLUMB_ERR_INTERRUPTED)
			return error;
		/*
		 * A program that a signal ended does not run again; one that the window ended does,
		 * in the next pass.
		 */
		if (c->run->signal && !c->run->ended)
			break;
		if (pass + 1 < passes)
			c->run->ended = false;
		c->ending = (struct source_ending){0};
	}
	warn(c);
	warn_of_window(c);
	return error;
}

int perf_check_pmu(const struct source_job *job, struct plumb_diagnostics *diagnostics)
{
	for (uint16_t i = 0; !job->pmu && i < job->plan->event_count; i++) {
		if (job->plan->events[i]->kind != PLUMB_EVENT_PMU)
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-pmu", NULL,
				      "%s requires an Arm PMU, which this machine does not have",
				      job->plan->events[i]->name);
		diagnostics_remedy(diagnostics, "use-model-or-software", NULL,
				   "use the model source, or software events such as task-clock");
		return PLUMB_ERR_MACHINE;
	}
	return 0;
}

int perf_check_window(const struct plumb_window *window, struct plumb_diagnostics *diagnostics)
{
	if (!window->from && !window->to && !window->max_instructions)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "window", NULL,
			      window->max_instructions
				      ? "perf cannot end a program after a number of instructions"
				      : "perf cannot begin or end at a place in the program");
	diagnostics_remedy(diagnostics, "use-model", NULL, "use the model source");
	return PLUMB_ERR_UNSUPPORTED;
}

static int count(const struct source_job *job, struct source_run *run,
		 struct plumb_diagnostics *diagnostics)
{
	struct counting c = {
		.job = job,
		.run = run,
		.diagnostics = diagnostics,
		.control = {.fd = job->control ? job->control_fd : -1,
			    .ack = job->control ? job->ack_fd : -1},
	};
	int error = perf_check_pmu(job, diagnostics);

	if (error == 0)
		error = perf_check_window(&job->window, diagnostics);
	if (error < 0)
		return error;
	error = PLUMB_ERR_NO_MEMORY;
	c.before = calloc(job->plan->place_count + 1, sizeof(*c.before));
	c.sliced = calloc(job->plan->place_count + 1, sizeof(*c.sliced));
	c.part = calloc(job->plan->place_count + 1, sizeof(*c.part));
	if (c.before && c.sliced && c.part)
		error = run_passes(&c);
	free(c.before);
	free(c.sliced);
	free(c.part);
	return error;
}

const struct source source_perf = {
	.name = "perf",
	.check = check,
	.count = count,
	.record = perf_record,
};
