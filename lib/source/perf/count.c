/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux's perf as a source of counts: the program is started stopped before its execve(2), events
 * are opened for it, and it is let go. All groups take turns on the counters in one run, or, if
 * the job says so, each pass has a run of its own.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "source/perf/events.h"
#include "source/source.h"

#define PROGRESS_MS       250
#define LOOK_MS           10     /* between looks at a process that cannot be waited for */
#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */

/* What a PMU's own manual lists is tried; the kernel says if it is not there. */
static bool counts(const void *user, uint16_t code)
{
	(void)user;
	(void)code;
	return true;
}

struct counting {
	const struct source_job *job;
	struct source_run *run;
	struct plumb_diagnostics *found;
	struct perf_events events;
	struct perf_reading *before;  /* of each place, at the end of the last interval */
	struct plumb_count *interval; /* room for one */
	struct perf_limits limits;    /* of all passes */
	double began, interval_end;   /* on the clock */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the program -------------------------------------------------------------------------- */

struct child {
	pid_t pid;
	int line; /* a byte down it lets the program begin; up it comes what execve() failed with */
};

/* Until execve(2) does: what the caller does on a signal is not for the program to do. */
static void forget_handlers(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(number, SIG_DFL);
	}
}

/* After fork: waits for its events, then becomes the program. Does not return. */
static _Noreturn void become_program(const struct source_job *job, int line)
{
	char byte;
	int error;

	forget_handlers();
	if (recv(line, &byte, 1, 0) != 1)
		_exit(127);
	execve(job->program, job->argv, environ);
	error = errno;
	send(line, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(127);
}

static int start(const struct source_job *job, struct child *child)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	*child = (struct child){.pid = fork(), .line = ends[0]};
	if (child->pid == 0) {
		close(ends[0]);
		become_program(job, ends[1]);
	}
	close(ends[1]);
	if (child->pid > 0)
		return 0;
	close(ends[0]);
	return -EAGAIN;
}

/* Lets it begin. Returns 0, or the negative of what execve() failed with. */
static int let_go(const struct child *child)
{
	int error = 0;
	ssize_t got;

	/* Nobody there: a signal ended it already. */
	if (send(child->line, "", 1, MSG_NOSIGNAL) == 1) {
		/* Closed by a successful execve(), so this ends either way. */
		do
			got = recv(child->line, &error, sizeof(error), MSG_WAITALL);
		while (got < 0 && errno == EINTR);
	}
	close(child->line);
	return -error;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* It has not begun, and will not. */
static void give_up(const struct child *child)
{
	close(child->line);
	wait_for(child->pid);
}

/* ---- counts ------------------------------------------------------------------------------- */

static struct plumb_count count_since(const struct perf_reading *from,
				      const struct perf_reading *to)
{
	uint64_t enabled = to->enabled_ns - from->enabled_ns;
	uint64_t running = to->running_ns - from->running_ns;

	return (struct plumb_count){plumb_count_scaled(to->raw - from->raw, enabled, running),
				    enabled, running};
}

static void read_interval(struct counting *c, double time)
{
	for (size_t i = 0; i < c->job->plan->place_count; i++) {
		struct perf_reading reading;

		c->interval[i] = (struct plumb_count){NAN, 0, 0};
		if (!perf_events_read(&c->events, i, &reading))
			continue;
		c->interval[i] = count_since(&c->before[i], &reading);
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
			c->run->counts[i] = count_since(&zero, &reading);
	}
}

static void tell_progress(const struct counting *c)
{
	const struct plumb_plan *plan = c->job->plan;
	double instructions = NAN;

	for (uint16_t g = 0; g < plan->group_count && isnan(instructions); g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			struct perf_reading reading;

			if (plan->groups[g].codes[i] == CODE_INSTRUCTIONS &&
			    perf_events_read(&c->events, plan->groups[g].first + i, &reading))
				instructions = plumb_count_scaled(reading.raw, reading.enabled_ns,
								  reading.running_ns);
		}
	}
	c->job->progress(c->job->user, instructions, now() - c->began);
}

/* ---- a run -------------------------------------------------------------------------------- */

