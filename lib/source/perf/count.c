/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts with Linux's perf: starts the program, if there is one, stopped before its execve(2),
 * opens events for it or for what else is counted, and lets it go. All groups take turns on the
 * counters in one run; with job->one_pass, each pass has its own run.
 */
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>

#include "base/diagnostics.h"
#include "source/perf/control.h"
#include "source/perf/count_type.h"
#include "source/perf/program.h"
#include "source/perf/record.h"
#include "source/perf/watch.h"
#include "source/source.h"

#define PROGRESS_MS 250
#define FOLLOW_MS   50 /* between looks for CPUs that come and go */
#define TURN_MS     4  /* of a group on the counters */
#define SLICE_MS    50 /* at least */

struct counting {
	const struct source_job *job;
	struct source_run *run;
	struct plumb_diagnostics *diagnostics;
	struct perf_count_types types;
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

/* ---- slices and progress ------------------------------------------------------------------ */

/*
 * Returns the length of a slice: Linux lets another group count every perf_event_mux_interval_ms,
 * by default a tick of 4 ms, so that each has two turns.
 */
static double slice_seconds(const struct counting *c)
{
	double longest = 0;

	if (!c->job->slice || c->job->one_pass)
		return 0;
	for (size_t i = 0; i < c->types.count; i++) {
		const struct plumb_plan *plan = c->types.at[i].job.plan;
		const double turns = 1e-3 * 2 * TURN_MS * plan->group_count;

		if (plan->pass_count > 1)
			longest = fmax(longest, fmax(turns, 1e-3 * SLICE_MS));
	}
	return longest;
}

static void end_slice(struct counting *c)
{
	perf_types_end_slice(&c->types);
	c->slice_end = now();
}

static void tell_progress(struct counting *c)
{
	struct plumb_progress progress = {NAN, now() - c->began};

	progress.instructions = perf_types_instructions(&c->types);
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
	perf_types_end_interval(&c->types, now() - c->began);
}

static void turn(struct counting *c, bool on)
{
	if (c->on == on)
		return;
	/* The program's own execve(2) turns events on that need not wait. */
	perf_types_switch(&c->types, on);
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
		perf_types_switch_machine(&c->types, true);
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
		/* A timeout that has passed already comes first. */
		c->run->by_command |= !c->run->ended;
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
	double interval = job->interval ? 1e-3 * job->interval_ms : 0, told = now(),
	       followed = told;
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
		if (now() - followed >= 1e-3 * FOLLOW_MS) {
			c->cpu_changes += perf_types_follow(&c->types, c->on);
			followed = now();
		}
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
	else
		perf_types_switch_machine(&c->types, false);
	perf_watch_end(&watch);
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
	c->slice = slice_seconds(c);
	begin_window(c);
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
		perf_types_end_interval(&c->types, now() - c->began);
	perf_types_end_pass(&c->types);
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
	error = perf_types_open(&c->types, pass, program.pid, c->diagnostics);
	if (error == PLUMB_OK)
		return run_to_end(c, pass, &program);
	if (program.pid > 0)
		perf_program_give_up(&program);
	return error;
}

static void warn(const struct counting *c)
{
	perf_types_warn(&c->types, c->diagnostics);
	if (c->cpu_changes)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "cpus-changed", NULL,
				      "CPUs came online or went offline: each is counted while it "
				      "was online");
	if (!c->was_on)
		perf_warn_never_began(&c->job->window, source_job_has_targets(c->job),
				      c->diagnostics);
}

static int run_passes(struct counting *c)
{
	const uint16_t passes = perf_types_passes(&c->types);
	int error = PLUMB_OK;

	for (uint16_t pass = 0; pass < passes && error == PLUMB_OK; pass++) {
		error = run_pass(c, pass);
		perf_types_close(&c->types);
		if (error < 0 && error != PLUMB_ERR_INTERRUPTED)
			return error;
		/*
		 * A program that a signal ended does not run again; one that the window ended does,
		 * in the next pass.
		 */
		if (c->run->signal && !c->run->ended)
			break;
		if (pass + 1 < passes)
			c->run->ended = c->run->by_command = false;
		c->ending = (struct source_ending){0};
	}
	warn(c);
	return error;
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
	error = perf_types_new(&c.types, job, run->counts);
	if (error == PLUMB_OK)
		error = run_passes(&c);
	perf_types_free(&c.types);
	return error;
}

const struct source source_perf = {
	.name = "perf",
	.check = perf_check_event,
	.count = count,
	.record = perf_record,
};
