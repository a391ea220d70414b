/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "source/model/command.h"
#include "source/model/core_file.h"
#include "source/model/sampled.h"
#include "source/model/units.h"

#define PROGRESS_MS 250
#define SNAPSHOT_MS 20 /* the maximum between taking a snapshot and delivering it */

/* A run, from its set-up to its end. */
struct run {
	const struct model_job *job;
	const struct core_params *core;
	struct program program;
	struct model_window_request window;
	const char *sysroot;
	struct qemu qemu;
	struct model_shared *shared;
	uint64_t key; /* of the shared memory */
	int shared_fd;
	int pidfd;
	pid_t pid;
	struct source_ending ending;
	bool canceled;
	uint32_t marks_told;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Moves a descriptor above those that the program opens. */
static int move_up(int fd)
{
	struct rlimit limit;
	int floor = 500, moved, error;

	if (fd < 0)
		return fd;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < 510)
		floor = limit.rlim_cur > 20 ? (int)limit.rlim_cur - 10 : 3;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, floor);
	error = errno;
	close(fd);
	errno = error;
	return moved;
}

uint64_t model_run_key(void)
{
	struct timespec t;
	uint64_t key;

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == sizeof(key) && key)
		return key;
	/* For early boot: keeps other memory apart, and is not a secret. */
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec << 32 ^ (uint64_t)t.tv_nsec << 1 ^ (uint64_t)getpid() << 16 ^ 1;
}

/* Writes everything, because a signal may cut a write short. */
static bool write_key(int fd, uint64_t key)
{
	const char *bytes = (const char *)&key;
	size_t done = 0;

	while (done < sizeof(key)) {
		ssize_t written = pwrite(fd, bytes + done, sizeof(key) - done, (off_t)done);

		if (written > 0)
			done += (size_t)written;
		else if (written == 0 || errno != EINTR)
			return false;
	}
	return true;
}

int model_run_share(const char *name, size_t size, uint64_t key)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	int fd = move_up(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));

	if (fd >= 0 &&
	    (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, seals) || !write_key(fd, key))) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static int share_memory(struct run *run)
{
	run->key = run->job->sampler ? run->job->sampler->key : model_run_key();
	run->shared_fd = model_run_share("plumb-model", sizeof(*run->shared), run->key);
	if (run->shared_fd < 0)
		return errno ? errno : ENOMEM;
	run->shared = mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE, MAP_SHARED,
			   run->shared_fd, 0);
	if (run->shared == MAP_FAILED) {
		run->shared = NULL;
		return errno;
	}
	run->shared->reader = getpid();
	return 0;
}

/* Tells the plugin how the core differs from the one it knows by name. */
static void share_changes(const struct run *run)
{
	const struct core_file *file = run->job->core_file;

	if (!run->shared || !file)
		return;
	memcpy(run->shared->changes, file->changes, sizeof(file->changes));
	run->shared->change_count = file->change_count;
}

/* Signals that the caller handles would be lost on a child that is not yet QEMU. */
static void stop_catching(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN &&
		    action.sa_handler != SIG_DFL)
			signal(number, SIG_DFL);
	}
}

/* Runs in the child after fork: only what is safe there. Does not return. */
static _Noreturn void become_qemu(const struct run *run, const struct model_command *command,
				  const sigset_t *signals)
{
	/* The program ends with this process, which may have ended already. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != run->shared->reader)
		_exit(127);
	stop_catching();
	sigprocmask(SIG_SETMASK, signals, NULL);
	fcntl(run->shared_fd, F_SETFD, 0);
	if (run->job->sampler)
		fcntl(run->job->sampler->fd, F_SETFD, 0);
	/* Random addresses would make counts differ from run to run. */
	personality(ADDR_NO_RANDOMIZE);
	execve(run->qemu.path, command->argv, command->environment);
	_exit(127);
}

static int start(struct run *run, const struct model_command *command)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	run->pid = fork();
	if (run->pid == 0)
		become_qemu(run, command, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (run->pid < 0)
		return errno;
	run->pidfd = pidfd_open(run->pid, 0);
	return run->pidfd < 0 ? errno : 0;
}

