/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling by perf_event_open(2), with the kernel's software events: they are on every machine.
 * Skipped where there is no such call, or this user may not.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "source/perf/synthesize.h"
#include "source/source.h"

/* What a recording consists of, as far as the tests look at it. */
struct fixture {
	struct plumb_event_config events[2];
	struct source_record_job job;
	struct source_record_run run;
	struct plumb_diagnostics *diagnostics;
	uint8_t *records;
	size_t size, room;
	unsigned begins, starts, rounds, asked;
	size_t event_count;
	uint64_t sample_type;
	bool has_clock;
	pid_t program;
	long nap_ms;          /* before records are taken */
	size_t stop_after;    /* bytes; 0: never */
	size_t stop_samples;  /* 0: never */
	unsigned repeat_at;   /* when so often asked: the maps again */
	int answer;           /* of records() */
	size_t answer_after;  /* bytes */
	size_t before_repeat; /* bytes that had come */
};

static int on_begin(void *user, const struct plumb_recording_setup *setup)
{
	struct fixture *f = user;

	assert_int_equal(f->size, 0);
	f->begins++;
	f->event_count = setup->event_count;
	f->sample_type = setup->events[0].attr.sample_type;
	for (size_t i = 0; i < setup->event_count; i++) {
		assert_true(setup->events[i].id_count > 0);
		assert_non_null(setup->events[i].name);
		/* All other records are read by any event's. */
		assert_int_equal(setup->events[i].attr.sample_type &
					 (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					  PERF_SAMPLE_IDENTIFIER),
				 f->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						   PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	}
	assert_string_equal(setup->events[0].name, f->events[0].name);
	assert_non_null(setup->arch);
	assert_true(setup->cpus_online > 0 && setup->pmu_count > 0);
	f->has_clock = setup->time_conv != NULL;
	return 0;
}

static void on_started(void *user, pid_t pid)
{
	struct fixture *f = user;

	assert_int_equal(f->begins, 1);
	f->starts++;
	f->program = pid;
}

static int on_records(void *user, const void *records, size_t size)
{
	struct fixture *f = user;

	assert_int_equal(f->begins, 1);
	if (f->nap_ms)
		nanosleep(&(struct timespec){0, 1000000 * f->nap_ms}, NULL);
	while (f->size + size > f->room) {
		size_t room = f->room ? 2 * f->room : 1 << 20;
		void *larger = realloc(f->records, room);

		assert_non_null(larger);
		f->records = larger;
		f->room = room;
	}
	memcpy(f->records + f->size, records, size);
	f->size += size;
	return f->size > f->answer_after ? f->answer : 0;
}

static int on_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		  size_t first_size, const void *second, size_t second_size)
{
	(void)user;
	(void)chunk;
	(void)first;
	(void)first_size;
	(void)second;
	(void)second_size;
	fail_msg("there is no AUX area");
	return 0;
}

static int on_round(void *user)
{
	struct fixture *f = user;

	f->rounds++;
	return 0;
}

static size_t count_type(const struct fixture *f, uint32_t type);

static int on_next(void *user)
{
	struct fixture *f = user;

	f->asked++;
	if (f->repeat_at && f->asked == f->repeat_at) {
		f->before_repeat = f->size;
		return PLUMB_RECORDING_REPEAT_MAPS;
	}
	if (f->stop_samples && count_type(f, PERF_RECORD_SAMPLE) >= f->stop_samples)
		return PLUMB_RECORDING_STOP;
	return f->stop_after && f->size > f->stop_after ? PLUMB_RECORDING_STOP
							: PLUMB_RECORDING_GO_ON;
}

