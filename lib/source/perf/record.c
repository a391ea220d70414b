/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples with Linux's perf: opens events and rings for all targets, and drains the rings until the
 * program or the sampled processes end, or the caller stops it.
 */
#include "source/perf/record.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "source/perf/control.h"
#include "source/perf/description.h"
#include "source/perf/drain.h"
#include "source/perf/mapping.h"
#include "source/perf/program.h"
#include "source/perf/strobe.h"
#include "source/perf/synthesize.h"

#define OFFLINE_SECONDS 1  /* between looks for CPUs that went offline */
#define END_LOOK_MS     10 /* between checks whether the program has ended */
/*
 * The maximum between two calls of `next`: `plumb record` settles its file every 50 ms, so that a
 * SIGKILL loses at most the last 100 ms.
 */
#define LOOK_MS 40

struct recording {
	const struct source_record_job *job;
	struct source_record_run *run;
	struct plumb_diagnostics *diagnostics;
	struct perf_program program; /* .pid -1: none, or it has ended */
	int program_fd;              /* pidfd; -1: poll the process */
	struct sampling sampling;
	struct perf_rings rings;
	struct perf_drain drain;
	struct pollfd *polls; /* one per ring, the program's, and that of commands */
	struct perf_control control;
	double began;      /* on the clock */
	double looked;     /* likewise, which CPUs are online */
	bool begun;        /* the program */
	bool on;           /* events that wait for the delay have begun */
	double turns_on;   /* on the clock; INFINITY: only a command does that */
	double turns_off;  /* likewise, the end at the timeout; INFINITY: there is none */
	bool began_once;   /* they were on, if not now */
	bool stopped;      /* a command ends the recording */
	int command_error; /* of the last command */
	bool kernel_said;  /* warned that the kernel hides its addresses */
	bool canceled;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what was there before ---------------------------------------------------------------- */

static bool samples_kernel(const struct sampling *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->all[i].attr.attr.exclude_kernel)
			return true;
	return false;
}

static void say_no_kernel_map(struct recording *r)
{
	if (r->kernel_said)
		return;
	r->kernel_said = true;
	plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "kernel-map", NULL,
			      "kernel samples will have no symbols: the kernel hides its addresses "
			      "from this user");
	plumb_diagnostics_hint(r->diagnostics,
			       "as root: sysctl kernel.kptr_restrict=0, or run plumb as "
			       "root");
}

/* Describes the requested processes, and those of the requested threads. */
static void synthesize_targets(const struct recording *r, struct synthesis *synthesis)
{
	const struct source_record_job *job = r->job;

	for (size_t i = 0; i < job->pid_count; i++)
		synthesize_process(synthesis, job->pids[i]);
	for (size_t i = 0; i < job->tid_count; i++)
		synthesize_thread(synthesis, job->tids[i]);
}

static int synthesize(struct recording *r)
{
	const struct sampling *s = &r->sampling;
	const struct sampled *tracking = &s->all[s->tracking];
	struct synthesis *synthesis = synthesis_begin(
		tracking->attr.attr.sample_type, s->session.several ? tracking->ids[0] : 0,
		r->job->build_ids, r->job->records, r->job->user);

	if (!synthesis)
		return PLUMB_ERR_NO_MEMORY;
	if (samples_kernel(s) && !synthesize_kernel(synthesis))
		say_no_kernel_map(r);
	if (perf_targets_all(&s->targets))
		synthesize_all(synthesis);
	else if (s->targets.running)
		synthesize_targets(r, synthesis);
	else if (r->begun)
		synthesize_family(synthesis, r->program.pid);
	else
		synthesize_name(synthesis, r->program.pid);
	return synthesis_end(synthesis);
}

/* ---- waiting ------------------------------------------------------------------------------ */

/* Takes all AUX areas while nothing writes to them. */
static int take_snapshot(struct recording *r)
{
	int error;

	sampling_switch_spe(&r->sampling, false);
	error = perf_drain_snapshots(&r->drain);
	sampling_switch_spe(&r->sampling, true);
	return error;
}

/* The thread whose descriptor was polled has ended: polls another one's, if any is left. */
static void watch_next(struct recording *r, struct perf_ring *ring)
{
	do
		ring->watched++;
	while (ring->watched < ring->past_thread && perf_ring_fd(ring, &r->sampling) < 0);
}