/* Marks the events that the plugin cannot count with this QEMU. */
static void mark_uncounted(const struct run *run, struct model_counts *counts)
{
	if (atomic_load(&run->shared->reads_predicates))
		return;
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		if (model_event_of_predicates(e))
			counts->counts[e] = MODEL_NOT_COUNTED;
}

static void set_seconds(const struct run *run, struct model_counts *counts, uint64_t cycles)
{
	counts->seconds = (double)cycles / (1e6 * run->core->frequency_mhz);
}

static void sum_counts(const struct run *run, struct model_counts *counts)
{
	const struct model_shared *shared = run->shared;
	uint64_t longest = atomic_load(&shared->longest_cycles);

	memset(counts, 0, sizeof(*counts));
	for (unsigned e = 0; e < MODEL_COUNTS; e++)
		counts->counts[e] = atomic_load(&shared->finished[e]);
	for (unsigned t = 0; t < MODEL_SHARED_THREADS; t++) {
		const struct model_thread_counts *thread = &shared->threads[t];

		if (!atomic_load(&shared->slot_taken[t]))
			continue;
		for (unsigned e = 0; e < MODEL_COUNTS; e++)
			counts->counts[e] += model_thread_count(thread, e);
		if (thread->counts[EVENT_CPU_CYCLES] > longest)
			longest = thread->counts[EVENT_CPU_CYCLES];
	}
	mark_uncounted(run, counts);
	set_seconds(run, counts, longest);
}

/* Delivers the snapshots that are there. */
static void tell_snapshots(struct run *run)
{
	struct model_shared *shared = run->shared;
	uint64_t number;

	while (run->job->interval_ms && (number = atomic_load(&shared->snapshots_read) + 1) &&
	       atomic_load(&shared->snapshot[number % MODEL_SNAPSHOTS].number) == number) {
		const struct model_snapshot *snapshot = &shared->snapshot[number % MODEL_SNAPSHOTS];
		struct model_counts counts;
		uint32_t code[SAMPLED_CODE];

		memcpy(counts.counts, snapshot->counts, sizeof(counts.counts));
		memcpy(code, snapshot->code, sizeof(code));
		mark_uncounted(run, &counts);
		set_seconds(run, &counts, snapshot->cycle);
		atomic_store(&shared->snapshots_read, number);
		if (run->job->interval)
			run->job->interval(run->job->user, &counts, code);
	}
}

/* Delivers the marks that are new. */
static void tell_marks(struct run *run)
{
	uint32_t count = atomic_load(&run->shared->mark_count);

	for (; run->marks_told < count && run->marks_told < MODEL_MARKS; run->marks_told++)
		if (run->job->mark)
			run->job->mark(run->job->user, run->shared->marks[run->marks_told]);
}

static void tell_progress(struct run *run, double *told)
{
	const struct model_sampler *sampler = run->job->sampler;
	struct model_counts counts;

	if (now() - *told < 1e-3 * PROGRESS_MS)
		return;
	sum_counts(run, &counts);
	if (run->job->progress)
		run->job->progress(run->job->user, &counts);
	if (sampler && sampler->as_it_is)
		sampler->as_it_is(sampler->user, &run->shared->sampled, &counts);
	*told = now();
}

/*
 * Processes that the program left running go on if it ended by itself. If the run was ended, they
 * are ended, too: the plugin does that in each of them.
 */
static void end_rest(const struct run *run)
{
	int number = run->job->last_signal ? run->job->last_signal(run->job->user) : 0;

	if (!number && run->ending.asked)
		number = SIGTERM;
	atomic_store(&run->shared->last_signal, (uint32_t)number);
}

/* Waits for the end, and passes on snapshots and progress. Returns the wait status. */
static int watch(struct run *run)
{
	const struct model_sampler *sampler = run->job->sampler;
	int status = 0, timeout = run->job->interval_ms ? SNAPSHOT_MS : CANCEL_LOOK_MS;
	double told = now();

	for (;;) {
		struct pollfd end = {.fd = run->pidfd, .events = POLLIN};
		bool stop = false;
		int ready;

		atomic_fetch_add(&run->shared->heartbeat, 1);
		if (sampler)
			timeout = sampler->drain(sampler->user, run->pid, &stop);
		ready = poll(&end, 1, timeout);
		tell_snapshots(run);
		tell_marks(run);
		tell_progress(run, &told);
		if (source_is_canceled(&run->job->cancel))
			run->canceled = true;
		if (stop || run->canceled || atomic_load(&run->shared->window.over))
			source_end(&run->ending, run->pid);
		if (ready > 0)
			break;
	}
	tell_snapshots(run);
	tell_marks(run);
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	end_rest(run);
	return status;
}