/*
 * Waits until the process has ended, at most `ms`. Returns whether it has. Without a descriptor
 * of it, which old kernels do not give, it is looked at every so often.
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

/* Reads the interval that is due, if one is. Those that were slept through are part of it. */
static void end_interval(struct counting *c, double interval)
{
	double late = now() - c->interval_end;

	if (late < interval)
		return;
	c->interval_end += interval * floor(late / interval);
	read_interval(c, now() - c->began);
}

/* Until the program has ended, reads what is due. */
static void watch(struct counting *c, pid_t pid)
{
	const struct source_job *job = c->job;
	double interval = job->interval ? 1e-3 * job->interval_ms : 0, told = now();
	int fd = pidfd_open(pid, 0);

	for (;;) {
		double left = c->interval_end + interval - now();
		int timeout = PROGRESS_MS;

		if (interval > 0 && 1e3 * left < timeout)
			timeout = left > 0 ? (int)(1e3 * left) + 1 : 0;
		if (await_end(pid, fd, timeout))
			break;
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

static int complain(struct counting *c, int error)
{
	struct plumb_place where = {.file = c->job->program};

	plumb_diagnostics_add(c->found, PLUMB_ERROR, "no-program", &where, "%s", strerror(-error));
	return error == -ENOENT ? PLUMB_ERR_NOT_FOUND : PLUMB_ERR_IO;
}

/* One run of the program, for one pass or for all of them. */
static int run_pass(struct counting *c, uint16_t pass)
{
	struct source_run *run = c->run;
	struct child child = {.pid = -1, .line = -1};
	int error, status;

	error = start(c->job, &child);
	if (error < 0)
		return complain(c, error);
	error = perf_events_open(&c->events, c->job, pass, child.pid, c->found);
	if (error < 0) {
		give_up(&child);
		return error == -ENOMEM ? PLUMB_ERR_NO_MEMORY : PLUMB_ERR_UNSUPPORTED;
	}
	if (c->job->started)
		c->job->started(c->job->user, child.pid);
	c->began = c->interval_end = now();
	memset(c->before, 0, (c->job->plan->place_count + 1) * sizeof(*c->before));
	error = let_go(&child);
	if (error == 0)
		watch(c, child.pid);
	status = wait_for(child.pid);
	if (error < 0)
		return complain(c, error);
	run->seconds += (now() - c->began - run->seconds) / (pass + 1);
	run->host_seconds += now() - c->began;
	if (run->exit_status == 0) {
		run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		run->exit_status = run->signal ? 128 + run->signal : WEXITSTATUS(status);
	}
	if (c->job->interval && c->job->interval_ms)
		read_interval(c, now() - c->began);
	read_all(c);
	return PLUMB_OK;
}

static void warn_of_refused(const struct counting *c)
{
	char *names = perf_names(c->job->plan, &c->limits.refused);

	if (!names || *names)
		plumb_diagnostics_add(c->found, PLUMB_WARNING, "unknown-events", NULL,
				      "this machine's PMU does not count %s",
				      names ? names : "all of the events");
	free(names);
}

static void warn(const struct counting *c)
{
	if (c->limits.no_kernel)
		plumb_diagnostics_add(
			c->found, PLUMB_WARNING, "no-kernel", NULL,
			"the kernel's own part is not counted: that needs sysctl "
			"kernel.perf_event_paranoid=1, or the capability CAP_PERFMON");
	if (c->limits.with_processes && !c->job->children)
		plumb_diagnostics_add(c->found, PLUMB_WARNING, "with-processes", NULL,
				      "forked processes are counted too: this kernel cannot tell "
				      "them from threads");
	if (c->limits.apart)
		plumb_diagnostics_add(c->found, PLUMB_WARNING, "counted-apart", NULL,
				      "some events are not counted at the same time as their "
				      "group: it does not fit this machine's counters");
	if (c->job->pmu->some_cores)
		plumb_diagnostics_add(c->found, PLUMB_WARNING, "some-cores", NULL,
				      "only what runs on the cores of %s is counted",
				      c->job->pmu->name);
	warn_of_refused(c);
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
		/* What was ended is not begun again. */
		if (c->run->signal)
			break;
	}
	warn(c);
	return PLUMB_OK;
}

static int count(const struct source_job *job, struct source_run *run,
		 struct plumb_diagnostics *found)
{
	struct counting c = {.job = job, .run = run, .found = found};
	int error = PLUMB_ERR_NO_MEMORY;

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
	.counts = counts,
	.limited = true,
	.count = count,
};