static bool is_online(int cpu, const int *online, int count)
{
	for (int i = 0; i < count; i++)
		if (online[i] == cpu)
			return true;
	return false;
}

/* Linux takes a CPU's events away when it goes offline, and tells nobody. */
static void look_for_offline(struct recording *r)
{
	const struct perf_targets *targets = &r->sampling.targets;
	int *online, count;

	r->looked = now();
	if (!perf_targets_all(targets))
		return;
	count = perf_find_online(&online);
	for (size_t i = 0; count > 0 && i < r->rings.count; i++) {
		struct perf_ring *ring = &r->rings.all[i];
		const int cpu = targets->cpus[ring->cpu];

		if (ring->offline || is_online(cpu, online, count))
			continue;
		ring->offline = true;
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "cpu-off", NULL,
				      "CPU %d went offline; what ran on it afterwards was not "
				      "sampled",
				      cpu);
	}
	if (count > 0)
		free(online);
}

/* Says when sampling begins by itself, and when the timeout ends it. */
static void set_window(struct recording *r)
{
	const struct plumb_window *window = &r->job->window;

	r->turns_on = r->on || window->delay_ms < 0 ? INFINITY : r->began + 1e-3 * window->delay_ms;
	r->turns_off = INFINITY;
	/* If a command is to turn it on, which may never come, the time runs from the beginning. */
	if (window->timeout_ms)
		r->turns_off =
			(isinf(r->turns_on) ? r->began : r->turns_on) + 1e-3 * window->timeout_ms;
}

/* Milliseconds. */
static int time_to_wait(const struct recording *r)
{
	double left = 1e3 * (fmin(r->turns_on, r->turns_off) - now());

	return left >= LOOK_MS ? LOOK_MS : left > 0 ? (int)left + 1 : 0;
}

/* Enables delayed events when it is time; without a delay, execve(2) enables a program's events. */
static void switch_on(struct recording *r)
{
	const double moment = now();

	if (moment < r->turns_on)
		return;
	r->on = r->began_once = true;
	r->turns_on = INFINITY;
	if (r->job->window.timeout_ms)
		r->turns_off = moment + 1e-3 * r->job->window.timeout_ms;
	sampling_switch(&r->sampling, true);
}

/* Does what a command says. From the first one on, the delay is over. */
static void obey_command(void *user, enum perf_command command)
{
	struct recording *r = user;

	switch (command) {
	case PERF_ENABLE:
	case PERF_DISABLE:
		r->turns_on = INFINITY;
		if (r->on == (command == PERF_ENABLE))
			return;
		r->on = command == PERF_ENABLE;
		r->began_once |= r->on;
		sampling_hold(&r->sampling, r->on);
		break;
	case PERF_SNAPSHOT:
		if (r->job->snapshot && r->on && !r->command_error)
			r->command_error = take_snapshot(r);
		break;
	case PERF_STOP:
		r->stopped = true;
		break;
	case PERF_PING:
	case PERF_UNKNOWN:
	default:
		break;
	}
}

/* Waits until a ring has data, a command comes, the program has ended, or some time has passed. */
static void wait_for_records(struct recording *r)
{
	const size_t count = r->rings.count;

	for (size_t i = 0; i < count; i++)
		r->polls[i] = (struct pollfd){.fd = perf_ring_fd(&r->rings.all[i], &r->sampling),
					      .events = POLLIN};
	r->polls[count] = (struct pollfd){.fd = r->program_fd, .events = POLLIN};
	r->polls[count + 1] = (struct pollfd){.fd = r->control.fd, .events = POLLIN};
	if (poll(r->polls, count + 2, time_to_wait(r)) <= 0)
		return;
	if (r->polls[count + 1].revents)
		perf_control_read(&r->control, obey_command, r);
	for (size_t i = 0; i < count; i++)
		if (r->polls[i].revents & (POLLHUP | POLLERR))
			watch_next(r, &r->rings.all[i]);
}

static bool program_has_ended(const struct recording *r)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)r->program.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == r->program.pid;
}

static bool all_have_ended(const struct recording *r)
{
	for (size_t i = 0; i < r->rings.count; i++)
		if (perf_ring_fd(&r->rings.all[i], &r->sampling) >= 0)
			return false;
	return true;
}