#define SHELL(script)                                                        \
	((char *[]){(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", \
		    (char *)(uintptr_t)(script), NULL})
#define BUSY "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; "

static void set_up(struct fixture *f, char *const *argv)
{
	memset(f, 0, sizeof(*f));
	f->diagnostics = plumb_diagnostics_new();
	f->events[0] = (struct plumb_event_config){.kind = PLUMB_EVENT_SOFTWARE,
						   .name = "cpu-clock",
						   .config = PERF_COUNT_SW_CPU_CLOCK,
						   .period = 1000000};
	f->job = (struct source_record_job){.events = f->events,
					    .event_count = 1,
					    .program = argv ? argv[0] : NULL,
					    .argv = argv,
					    .inherit = true,
					    .build_ids = true,
					    .clockid = -1,
					    .begin = on_begin,
					    .started = on_started,
					    .records = on_records,
					    .aux = on_aux,
					    .round = on_round,
					    .next = (__typeof__(f->job.next))on_next,
					    .user = f};
}

static void tear_down(struct fixture *f)
{
	plumb_diagnostics_free(f->diagnostics);
	free(f->records);
	/* Whatever was started has been waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static bool has_finding(const struct fixture *f, const char *id)
{
	for (size_t i = 0; i < plumb_diagnostics_count(f->diagnostics); i++)
		if (strcmp(plumb_diagnostics_get(f->diagnostics, i)->id, id) == 0)
			return true;
	return false;
}

static bool cannot_sample(int error)
{
	return error == PLUMB_ERR_PERMISSION || error == PLUMB_ERR_MACHINE;
}

/* Samples, or skips the test where this user may not. */
static void record(struct fixture *f)
{
	int error = source_perf.record(&f->job, &f->run, f->diagnostics);

	if (cannot_sample(error) &&
	    (has_finding(f, "no-permission") || has_finding(f, "no-perf"))) {
		tear_down(f);
		skip_because("the kernel lets nobody sample here");
	}
	if (error != 0 && plumb_diagnostics_count(f->diagnostics))
		print_message("# %s\n", plumb_diagnostics_get(f->diagnostics, 0)->message);
	assert_int_equal(error, 0);
	assert_int_equal(f->begins, 1);
}

/* ---- reading what came -------------------------------------------------------------------- */

/* The next record from `*at` on; NULL after the last. */
static const struct perf_event_header *next_record(const struct fixture *f, size_t *at)
{
	const struct perf_event_header *header;

	if (*at == f->size)
		return NULL;
	assert_true(f->size - *at >= sizeof(*header));
	header = (const void *)(f->records + *at);
	assert_true(header->size >= sizeof(*header) && header->size % 8 == 0);
	assert_true(header->size <= f->size - *at);
	*at += header->size;
	return header;
}

static size_t count_type(const struct fixture *f, uint32_t type)
{
	const struct perf_event_header *header;
	size_t at = 0, count = 0;

	while ((header = next_record(f, &at)))
		count += header->type == type;
	return count;
}

static uint32_t u32_at(const struct perf_event_header *header, size_t offset)
{
	uint32_t value;

	memcpy(&value, (const uint8_t *)header + offset, sizeof(value));
	return value;
}

/* Of a sample with IP and TID, and no IDENTIFIER: header, ip, pid, tid. */
static pid_t sample_pid(const struct perf_event_header *header)
{
	return (pid_t)u32_at(header, 16);
}

/* A map of `pid` (0: of any) whose path has `part` in it, before byte `end`. */
static const struct perf_event_header *find_map(const struct fixture *f, pid_t pid,
						const char *part, size_t start, size_t end)
{
	const struct perf_event_header *header;

	while (start < end && (header = next_record(f, &start)))
		if (header->type == PERF_RECORD_MMAP2 &&
		    (!pid || (pid_t)u32_at(header, 8) == pid) &&
		    strstr((const char *)header + 72, part))
			return header;
	return NULL;
}

static bool has_name(const struct fixture *f, pid_t pid, const char *name, bool exec)
{
	const struct perf_event_header *header;
	size_t at = 0;

	while ((header = next_record(f, &at)))
		if (header->type == PERF_RECORD_COMM && (pid_t)u32_at(header, 8) == pid &&
		    strcmp((const char *)header + 16, name) == 0 &&
		    !!(header->misc & PERF_RECORD_MISC_COMM_EXEC) == exec)
			return true;
	return false;
}

static size_t first_sample(const struct fixture *f)
{
	const struct perf_event_header *header;
	size_t at = 0, before = 0;

	while ((header = next_record(f, &at)) && header->type != PERF_RECORD_SAMPLE)
		before = at;
	return before;
}

/* ---- programs ----------------------------------------------------------------------------- */

static void a_program_is_sampled(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	size_t at = 0;

	(void)state;
	set_up(&f, SHELL(BUSY "exit 7"));
	record(&f);
	assert_int_equal(f.starts, 1);
	assert_true(f.rounds > 0);
	assert_int_equal(f.run.exit_status, 7);
	assert_int_equal(f.run.signal, 0);
	assert_true(f.run.seconds > 0);
	assert_int_equal(f.event_count, 1);
	assert_int_equal(f.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	assert_true(f.run.samples > 10);
	assert_int_equal(count_type(&f, PERF_RECORD_SAMPLE), f.run.samples);
	while ((header = next_record(&f, &at)))
		if (header->type == PERF_RECORD_SAMPLE)
			assert_int_equal(sample_pid(header), f.program);
	/* Who it was before and after its execve(2), and where its code is. */
	assert_true(has_name(&f, f.program, "sh", true));
	assert_non_null(find_map(&f, f.program, "/bin/", 0, f.size));
	assert_non_null(find_map(&f, f.program, "libc", 0, f.size));
	assert_true(count_type(&f, PERF_RECORD_EXIT) >= 1);
	tear_down(&f);
}

/* As many samples as there is time in it: the period is a millisecond of the CPU's. */
static void the_period_is_kept(void **state)
{
	struct fixture f;
	struct timespec before, after;
	double seconds;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.events[0].config = PERF_COUNT_SW_TASK_CLOCK;
	f.events[0].name = "task-clock";
	clock_gettime(CLOCK_MONOTONIC, &before);
	record(&f);
	clock_gettime(CLOCK_MONOTONIC, &after);
	seconds = (double)(after.tv_sec - before.tv_sec) +
		  1e-9 * (double)(after.tv_nsec - before.tv_nsec);
	/* It cannot have used more than went by. */
	assert_true(f.run.samples > 10 && (double)f.run.samples <= 1000 * seconds + 1);
	tear_down(&f);
}

static void children_are_sampled_if_asked_for(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	size_t others;

	(void)state;
	for (int inherit = 0; inherit < 2; inherit++) {
		size_t at = 0;

		set_up(&f, SHELL("(" BUSY ") & wait; exit 0"));
		f.job.inherit = inherit;
		record(&f);
		others = 0;
		while ((header = next_record(&f, &at)))
			others += header->type == PERF_RECORD_SAMPLE &&
				  sample_pid(header) != f.program;
		assert_true(inherit ? others > 10 : others == 0);
		tear_down(&f);
	}
}

static void call_chains_are_had(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	size_t at = 0, chains = 0;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.job.callchains = true;
	record(&f);
	assert_true(f.sample_type & PERF_SAMPLE_CALLCHAIN);
	while ((header = next_record(&f, &at))) {
		uint64_t length;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		/* header, ip, pid, tid, time */
		memcpy(&length, (const uint8_t *)header + 32, sizeof(length));
#if defined(__aarch64__)
		/* The link register, and before it whether it is there. */
		assert_true(header->size == 40 + 8 * length + 16);
#else
		assert_int_equal(header->size, 40 + 8 * length);
#endif
		chains += length > 1;
	}
	assert_true(chains > 0);
	tear_down(&f);
}

static void stacks_are_copied(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	size_t at = 0, copies = 0;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.job.user_stack = 1024;
	record(&f);
	assert_true(f.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(f.sample_type & PERF_SAMPLE_REGS_USER);
	assert_true(f.sample_type & PERF_SAMPLE_STACK_USER);
	while ((header = next_record(&f, &at))) {
		const uint8_t *bytes = (const uint8_t *)header;
		uint64_t size, used;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		/* The last of a sample: the copy's size, the copy, and how much of it is used. */
		assert_true(header->size > 1024 + 16);
		memcpy(&size, bytes + header->size - 8 - 1024 - 8, sizeof(size));
		memcpy(&used, bytes + header->size - 8, sizeof(used));
		assert_int_equal(size, 1024);
		assert_true(used <= 1024);
		copies += used > 0;
	}
	assert_true(copies > 0);
	tear_down(&f);
}

/* The periods of a frequency vary, so each sample has its own. */
static void frequencies_have_periods(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.events[0].period = 0;
	f.events[0].frequency = 1000;
	record(&f);
	assert_true(f.sample_type & PERF_SAMPLE_PERIOD);
	assert_true(f.run.samples > 0);
	tear_down(&f);
}

static void groups_say_of_which_event_they_are(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	size_t at = 0, kinds = 0;
	uint64_t ids[64];

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.events[1] = (struct plumb_event_config){.kind = PLUMB_EVENT_SOFTWARE,
						  .name = "page-faults",
						  .config = PERF_COUNT_SW_PAGE_FAULTS,
						  .period = 1,
						  .leader = 0};
	f.job.event_count = 2;
	f.job.per_thread = true;
	record(&f);
	assert_int_equal(f.event_count, 2);
	assert_true(f.sample_type & PERF_SAMPLE_IDENTIFIER);
	while ((header = next_record(&f, &at))) {
		uint64_t id;
		size_t i = 0;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&id, (const uint8_t *)header + 8, sizeof(id));
		while (i < kinds && ids[i] != id)
			i++;
		assert_true(i < 64);
		ids[i] = id;
		kinds += i == kinds;
	}
	/* One ring, so one descriptor of each. */
	assert_int_equal(kinds, 2);
	tear_down(&f);
}

/* Faults are not chance: a page that is written to for the first time is one. */
static void every_event_is_had_with_period_one(void **state)
{
	struct fixture f;
	uint64_t all, half;

	(void)state;
	for (int per_thread = 0; per_thread < 2; per_thread++) {
		set_up(&f, SHELL("exit 0"));
		f.events[0].config = PERF_COUNT_SW_PAGE_FAULTS;
		f.events[0].name = "page-faults";
		f.events[0].period = 1;
		f.job.per_thread = per_thread;
		record(&f);
		all = f.run.samples;
		tear_down(&f);

		set_up(&f, SHELL("exit 0"));
		f.events[0].config = PERF_COUNT_SW_PAGE_FAULTS;
		f.events[0].name = "page-faults";
		f.events[0].period = 2;
		f.job.per_thread = per_thread;
		record(&f);
		half = f.run.samples;
		tear_down(&f);
		/* Where things are in memory varies, and with it a few faults; on each CPU that it
		 * ran on, one may be left over. */
		assert_true(all > 20 && 2 * half <= all + all / 5 &&
			    2 * half >= all - all / 5 - 16);
	}
}

static void a_program_that_is_killed_says_so(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, SHELL(BUSY "kill -9 $$"));
	record(&f);
	assert_int_equal(f.run.signal, SIGKILL);
	assert_int_equal(f.run.exit_status, 128 + SIGKILL);
	assert_true(f.run.samples > 0);
	tear_down(&f);
}

static void stopping_ends_the_program(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, SHELL("while :; do :; done"));
	f.stop_after = 4096;
	record(&f);
	assert_int_equal(f.run.signal, SIGTERM);
	assert_true(kill(f.program, 0) != 0);
	assert_true(f.run.samples > 0);
	tear_down(&f);
}

static void an_error_of_the_callers_ends_all(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, SHELL("while :; do :; done"));
	f.answer = PLUMB_ERR_IO;
	f.answer_after = 4096;
	if (!cannot_sample(source_perf.record(&f.job, &f.run, f.diagnostics))) {
		assert_true(f.size > 4096);
		assert_true(kill(f.program, 0) != 0);
	}
	tear_down(&f);
}

/* A delay that is longer than the program leaves nothing to sample, but who it was. */
static void nothing_is_sampled_before_the_delay(void **state)
{
	struct fixture f;

	(void)state;
	for (int delay = -1; delay <= 100000; delay += 100001) {
		set_up(&f, SHELL(BUSY));
		f.job.window.delay_ms = delay;
		record(&f);
		assert_int_equal(f.run.samples, 0);
		assert_int_equal(f.event_count, 2);
		assert_true(has_name(&f, f.program, "sh", true));
		tear_down(&f);
	}
	set_up(&f, SHELL("sleep 0.1; " BUSY BUSY));
	f.job.window.delay_ms = 1;
	record(&f);
	assert_true(f.run.samples > 0);
	tear_down(&f);
}

/* Times of a clock of the caller's are between those that the caller sees. */
static void times_are_of_the_clock_that_was_asked_for(void **state)
{
	struct fixture f;
	const struct perf_event_header *header;
	struct timespec before, after;
	size_t at = 0;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.job.clockid = CLOCK_MONOTONIC;
	clock_gettime(CLOCK_MONOTONIC, &before);
	record(&f);
	clock_gettime(CLOCK_MONOTONIC, &after);
	while ((header = next_record(&f, &at))) {
		uint64_t time;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&time, (const uint8_t *)header + 24, sizeof(time));
		assert_in_range(time, (uint64_t)before.tv_sec * 1000000000,
				(uint64_t)after.tv_sec * 1000000000 + 1000000000);
	}
	tear_down(&f);
}

/* ---- what runs already -------------------------------------------------------------------- */

/* Starts a process that ends by SIGVTALRM once it has run for so long, however busy the machine. */
static pid_t begin_busy(unsigned seconds)
{
	const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
	pid_t pid = fork();

	if (pid == 0) {
		setitimer(ITIMER_VIRTUAL, &limit, NULL);
		for (;;)
			;
	}
	assert_true(pid > 0);
	return pid;
}

static void end_busy(pid_t pid, int signal)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal);
}