/* Reports that QEMU ended too early: before `what`. */
static int refuse_end(const struct run *run, int status, const char *what,
		      struct plumb_diagnostics *diagnostics)
{
	struct place where = {.file = run->qemu.path};

	if (WIFSIGNALED(status)) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-start", &where,
				"signal %d ended QEMU before %s (%s)", WTERMSIG(status), what,
				strsignal(WTERMSIG(status)));
		if (WTERMSIG(status) == SIGBUS || WTERMSIG(status) == SIGSEGV)
			plumb_diagnostics_hint(diagnostics,
					       "the engine or its plugin may be damaged: install "
					       "plumb again");
	} else {
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-start", &where,
				"QEMU ended (status %d) before %s", WEXITSTATUS(status), what);
		/* QEMU writes where the program does, so nobody knows whether it wrote anything. */
		plumb_diagnostics_hint(diagnostics, "see QEMU's error above, if there is one");
	}
	return PLUMB_ERR_MACHINE;
}

static int check_start(const struct run *run, int status, struct plumb_diagnostics *diagnostics)
{
	struct place where = {.file = run->qemu.path};
	const struct model_shared *shared = run->shared;

	/* Before the program begins, there is nothing to deliver. */
	if (!atomic_load(&shared->threads_started) && qemu_was_interrupted(status))
		return PLUMB_ERR_INTERRUPTED;
	if (atomic_load(&shared->magic) != MODEL_SHARED_MAGIC)
		return refuse_end(run, status, "the model's plugin was loaded", diagnostics);
	if (shared->struct_size != sizeof(*shared) || shared->event_count != EVENT_COUNT) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "other-plugin", &where,
				"the plugin and plumb have different versions");
		plumb_diagnostics_hint(diagnostics, "install both from one build");
		return PLUMB_ERR_MACHINE;
	}
	/* This excludes signals: somebody may have ended it at once. */
	if (!atomic_load(&shared->threads_started) && WIFEXITED(status))
		return refuse_end(run, status, "the program began", diagnostics);
	return 0;
}

/* Returns how long the window was open; `all`: how long the program ran. */
static double counted_seconds(const struct run *run, double all)
{
	const struct model_window *window = &run->shared->window;
	double frequency = 1e6 * run->core->frequency_mhz;
	double seconds = (double)atomic_load(&window->cycles) / frequency;
	double opened = (double)atomic_load(&window->opened) / frequency;

	/* A sampled run has no window but its beginning, of which `all` is an estimate. */
	if (!model_window_is_asked(&run->window) || sampled_is_partial(&run->shared->sampled))
		return all;
	if (atomic_load(&window->phase) & 1 && all > opened)
		seconds += all - opened;
	return seconds;
}

/* Warns if the window never began or ended. */
static void check_window(const struct run *run, struct plumb_diagnostics *diagnostics)
{
	uint32_t phase = atomic_load(&run->shared->window.phase);

	if (!model_window_is_asked(&run->window))
		return;
	if (phase == 0 && run->window.from.value)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "window", NULL,
				      "nothing was measured: the program never reached %s%s",
				      run->job->window->from,
				      run->window.delay_ms ? " after the delay" : "");
	else if (phase == 0)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "window", NULL,
				      "nothing was measured: the program ended within the delay");
	else if (phase == 1 && run->window.to.value && !atomic_load(&run->shared->window.over))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "window", NULL,
				      "measured to the end: the program never reached %s",
				      run->job->window->to);
}

static struct model_lacking_insn read_lacking(const struct model_lacking *lacking)
{
	return (struct model_lacking_insn){atomic_load(&lacking->pc), atomic_load(&lacking->word)};
}