/* A program only sets the duration if others are sampled, which may end before it. */
static bool is_over(const struct recording *r)
{
	const bool program = r->program.pid > 0;

	return (program && program_has_ended(r)) ||
	       ((!program || r->sampling.targets.running) && all_have_ended(r));
}

/* Asks the caller what to do. Returns whether to go on. */
static bool obey(struct recording *r, int *error)
{
	if (!r->job->next)
		return true;
	switch (r->job->next(r->job->user)) {
	case PLUMB_RECORDING_STOP:
		return false;
	case PLUMB_RECORDING_SNAPSHOT:
		*error = take_snapshot(r);
		return true;
	case PLUMB_RECORDING_REPEAT_MAPS:
		*error = synthesize(r);
		return true;
	case PLUMB_RECORDING_GO_ON:
	default:
		return true;
	}
}

static void tell_progress(const struct recording *r)
{
	const struct plumb_progress progress = {NAN, now() - r->began};

	if (r->job->progress)
		r->job->progress(r->job->user, &progress);
}

static int watch(struct recording *r)
{
	int error = 0;

	/* The caller may wait for the beginning. */
	if (!obey(r, &error))
		return error;
	while (error == 0) {
		bool over;

		wait_for_records(r);
		r->run->by_command = r->stopped;
		r->run->ended = r->stopped || now() >= r->turns_off;
		error = r->command_error;
		switch_on(r);
		/*
		 * This comes first, so that what the program wrote before its end is still drained.
		 */
		over = is_over(r);
		if (error == 0)
			error = perf_drain(&r->drain, r->on, now());
		if (now() - r->looked >= OFFLINE_SECONDS)
			look_for_offline(r);
		tell_progress(r);
		r->canceled = source_is_canceled(&r->job->cancel);
		if (over || error || r->canceled || r->run->ended || !obey(r, &error))
			break;
	}
	return error;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Reports losses after the last record that fitted; no PERF_RECORD_LOST tells of them. */
static int write_lost(struct recording *r)
{
	const struct sampling *s = &r->sampling;
	const size_t room = s->targets.cpu_count * s->targets.thread_count;
	struct synthesis *synthesis;
	uint64_t said = r->drain.tally.lost;

	r->run->lost = said;
	synthesis = synthesis_begin(s->all[s->tracking].attr.attr.sample_type, 0, false,
				    r->job->records, r->job->user);
	if (!synthesis)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < s->count; i++)
		for (size_t j = 0; j < room; j++) {
			uint64_t id = 0, lost = sampled_lost(s, &s->all[i], j, &id);
			uint64_t known = lost < said ? lost : said;

			said -= known;
			if (lost > known)
				synthesis_add_lost(synthesis, id, lost - known);
			r->run->lost += lost - known;
		}
	return synthesis_end(synthesis);
}

static int finish(struct recording *r)
{
	int error;

	sampling_switch(&r->sampling, false);
	for (size_t i = 0; i < r->job->event_count; i++)
		r->run->event_counts[i] = sampled_count(&r->sampling, i);
	look_for_offline(r);
	error = perf_drain(&r->drain, false, now());
	if (error == 0)
		error = perf_drain_snapshots(&r->drain);
	if (error == 0)
		error = write_lost(r);
	return error;
}

/* The records themselves tell what was lost, throttled or truncated; their consumer reports it. */
static void warn(const struct recording *r)
{
	const struct ring_tally *tally = &r->drain.tally;

	if (tally->damaged)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "damaged-ring", NULL,
				      "dropped malformed records from a buffer %llu times",
				      (unsigned long long)tally->damaged);
	if (tally->forks && !sampling_strobes_later_threads(&r->sampling)) {
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "late-strobes", NULL,
				      "threads and processes that started later have no short "
				      "windows");
		diagnostics_remedy(r->diagnostics, "sample-cpus", NULL, "sample CPUs instead");
	}
	if (r->sampling.cpus_lost)
		plumb_diagnostics_add(r->diagnostics, PLUMB_WARNING, "cpu-off", NULL,
				      "some CPUs went offline before they could be sampled");
	if (!r->began_once)
		perf_warn_never_began(&r->job->window, r->sampling.targets.running, r->diagnostics);
}