static void running_processes_are_sampled(void **state)
{
	struct fixture f;
	pid_t pid = begin_busy(60);
	char name[16] = "";
	int error = 0;

	(void)state;
	prctl(PR_GET_NAME, name);
	for (int per_thread = 0; per_thread < 2 && !error; per_thread++) {
		set_up(&f, NULL);
		f.job.pids = &pid;
		f.job.pid_count = 1;
		f.job.per_thread = per_thread;
		f.stop_after = 8192;
		f.repeat_at = 2;
		/* Not record(), which may skip: the process is to be ended. */
		error = source_perf.record(&f.job, &f.run, f.diagnostics);
		if (!error) {
			const char *self = strrchr(program_invocation_name, '/');
			size_t samples = first_sample(&f);

			assert_int_equal(f.event_count, 2);
			assert_true(f.run.samples > 0);
			/* Its maps and names come before its samples, and once more at the end. */
			assert_true(has_name(&f, pid, name, false));
			assert_non_null(find_map(&f, pid, self ? self : "test", 0, samples));
			assert_non_null(find_map(&f, pid, "[vdso]", 0, samples));
			assert_true(f.before_repeat > 0);
			assert_non_null(
				find_map(&f, pid, self ? self : "test", f.before_repeat, f.size));
		}
		plumb_diagnostics_free(f.diagnostics);
		free(f.records);
	}
	end_busy(pid, SIGKILL);
	if (error)
		skip_because("the kernel lets nobody sample here");
}