static void fill_result(const struct run *run, int status, struct model_result *result)
{
	const struct model_shared *shared = run->shared;
	uint64_t cycles;

	sum_counts(run, &result->counts);
	result->sums = result->counts;
	result->sampled = sampled_copy(&shared->sampled);
	result->frequency = 1e6 * run->core->frequency_mhz;
	if (run->job->sampled && run->job->interval_ms)
		result->units = units_copy(shared);
	if (result->sampled) {
		cycles = sampled_estimate(result->sampled, &result->sums, &result->counts);
		if (atomic_load(&shared->sampled.left) &&
		    atomic_load(&shared->longest_cycles) > shared->sampled.before[EVENT_CPU_CYCLES])
			cycles += atomic_load(&shared->longest_cycles) -
				  shared->sampled.before[EVENT_CPU_CYCLES];
		set_seconds(run, &result->counts, cycles);
	}
	if (atomic_load(&shared->begun)) {
		result->startup_seconds = (double)atomic_load(&shared->begun_cycle) /
					  (1e6 * run->core->frequency_mhz);
		result->startup_to_main = run->program.begins_main;
	}
	result->counted_seconds = counted_seconds(run, result->counts.seconds);
	result->windowed = model_window_is_asked(&run->window);
	result->ended = atomic_load(&shared->window.over) != 0;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	result->unknown_instructions = atomic_load(&shared->unknown_words);
	result->hidden_accesses =
		atomic_load(&shared->hidden_accesses) + atomic_load(&shared->dropped_accesses);
	result->outside = atomic_load(&shared->outside);
	result->threaded = atomic_load(&shared->threads_started) > atomic_load(&shared->processes);
	/* The rest is about the order of threads. */
	if (!result->threaded)
		result->outside &= OUTSIDE_MEMORY | OUTSIDE_CLOCK;
	result->core = run->core;
	result->lacking_ran = read_lacking(&shared->lacking_ran);
	if (result->signal == SIGILL)
		result->lacking_last = read_lacking(&shared->lacking_last);
	result->gave_up = atomic_load(&shared->gave_up);
	result->uncounted_execs = atomic_load(&shared->uncounted_execs);
	result->left_out = atomic_load(&shared->left_out);
	if (atomic_load(&shared->refused) == 2)
		snprintf(result->refused, sizeof(result->refused), "%.*s",
			 (int)sizeof(result->refused) - 1, shared->refused_name);
}

static void clean_up(struct run *run)
{
	if (run->shared_fd >= 0)
		close(run->shared_fd);
	if (run->pidfd >= 0)
		close(run->pidfd);
	if (!run->shared)
		return;
	/* Children may go on. */
	atomic_store(&run->shared->ended, 1);
	munmap(run->shared, sizeof(*run->shared));
}

static int refuse_start(const char *what, int error, struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-start", NULL, "%s: %s", what,
			      strerror(error));
	return error == ENOMEM   ? PLUMB_ERR_NO_MEMORY
	       : error == EAGAIN ? PLUMB_ERR_BUSY
				 : PLUMB_ERR_MACHINE;
}

/* Sampling by predicates requires an engine that delivers them. */
static int check_predicates(const struct run *run, struct plumb_diagnostics *diagnostics)
{
	const char *hint;

	if (!run->job->sampler || !run->job->sampler->predicates || run->qemu.major >= 9)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-event", NULL,
			      "QEMU %u.%u does not let the model count by SVE predicates",
			      run->qemu.major, run->qemu.minor);
	hint = qemu_newer_hint(qemu_this_system()->os_release);
	if (hint)
		plumb_diagnostics_hint(diagnostics, "%s", hint);
	else
		diagnostics_remedy(diagnostics, "newer-engine", NULL, "use QEMU 9.0 or later");
	return PLUMB_ERR_MACHINE;
}

/* Finds the core, the program's loader, and an engine. */
static int choose(struct run *run, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_model_options *options = run->job->options;
	int error;

	run->core = options->core ? model_core_find(options->core) : model_cores[0];
	if (!run->core) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-core", NULL,
				      "the model has no core '%s'", options->core);
		return PLUMB_ERR_NOT_FOUND;
	}
	error = program_inspect(run->job->program, &run->program, diagnostics);
	if (error == 0)
		error = program_find_sysroot(&run->program, options->sysroot, &run->sysroot,
					     diagnostics);
	if (error == 0)
		error = model_window_read(&run->window, run->job->window, run->job->program,
					  diagnostics);
	if (error == 0)
		error = qemu_choose(qemu_this_system(), options, &run->qemu, diagnostics);
	return error ? error : check_predicates(run, diagnostics);
}

