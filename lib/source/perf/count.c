/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts with Linux's perf: starts the program stopped before its execve(2), opens events for it,
 * and lets it go. All groups take turns on the counters in one run; with job->one_pass, each pass
 * has its own run.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "count/scaled.h"
#include "source/perf/events.h"
#include "source/perf/program.h"
#include "source/perf/record.h"
#include "source/source.h"

#define PROGRESS_MS       250
#define LOOK_MS           10     /* between checks of a process that cannot be waited for */
#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */

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
	struct perf_events events;
	struct perf_reading *before;   /* of each place, when the last interval ended */
	struct plumb_count *interval;  /* room for one */
	struct perf_limits limits;     /* of all passes */
	struct source_ending ending;   /* how the program ends if it is cancelled */
	double began, interval_end;    /* on the clock */
	double counts_from, counts_to; /* likewise, of the window */
	bool on;                       /* it has begun */
	bool canceled;
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

static void read_interval(struct counting *c, double time)
{
	for (size_t i = 0; i < c->job->plan->place_count; i++) {
		struct perf_reading reading;

		c->interval[i] = (struct plumb_count){NAN, 0, 0};
		if (!perf_events_read(&c->events, i, &reading))
			continue;
		c->interval[i] = perf_count_since(&c->before[i], &reading);
		c->before[i] = reading;
	}
	c->job->interval(c->job->user, c->interval, time);
}

static void read_all(struct counting *c)
{
	static const struct perf_reading zero;

	for (size_t i = 0; i < c->job->plan->place_count; i++) {
		struct perf_reading reading;

		if (perf_events_read(&c->events, i, &reading))
			c->run->counts[i] = perf_count_since(&zero, &reading);
	}
}

static void tell_progress(const struct counting *c)
{
	const struct plumb_plan *plan = c->job->plan;
	const uint16_t instructions = plumb_plan_event(plan, CODE_INSTRUCTIONS);
	struct plumb_progress progress = {NAN, now() - c->began};

	for (uint16_t g = 0; g < plan->group_count && isnan(progress.instructions); g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			struct perf_reading reading;

			if (plan->groups[g].events[i] == instructions &&
			    perf_events_read(&c->events, plan->groups[g].first + i, &reading))
				progress.instructions = count_scaled(
					reading.raw, reading.enabled_ns, reading.running_ns);
		}
	}
	c->job->progress(c->job->user, &progress);
}

/* ---- a run -------------------------------------------------------------------------------- */

/*
 * Waits until the process ends, at most `ms`. Returns whether it has ended. Old kernels give no
 * descriptor for it; then this polls.
 */
static bool await_end(pid_t pid, int fd, int ms)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};
	siginfo_t info = {.si_pid = 0};

	if (fd >= 0)
		return poll(&end, 1, ms) > 0;
	poll(NULL, 0, ms < LOOK_MS ? ms : LOOK_MS);
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == pid;
}

/* Reads the interval that is due, if any. It includes intervals that were slept through. */
static void end_interval(struct counting *c, double interval)
{
	double late = now() - c->interval_end;

	if (late < interval)
		return;
	c->interval_end += interval * floor(late / interval);
	read_interval(c, now() - c->began);
}

/* Begins to count when the delay is over; ends counting and the program at the timeout. */
static void turn_window(struct counting *c)
{
	if (!c->on && now() >= c->counts_from) {
		perf_events_switch(&c->events, true);
		c->on = true;
		c->counts_from = now();
		if (c->job->window.timeout_ms)
			c->counts_to = c->counts_from + 1e-3 * c->job->window.timeout_ms;
	}
	if (c->on && !c->run->ended && now() >= c->counts_to) {
		perf_events_switch(&c->events, false);
		c->run->ended = true;
		c->counts_to = now();
	}
}

static void begin_window(struct counting *c)
{
	const struct plumb_window *window = &c->job->window;

	c->counts_from = c->began + 1e-3 * window->delay_ms;
	c->counts_to = window->timeout_ms ? c->counts_from + 1e-3 * window->timeout_ms : INFINITY;
	c->on = window->delay_ms == 0;
}

/* Returns the milliseconds until `time`, at most `most`. */
static int time_until(double time, int most)
{
	double left = 1e3 * (time - now());

	return left >= most ? most : left > 0 ? (int)left + 1 : 0;
}