static void it_ends_when_its_targets_do(void **state)
{
	struct fixture f;
	pid_t pid = begin_busy(1);
	int error;

	(void)state;
	set_up(&f, NULL);
	f.job.pids = &pid;
	f.job.pid_count = 1;
	error = source_perf.record(&f.job, &f.run, f.diagnostics);
	plumb_diagnostics_free(f.diagnostics);
	free(f.records);
	end_busy(pid, error ? SIGKILL : SIGVTALRM);
	if (error)
		skip_because("the kernel lets nobody sample here");
	assert_true(f.run.samples > 0);
}

/* Only the processes are sampled; the program says for how long. */
static void a_program_sets_the_duration(void **state)
{
	const struct perf_event_header *header;
	struct fixture f;
	pid_t pid = begin_busy(60);
	size_t at = 0;
	int error;

	(void)state;
	set_up(&f, SHELL(BUSY "exit 3"));
	f.job.pids = &pid;
	f.job.pid_count = 1;
	error = source_perf.record(&f.job, &f.run, f.diagnostics);
	end_busy(pid, SIGKILL);
	if (error == 0) {
		assert_int_equal(f.starts, 1);
		assert_int_equal(f.run.exit_status, 3);
		assert_true(f.run.samples > 0);
	}
	while (error == 0 && (header = next_record(&f, &at)))
		if (header->type == PERF_RECORD_SAMPLE) {
			/* header, identifier, ip, pid */
			assert_true(f.sample_type & PERF_SAMPLE_IDENTIFIER);
			assert_int_equal(u32_at(header, 24), pid);
		}
	tear_down(&f);
	if (error)
		skip_because("the kernel lets nobody sample here");
}