/* Ends the program if it still runs, and takes its status. */
static void end_program(struct recording *r)
{
	struct source_ending ending = {0};
	int status;

	if (r->program.pid <= 0)
		return;
	if (!r->begun) {
		perf_program_give_up(&r->program);
		return;
	}
	while (!program_has_ended(r)) {
		source_end(&ending, r->program.pid);
		/*
		 * It may still have something to write; but a cancelled run does not wait for that.
		 */
		if (!r->canceled && !r->run->ended)
			break;
		poll(NULL, 0, END_LOOK_MS);
	}
	status = perf_program_wait(r->program.pid);
	r->run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->run->exit_status = r->run->signal ? 128 + r->run->signal : WEXITSTATUS(status);
	r->program.pid = -1;
}

/* ---- the beginning ------------------------------------------------------------------------ */

static int open_all(struct recording *r)
{
	int error = sampling_open(&r->sampling, r->job, r->program.pid, r->diagnostics);

	if (error == PLUMB_OK)
		error = perf_rings_map(&r->rings, &r->sampling);
	if (error == PLUMB_OK)
		error = strobe_set_apart(&r->sampling, &r->program);
	if (error < 0)
		return error;
	r->polls = calloc(r->rings.count + 2, sizeof(*r->polls));
	r->drain.spill = malloc(RING_RECORD_MAX);
	return r->polls && r->drain.spill ? PLUMB_OK : PLUMB_ERR_NO_MEMORY;
}

static int describe(struct recording *r)
{
	struct description *description = description_new(&r->sampling, &r->rings);
	int error;

	if (!description)
		return PLUMB_ERR_NO_MEMORY;
	error = r->job->begin(r->job->user, &description->setup);
	description_free(description);
	return error;
}

/* Samples, once everything is open. */
static int sample(struct recording *r)
{
	int error = describe(r);

	if (error == 0)
		error = synthesize(r);
	if (error)
		return error;
	if (r->job->started && r->program.pid > 0)
		r->job->started(r->job->user, r->program.pid);
	r->began = now();
	r->on = r->began_once = r->sampling.session.on_exec;
	set_window(r);
	switch_on(r);
	if (r->program.pid > 0) {
		r->begun = true;
		r->program_fd = pidfd_open(r->program.pid, 0);
		error = perf_program_let_go(&r->program);
		if (error < 0)
			return perf_program_complain(r->job->program, error, r->diagnostics);
	}
	error = watch(r);
	r->run->seconds = r->run->host_seconds = now() - r->began;
	/* A program that receives SIGTERM may still have something to write. */
	end_program(r);
	return error ? error : finish(r);
}

int perf_record(const struct source_record_job *job, struct source_record_run *run,
		struct plumb_diagnostics *diagnostics)
{
	struct recording r = {
		.job = job,
		.run = run,
		.diagnostics = diagnostics,
		.drain = {.job = job, .sampling = &r.sampling, .rings = &r.rings},
		.program = {.pid = -1, .line = -1},
		.program_fd = -1,
		.control = {.snapshots = job->snapshot,
			    .fd = job->control ? job->control_fd : -1,
			    .ack = job->control ? job->ack_fd : -1},
	};
	struct timespec t;
	int error = 0;

	*run = (struct source_record_run){0};
	for (size_t i = 0; i < PLUMB_EVENTS_MAX; i++)
		run->event_counts[i] = NAN;
	error = perf_check_window(&job->window, diagnostics);
	if (error < 0)
		return error;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	r.drain.reference = (uint64_t)t.tv_sec ^ (uint64_t)t.tv_nsec;
	if (job->program)
		error = perf_program_start(&r.program, job->program, job->argv);
	if (error < 0)
		return perf_program_complain(job->program, error, diagnostics);
	error = open_all(&r);
	if (error == PLUMB_OK)
		error = sample(&r);
	end_program(&r);
	run->samples = r.drain.tally.samples + r.drain.records;
	if (error == PLUMB_OK)
		warn(&r);
	if (error == PLUMB_OK && r.canceled)
		error = PLUMB_ERR_INTERRUPTED;
	perf_rings_unmap(&r.rings);
	sampling_close(&r.sampling);
	if (r.program_fd >= 0)
		close(r.program_fd);
	free(r.polls);
	free(r.drain.spill);
	return error;
}