int model_run_refuse_share(size_t size, int error, struct plumb_diagnostics *diagnostics)
{
	char what[80];

	snprintf(what, sizeof(what), "cannot share %zu KiB with QEMU", size >> 10);
	return refuse_start(what, error, diagnostics);
}

/* Makes the memory with the counts, which both sides share. */
static int connect_plugin(struct run *run, struct plumb_diagnostics *diagnostics)
{
	int error = share_memory(run);

	return error ? model_run_refuse_share(sizeof(*run->shared), error, diagnostics) : 0;
}

/* Starts QEMU with the program. */
static int launch(struct run *run, struct plumb_diagnostics *diagnostics)
{
	const struct model_command_parts parts = {
		.core = run->core,
		.qemu = &run->qemu,
		.program = &run->program,
		.path = run->job->program,
		.argv = run->job->argv,
		.sysroot = run->sysroot,
		.children = run->job->children,
		.shared_fd = run->shared_fd,
		.sampling_fd = run->job->sampler ? run->job->sampler->fd : -1,
		.key = run->key,
		.interval_ms = run->job->interval_ms,
		.seed = run->job->options->seed,
		.sampled = run->job->sampled,
		.sampled_after = run->job->sampled_after,
		.what_if = run->job->what_if,
		.page_bytes = run->job->options->page_bytes,
		.huge_pages = run->job->options->huge_pages,
		.conditions = {run->job->options->page_fault_cycles,
			       run->job->options->system_call_cycles,
			       run->job->options->wrong_path_loads},
		.reference = run->job->options->reference,
		.host_threads = run->job->options->host_threads,
		.mark_call = run->job->mark_call,
		.window = &run->window,
	};
	struct model_command command;
	int error = model_command_make(&command, &parts) ? start(run, &command) : ENOMEM;

	model_command_free(&command);
	if (!error)
		return 0;
	if (run->pid > 0) {
		kill(run->pid, SIGKILL);
		waitpid(run->pid, NULL, 0);
	}
	return refuse_start("cannot start QEMU", error, diagnostics);
}

/* Follows the program to its end. */
static int follow(struct run *run, struct model_result *result,
		  struct plumb_diagnostics *diagnostics)
{
	int status, error;

	if (run->job->started)
		run->job->started(run->job->user, run->pid);
	status = watch(run);
	error = run->canceled ? PLUMB_ERR_INTERRUPTED : check_start(run, status, diagnostics);
	if (error == 0 || run->canceled)
		fill_result(run, status, result);
	/* Without the windows, the sums would look like counts. */
	if (error == 0 && !result->sampled && sampled_is_partial(&run->shared->sampled))
		error = PLUMB_ERR_NO_MEMORY;
	if (error == 0)
		check_window(run, diagnostics);
	return error;
}

int model_run(const struct model_job *job, struct model_result *result,
	      struct plumb_diagnostics *diagnostics)
{
	struct run run = {.job = job, .shared_fd = -1, .pidfd = -1};
	double began;
	int error;

	memset(result, 0, sizeof(*result));
	error = choose(&run, diagnostics);
	if (error == 0)
		error = connect_plugin(&run, diagnostics);
	share_changes(&run);
	if (error == 0 && job->begin)
		error = job->begin(job->user, run.qemu.version);
	began = now();
	if (error == 0)
		error = launch(&run, diagnostics);
	if (error == 0)
		error = follow(&run, result, diagnostics);
	result->host_seconds = now() - began;
	clean_up(&run);
	return error;
}

int plumb_model_check_program(const char *path, const char *sysroot,
			      struct plumb_diagnostics *diagnostics)
{
	struct program program;
	int error = program_inspect(path, &program, diagnostics);

	return error ? error : program_find_sysroot(&program, sysroot, &sysroot, diagnostics);
}