static void a_program_ends_with_the_targets(void **state)
{
	struct fixture f;
	pid_t pid = begin_busy(1);
	int error;

	(void)state;
	set_up(&f, SHELL("exec sleep 600"));
	f.job.pids = &pid;
	f.job.pid_count = 1;
	error = source_perf.record(&f.job, &f.run, f.diagnostics);
	end_busy(pid, error ? SIGKILL : SIGVTALRM);
	if (error == 0)
		assert_int_equal(f.run.signal, SIGTERM);
	tear_down(&f);
	if (error)
		skip_because("the kernel lets nobody sample here");
}

static void whole_machines_are_sampled(void **state)
{
	struct fixture f;
	const struct perf_event_header *map;

	(void)state;
	set_up(&f, SHELL(BUSY));
	f.job.all_cpus = true;
	record(&f);
	assert_true(f.sample_type & PERF_SAMPLE_CPU);
	assert_true(f.run.samples > 0);
	/* This test's own maps, which nobody asked for, with its library's build-id. */
	map = find_map(&f, getpid(), "libc", 0, first_sample(&f));
	assert_non_null(map);
	assert_true(map->misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	if (!has_finding(&f, "kernel-map")) {
		map = find_map(&f, -1, "[kernel.kallsyms]_", 0, first_sample(&f));
		assert_non_null(map);
		assert_int_equal(map->misc & PERF_RECORD_MISC_CPUMODE_MASK,
				 PERF_RECORD_MISC_KERNEL);
	}
	tear_down(&f);
}

/* Without a program it continues until it is stopped. */
static void machines_are_sampled_until_told(void **state)
{
	struct fixture f;
	pid_t pid = begin_busy(60);
	int error;

	(void)state;
	set_up(&f, NULL);
	f.job.all_cpus = true;
	f.repeat_at = 1;
	/* What stands in it without a sample, and some of these. */
	f.stop_samples = 20;
	error = source_perf.record(&f.job, &f.run, f.diagnostics);
	end_busy(pid, SIGKILL);
	if (error == 0)
		assert_true(f.run.samples >= 20);
	else
		assert_true(has_finding(&f, "no-permission") || has_finding(&f, "no-perf"));
	tear_down(&f);
	if (error)
		skip_because("the kernel lets nobody sample other processes here");
}

/* ---- too little room ---------------------------------------------------------------------- */

static void what_is_lost_is_counted(void **state)
{
	struct fixture f;
	struct source_record_run fine;

	(void)state;
	/* 8000 processes' worth of faults would do; a file read into memory does it sooner. */
	set_up(&f, SHELL("x=$(head -c 8000000 /dev/zero | tr '\\0' a); exit 0"));
	f.events[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	f.events[0].name = "page-faults";
	f.events[0].period = 1;
	f.job.inherit = false;
	f.job.mmap_pages = 1024;
	record(&f);
	fine = f.run;
	assert_int_equal(fine.lost, 0);
	assert_true(fine.samples > 1000);
	tear_down(&f);

	set_up(&f, SHELL("x=$(head -c 8000000 /dev/zero | tr '\\0' a); exit 0"));
	f.events[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	f.events[0].name = "page-faults";
	f.events[0].period = 1;
	f.job.inherit = false;
	f.job.mmap_pages = 1;
	f.nap_ms = 20;
	record(&f);
	assert_true(f.run.lost > 0);
	assert_true(f.run.samples < fine.samples);
	/* Nothing is lost without being counted; records of maps may be among the lost. */
	assert_true(f.run.samples + f.run.lost >= fine.samples - fine.samples / 20);
	assert_true(count_type(&f, PERF_RECORD_LOST) + count_type(&f, PERF_RECORD_LOST_SAMPLES) >
		    0);
	tear_down(&f);
}

/* ---- what cannot be ----------------------------------------------------------------------- */

static void fail_with(struct fixture *f, int error, const char *id)
{
	assert_int_equal(source_perf.record(&f->job, &f->run, f->diagnostics), error);
	assert_true(has_finding(f, id));
	assert_int_equal(f->size, 0);
	tear_down(f);
}

static void what_cannot_be_sampled_is_said(void **state)
{
	struct fixture f;
	static const int none = 0x7ffffff0;
	pid_t ended = fork();

	(void)state;
	if (ended == 0)
		_exit(0);
	waitpid(ended, NULL, 0);
	set_up(&f, NULL);
	fail_with(&f, PLUMB_ERR_ARGUMENT, "targets");
	set_up(&f, NULL);
	f.job.pids = &ended;
	f.job.pid_count = 1;
	fail_with(&f, PLUMB_ERR_NOT_FOUND, "no-process");
	set_up(&f, NULL);
	f.job.cpus = &none;
	f.job.cpu_count = 1;
	fail_with(&f, PLUMB_ERR_ARGUMENT, "no-cpu");
	set_up(&f, SHELL("exit 0"));
	f.job.all_cpus = f.job.per_thread = true;
	fail_with(&f, PLUMB_ERR_ARGUMENT, "targets");
	set_up(&f, SHELL("exit 0"));
	f.job.all_cpus = true;
	f.job.pids = &ended;
	f.job.pid_count = 1;
	fail_with(&f, PLUMB_ERR_ARGUMENT, "targets");
	set_up(&f, SHELL("exit 0"));
	f.events[0].kind = PLUMB_EVENT_PMU;
	fail_with(&f, PLUMB_ERR_MACHINE, "no-pmu");
	if (access("/sys/bus/event_source/devices/arm_spe_0", F_OK) != 0) {
		set_up(&f, SHELL("exit 0"));
		f.events[0].kind = PLUMB_EVENT_SPE;
		fail_with(&f, PLUMB_ERR_MACHINE, "no-spe");
	}
}

static void a_refused_event_is_named(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, SHELL("exit 0"));
	f.events[0].config = 0x12345;
	f.events[0].name = "no-such-thing";
	assert_int_equal(source_perf.record(&f.job, &f.run, f.diagnostics), PLUMB_ERR_MACHINE);
	assert_non_null(strstr(plumb_diagnostics_get(f.diagnostics, 0)->message, "no-such-thing"));
	tear_down(&f);
	set_up(&f, SHELL("exit 0"));
	f.job.mmap_pages = 3;
	if (!cannot_sample(source_perf.record(&f.job, &f.run, f.diagnostics)))
		assert_true(has_finding(&f, "pages"));
	tear_down(&f);
	set_up(&f, SHELL("exit 0"));
	f.events[0].frequency = 2000000000;
	if (access("/proc/sys/kernel/perf_event_max_sample_rate", R_OK) == 0)
		fail_with(&f, PLUMB_ERR_ARGUMENT, "frequency");
	else
		tear_down(&f);
}

static void a_program_that_is_not_there_is_said(void **state)
{
	static char *const argv[] = {(char *)(uintptr_t) "/nowhere/program", NULL};
	struct fixture f;

	(void)state;
	set_up(&f, argv);
	if (!cannot_sample(source_perf.record(&f.job, &f.run, f.diagnostics)))
		assert_true(has_finding(&f, "no-program"));
	tear_down(&f);
}

/* ---- maps and build-ids ------------------------------------------------------------------- */

static void lines_of_maps_are_read(void **state)
{
	char file[] = "00400000-0040c000 r-xp 00001000 fd:01 41038  /bin/a b\n";
	char shared[] = "7f00-7f10 rw-s 00000000 00:05 1 /dev/zero (deleted)\n";
	char none[] = "7ffff7fc1000-7ffff7fc3000 --xp 00000000 00:00 0 \n";
	char old[] = "7ffff7fc1000-7ffff7fc3000 --xp 00000000 00:00 0\n";
	static const char *const wrong[] = {
		"",
		"00400000",
		"00400000-0040c000",
		"zz-1",
		"1000-2000 ",
		"1000-2000 r-xp 0",
		"-",
		"1000-2000 r-xp 0 fd:01",
		"3000-2000 r-xp 00000000 fd:01 41038 /bin/x",
		"1000-2000 r-xp 00000000 fd0000000:01 41038 /bin/x",
	};
	struct synthetic_map map;

	(void)state;
	assert_true(synthesis_parse_map(file, "", &map));
	assert_int_equal(map.start, 0x400000);
	assert_int_equal(map.length, 0xc000);
	assert_int_equal(map.offset, 0x1000);
	assert_int_equal(map.major, 0xfd);
	assert_int_equal(map.minor, 1);
	assert_int_equal(map.inode, 41038);
	assert_int_equal(map.protection, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_string_equal(map.path, "/bin/a b");
	assert_true(synthesis_parse_map(shared, "", &map));
	assert_int_equal(map.flags, MAP_SHARED);
	assert_string_equal(map.path, "/dev/zero (deleted)");
	assert_true(synthesis_parse_map(none, "", &map));
	assert_string_equal(map.path, "//anon");
	assert_true(synthesis_parse_map(old, "", &map));
	assert_string_equal(map.path, "//anon");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s", wrong[i]);
		assert_false(synthesis_parse_map(line, "", &map));
	}
}

/* Maps a file of that name, and looks for it in the kernel's list. */
static void check_listed(const char *path)
{
	const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	char line[PATH_MAX + 128];
	bool found = false;
	FILE *maps;
	void *at;

	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 4096), 0);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	maps = fopen("/proc/self/maps", "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct synthetic_map map;

		if (!synthesis_parse_map(line, "", &map) || map.start != (uintptr_t)at)
			continue;
		assert_string_equal(map.path, path);
		found = true;
	}
	assert_true(found);
	fclose(maps);
	munmap(at, 4096);
	close(file);
	unlink(path);
}