/* Reads what is due until the program ends. */
static void watch(struct counting *c, pid_t pid)
{
	const struct source_job *job = c->job;
	double interval = job->interval ? 1e-3 * job->interval_ms : 0, told = now();
	int fd = pidfd_open(pid, 0);

	for (;;) {
		int timeout = CANCEL_LOOK_MS;

		if (interval > 0)
			timeout = time_until(c->interval_end + interval, timeout);
		if (!c->on)
			timeout = time_until(c->counts_from, timeout);
		else if (!c->run->ended)
			timeout = time_until(c->counts_to, timeout);
		if (await_end(pid, fd, timeout))
			break;
		turn_window(c);
		if (source_is_canceled(&job->cancel))
			c->canceled = true;
		if (c->canceled || c->run->ended)
			source_end(&c->ending, pid);
		if (interval > 0)
			end_interval(c, interval);
		if (job->progress && now() - told >= 1e-3 * PROGRESS_MS) {
			tell_progress(c);
			told = now();
		}
	}
	if (fd >= 0)
		close(fd);
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
	double end = now();

	return c->on ? fmin(end, c->counts_to) - c->counts_from : 0;
}

/* Runs the program once, for one pass or for all. */
static int run_pass(struct counting *c, uint16_t pass)
{
	struct source_run *run = c->run;
	struct perf_program program = {.pid = -1, .line = -1};
	int error, status;

	error = perf_program_start(&program, c->job->program, c->job->argv);
	if (error < 0)
		return perf_program_complain(c->job->program, error, c->diagnostics);
	error = perf_events_open(&c->events, c->job, pass, program.pid, c->diagnostics);
	if (error < 0) {
		perf_program_give_up(&program);
		return perf_status_of(error);
	}
	if (c->job->started)
		c->job->started(c->job->user, program.pid);
	c->began = c->interval_end = now();
	begin_window(c);
	memset(c->before, 0, (c->job->plan->place_count + 1) * sizeof(*c->before));
	error = perf_program_let_go(&program);
	if (error == 0)
		watch(c, program.pid);
	status = perf_program_wait(program.pid);
	if (error < 0)
		return perf_program_complain(c->job->program, error, c->diagnostics);
	run->seconds += (counted_seconds(c) - run->seconds) / (pass + 1);
	run->host_seconds += now() - c->began;
	if (run->exit_status == 0) {
		run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		run->exit_status = run->signal ? 128 + run->signal : WEXITSTATUS(status);
	}
	if (c->job->interval && c->job->interval_ms)
		read_interval(c, now() - c->began);
	read_all(c);
	return c->canceled ? PLUMB_ERR_INTERRUPTED : PLUMB_OK;
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

static void warn(const struct counting *c)
{
	if (c->limits.no_kernel)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "no-kernel", NULL,
				      "kernel code is not counted: that requires sysctl "
				      "kernel.perf_event_paranoid=1 or the capability CAP_PERFMON");
	if (c->limits.with_processes && !c->job->children)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "with-processes", NULL,
				      "forked processes are counted too: this kernel cannot tell "
				      "them from threads");
	if (c->limits.apart)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "counted-apart", NULL,
				      "some events are not counted at the same time as their "
				      "group: it does not fit this machine's counters");
	if (c->job->pmu && c->job->pmu->some_cores)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "some-cores", NULL,
				      "only what runs on the cores of %s is counted",
				      c->job->pmu->name);
	warn_of_refused(c);
}

static void warn_of_window(const struct counting *c)
{
	if (!c->on)
		plumb_diagnostics_add(c->diagnostics, PLUMB_WARNING, "window", NULL,
				      "nothing was measured: the program ended within the delay");
}

static void add_limits(struct perf_limits *all, const struct perf_limits *more)
{
	all->no_kernel |= more->no_kernel;
	all->with_processes |= more->with_processes;
	all->apart |= more->apart;
	for (size_t i = 0; i < sizeof(all->refused.words) / sizeof(*all->refused.words); i++)
		all->refused.words[i] |= more->refused.words[i];
}

static int run_passes(struct counting *c)
{
	uint16_t passes =
		c->job->one_pass && c->job->plan->pass_count ? c->job->plan->pass_count : 1;

	for (size_t i = 0; i < c->job->plan->place_count; i++)
		c->run->counts[i] = (struct plumb_count){NAN, 0, 0};
	for (uint16_t pass = 0; pass < passes; pass++) {
		int error = run_pass(c, pass);

		add_limits(&c->limits, &c->events.limits);
		if (c->events.job)
			perf_events_close(&c->events);
		if (error < 0)
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
	return PLUMB_OK;
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
	struct counting c = {.job = job, .run = run, .diagnostics = diagnostics};
	int error = perf_check_pmu(job, diagnostics);

	if (error == 0)
		error = perf_check_window(&job->window, diagnostics);
	if (error < 0)
		return error;
	error = PLUMB_ERR_NO_MEMORY;
	c.before = calloc(job->plan->place_count + 1, sizeof(*c.before));
	c.interval = calloc(job->plan->place_count + 1, sizeof(*c.interval));
	if (c.before && c.interval)
		error = run_passes(&c);
	free(c.before);
	free(c.interval);
	return error;
}

const struct source source_perf = {
	.name = "perf",
	.check = check,
	.count = count,
	.record = perf_record,
};