static void line_breaks_in_paths_are_put_back(void **state)
{
	char folder[] = "/tmp/plumb-maps-XXXXXX", path[128];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/two\nlines\n", folder);
	check_listed(path);
	snprintf(path, sizeof(path), "%s/a\\012b", folder);
	check_listed(path);
	rmdir(folder);
}

static void notes_are_searched(void **state)
{
	/* A version's note, then a build-id of three bytes. */
	static const uint32_t notes[] = {4, 4, 1, 0x00554e47, 7, 4, 3, 3, 0x00554e47, 0x00030201};
	uint32_t changed[sizeof(notes) / sizeof(*notes)];
	struct build_id id;

	(void)state;
	assert_true(build_id_in_notes((const uint8_t *)notes, sizeof(notes), &id));
	assert_int_equal(id.size, 3);
	assert_memory_equal(id.bytes, "\1\2\3", 4);
	for (size_t size = 0; size < sizeof(notes); size++)
		assert_false(build_id_in_notes((const uint8_t *)notes, size, &id));
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		memcpy(changed, notes, sizeof(notes));
		changed[i] = UINT32_MAX;
		build_id_in_notes((const uint8_t *)changed, sizeof(changed), &id);
	}
	memcpy(changed, notes, sizeof(notes));
	changed[6] = 0;
	assert_false(build_id_in_notes((const uint8_t *)changed, sizeof(changed), &id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_sampled),
		cmocka_unit_test(the_period_is_kept),
		cmocka_unit_test(children_are_sampled_if_asked_for),
		cmocka_unit_test(call_chains_are_had),
		cmocka_unit_test(stacks_are_copied),
		cmocka_unit_test(frequencies_have_periods),
		cmocka_unit_test(groups_say_of_which_event_they_are),
		cmocka_unit_test(every_event_is_had_with_period_one),
		cmocka_unit_test(a_program_that_is_killed_says_so),
		cmocka_unit_test(stopping_ends_the_program),
		cmocka_unit_test(an_error_of_the_callers_ends_all),
		cmocka_unit_test(nothing_is_sampled_before_the_delay),
		cmocka_unit_test(times_are_of_the_clock_that_was_asked_for),
		cmocka_unit_test(running_processes_are_sampled),
		cmocka_unit_test(it_ends_when_its_targets_do),
		cmocka_unit_test(a_program_sets_the_duration),
		cmocka_unit_test(a_program_ends_with_the_targets),
		cmocka_unit_test(whole_machines_are_sampled),
		cmocka_unit_test(machines_are_sampled_until_told),
		cmocka_unit_test(what_is_lost_is_counted),
		cmocka_unit_test(what_cannot_be_sampled_is_said),
		cmocka_unit_test(a_refused_event_is_named),
		cmocka_unit_test(a_program_that_is_not_there_is_said),
		cmocka_unit_test(lines_of_maps_are_read),
		cmocka_unit_test(line_breaks_in_paths_are_put_back),
		cmocka_unit_test(notes_are_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
