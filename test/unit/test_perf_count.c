/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting by perf_event_open(2), with the kernel's software events in place of a PMU's: they are
 * on every machine, and what is done with them is the same. Skipped where there is no such call.
 */
#include "check.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "counting.h"
#include "listed.h"
#include "small_spec.h"
#include "source/perf/cgroup.h"
#include "source/perf/control.h"
#include "source/perf/events.h"
#include "source/source.h"

/* As codes of a PMU that is the kernel's software: task-clock and page-faults. */
static const char codes[] = "r1,r2";

static const struct cpu_pmu software = {.name = "software", .type = PERF_TYPE_SOFTWARE};
static const struct cpu_pmu nobody = {.name = "nobody", .type = 0x7ffffff0};

/* In place of the C library's: old kernels have none. */
static bool no_pidfd;

int pidfd_open(pid_t pid, unsigned flags)
{
	if (!no_pidfd)
		return (int)syscall(SYS_pidfd_open, pid, flags);
	errno = ENOSYS;
	return -1;
}

struct fixture {
	struct plumb_event_list *list;
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_count counts[8], interval[8];
	struct plumb_diagnostics *diagnostics;
	struct source_job job;
	struct source_run run;
	unsigned starts, intervals, told;
	double interval_faults;
	long nap_ms; /* in the first interval's end */
};

static void on_started(void *user, pid_t pid)
{
	struct fixture *f = user;

	assert_true(pid > 0);
	f->starts++;
}

static size_t place_of(const struct fixture *f, uint16_t code)
{
	for (uint16_t g = 0; g < f->plan->group_count; g++)
		for (uint16_t i = 0; i < f->plan->groups[g].count; i++)
			if (group_code(f->plan, &f->plan->groups[g], i) == code)
				return f->plan->groups[g].first + i;
	fail();
	return 0;
}

static void on_interval(void *user, const struct plumb_count *counts, double seconds)
{
	struct fixture *f = user;

	assert_true(seconds > 0);
	if (f->intervals++ == 0 && f->nap_ms)
		nanosleep(&(struct timespec){0, 1000000 * f->nap_ms}, NULL);
	if (!isnan(counts[place_of(f, PERF_COUNT_SW_PAGE_FAULTS)].count))
		f->interval_faults += counts[place_of(f, PERF_COUNT_SW_PAGE_FAULTS)].count;
}

static void on_progress(void *user, const struct plumb_progress *progress)
{
	struct fixture *f = user;

	assert_true(isnan(progress->instructions)); /* not among these events */
	assert_true(progress->seconds > 0);
	f->told++;
}

static void set_up_events(struct fixture *f, const char *all, unsigned counters, char *const *argv)
{
	memset(f, 0, sizeof(*f));
	f->list = listed(&small_spec, all);
	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.events = f->list), &f->selection), 0);
	assert_int_equal(
		plumb_plan_new(f->selection, &PLAN_OPTIONS(.counters = counters), &f->plan, NULL),
		0);
	assert_int_equal(f->plan->place_count, 2);
	f->diagnostics = plumb_diagnostics_new();
	f->run.counts = f->counts;
	f->job = (struct source_job){.plan = f->plan,
				     .program = argv[0],
				     .argv = argv,
				     .pmu = &software,
				     .started = on_started,
				     .user = f};
}

static void set_up(struct fixture *f, unsigned counters, char *const *argv)
{
	set_up_events(f, codes, counters, argv);
}

static void tear_down(struct fixture *f)
{
	plumb_diagnostics_free(f->diagnostics);
	plumb_plan_free(f->plan);
	plumb_selection_free(f->selection);
	plumb_event_list_free(f->list);
}

static bool cannot_count(int error)
{
	return error == PLUMB_ERR_MACHINE || error == PLUMB_ERR_PERMISSION;
}

/* Counts, or skips the test where perf is not to be had. */
static void count(struct fixture *f)
{
	int error = source_perf.count(&f->job, &f->run, f->diagnostics);

	if (cannot_count(error)) {
		tear_down(f);
		skip_because("the kernel lets nobody count here");
	}
	assert_int_equal(error, 0);
}

static double counted(const struct fixture *f, uint16_t code)
{
	return f->counts[place_of(f, code)].count;
}

#define SHELL(script)                                                        \
	((char *[]){(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", \
		    (char *)(uintptr_t)(script), NULL})

static void a_program_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("exit 7"));
	assert_int_equal(f.plan->group_count, 1);
	count(&f);
	assert_int_equal(f.run.exit_status, 7);
	assert_int_equal(f.run.signal, 0);
	assert_int_equal(f.starts, 1);
	/* A shell cannot begin without touching pages, nor in no time. */
	assert_true(counted(&f, PERF_COUNT_SW_PAGE_FAULTS) > 10);
	assert_true(counted(&f, PERF_COUNT_SW_TASK_CLOCK) > 1000);
	assert_true(f.counts[0].enabled_ns > 0);
	assert_int_equal(f.counts[0].enabled_ns, f.counts[0].running_ns);
	assert_true(f.run.seconds > 0);
	tear_down(&f);
}

/* With one counter there are two passes: each a run, and together they have it all. */
static void a_run_for_each_pass(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 1, SHELL("exit 0"));
	assert_int_equal(f.plan->pass_count, 2);
	f.job.one_pass = true;
	count(&f);
	assert_int_equal(f.starts, 2);
	assert_true(counted(&f, PERF_COUNT_SW_PAGE_FAULTS) > 10);
	assert_true(counted(&f, PERF_COUNT_SW_TASK_CLOCK) > 1000);
	tear_down(&f);
}

/* Two processes that the shell forks touch pages of their own. */
static void processes_are_counted_if_asked(void **state)
{
	double with, without;
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("/bin/true; /bin/true; exit 0"));
	count(&f);
	without = counted(&f, PERF_COUNT_SW_PAGE_FAULTS);
	for (size_t i = 0; i < plumb_diagnostics_count(f.diagnostics); i++) {
		if (strcmp(plumb_diagnostics_get(f.diagnostics, i)->id, "with-processes") == 0) {
			tear_down(&f); /* an old kernel */
			skip_because("the kernel cannot count processes that fork");
		}
	}
	f.job.children = true;
	count(&f);
	with = counted(&f, PERF_COUNT_SW_PAGE_FAULTS);
	assert_true(with > without + 50);
	tear_down(&f);
}

static void what_was_counted_survives_the_program(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("kill -KILL $$"));
	count(&f);
	assert_int_equal(f.run.signal, SIGKILL);
	assert_int_equal(f.run.exit_status, 128 + SIGKILL);
	assert_true(counted(&f, PERF_COUNT_SW_PAGE_FAULTS) > 10);
	tear_down(&f);
}

static void intervals_add_up(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("sleep 0.3"));
	f.job.interval_ms = 50;
	f.job.interval = on_interval;
	f.job.progress = on_progress;
	f.job.children = true;
	count(&f);
	/* Of 0.3 seconds at least the second half has been seen, on the busiest machine. */
	assert_in_range(f.intervals, 3, 60);
	assert_float_equal(f.interval_faults, counted(&f, PERF_COUNT_SW_PAGE_FAULTS), 1e-6);
	tear_down(&f);
}

static void intervals_need_no_descriptor(void **state)
{
	no_pidfd = true;
	intervals_add_up(state);
	no_pidfd = false;
}

static void on_slice(void *user, const struct plumb_count *counts)
{
	struct fixture *f = user;

	f->intervals++;
	if (!isnan(counts[place_of(f, PERF_COUNT_SW_PAGE_FAULTS)].count))
		f->interval_faults += counts[place_of(f, PERF_COUNT_SW_PAGE_FAULTS)].count;
}

/* Slices of a run in which groups take turns add up to it; without turns there are none. */
static void slices_add_up(void **state)
{
	(void)state;
	for (unsigned counters = 1; counters <= 2; counters++) {
		struct fixture f;

		set_up(&f, counters, SHELL("for i in 1 2 3 4; do sleep 0.1; done"));
		f.job.slice = on_slice;
		assert_int_equal(f.plan->pass_count, counters == 1 ? 2 : 1);
		f.job.children = true;
		count(&f);
		if (counters == 1) {
			assert_in_range(f.intervals, 3, 60);
			assert_float_equal(f.interval_faults,
					   counted(&f, PERF_COUNT_SW_PAGE_FAULTS), 1e-6);
		} else {
			assert_int_equal(f.intervals, 0);
		}
		tear_down(&f);
	}
}

/* Who comes late to an interval's end does not make up for it by several at once. */
static void missed_intervals_are_one(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("sleep 0.4"));
	f.job.interval_ms = 20;
	f.job.interval = on_interval;
	f.job.children = true;
	f.nap_ms = 190;
	count(&f);
	assert_in_range(f.intervals, 2, (int)(f.run.seconds / 0.020) + 1 - 8);
	assert_float_equal(f.interval_faults, counted(&f, PERF_COUNT_SW_PAGE_FAULTS), 1e-6);
	tear_down(&f);
}

/* The count that `perf stat` gives for an event in the same program; NaN if it gives none. */
static double counted_by_perf(const char *event, const char *script)
{
	char command[512], line[256];
	double value = NAN;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "LC_ALL=C perf stat -x, -e %s -- /bin/sh -c '%s' 2>&1 >/dev/null", event, script);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		char *end;
		double number = strtod(line, &end);

		if (end != line && *end == ',' && strstr(line, event))
			value = number;
	}
	if (pipe)
		pclose(pipe);
	return value;
}

/* Tells whether both count about the same in one run each; -1: perf cannot count. */
static int counts_agree(const char *script)
{
	double faults = counted_by_perf("page-faults", script);
	double clock_ms = counted_by_perf("task-clock", script);
	double fault_ratio, clock_ratio;
	struct fixture f;

	if (isnan(faults) || isnan(clock_ms))
		return -1;
	set_up(&f, 2, SHELL(script));
	f.job.children = true; /* as perf does */
	count(&f);
	/* perf says milliseconds, the event is nanoseconds. */
	fault_ratio = counted(&f, PERF_COUNT_SW_PAGE_FAULTS) / faults;
	clock_ratio = counted(&f, PERF_COUNT_SW_TASK_CLOCK) / 1e6 / clock_ms;
	tear_down(&f);
	return fabs(fault_ratio - 1) < 0.1 && clock_ratio > 0.3 && clock_ratio < 3;
}

/*
 * The machine is not quiet: a run has more faults when pages of the shell have to be read again. So
 * they have to agree once in a few tries.
 */
static void perf_counts_the_same(void **state)
{
	static const char script[] = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
	int agree = 0;

	(void)state;
	for (int i = 0; i < 5 && agree == 0; i++)
		agree = counts_agree(script);
	if (agree < 0)
		skip_because("perf cannot count here");
	assert_int_equal(agree, 1);
}

/* The software PMU does not know the code 0xff00: the other of the group counts all the same. */
static void a_refused_event_is_named(void **state)
{
	bool named = false;
	struct fixture f;

	(void)state;
	set_up_events(&f, "r2,rff00", 2, SHELL("exit 0"));
	count(&f);
	assert_true(counted(&f, PERF_COUNT_SW_PAGE_FAULTS) > 10);
	assert_true(isnan(counted(&f, 0xff00)));
	for (size_t i = 0; i < plumb_diagnostics_count(f.diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(f.diagnostics, i);

		named = named ||
			(strcmp(d->id, "unknown-events") == 0 && strstr(d->message, "rff00"));
	}
	assert_true(named);
	tear_down(&f);
}

/* Returns the message of the warning about split metrics after a run with so many counters. */
static char *split_with(unsigned counters)
{
	/* Its events are codes 3 and 4: of the software PMU, context switches and migrations. */
	const uint16_t metric = plumb_spec_metric(&small_spec, "l1d_miss_ratio");
	char *message = NULL;
	struct fixture f;

	assert_int_not_equal(metric, PLUMB_NONE);
	set_up(&f, 2, SHELL("exit 0"));
	plumb_plan_free(f.plan);
	plumb_selection_free(f.selection);
	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.metrics = {&metric, 1}), &f.selection),
		0);
	assert_int_equal(
		plumb_plan_new(f.selection, &PLAN_OPTIONS(.counters = counters), &f.plan, NULL), 0);
	f.job.plan = f.plan;
	count(&f);
	for (size_t i = 0; i < plumb_diagnostics_count(f.diagnostics); i++)
		if (strcmp(plumb_diagnostics_get(f.diagnostics, i)->id, "split-metrics") == 0)
			message = strdup(plumb_diagnostics_get(f.diagnostics, i)->message);
	tear_down(&f);
	return message;
}

static void a_metric_that_fits_no_group_is_named(void **state)
{
	char *message = split_with(1);

	(void)state;
	assert_non_null(message);
	assert_non_null(strstr(message, "l1d_miss_ratio"));
	free(message);
	assert_null(split_with(2));
}

static void what_cannot_be_run_is_said(void **state)
{
	struct fixture f;
	int error;

	(void)state;
	set_up(&f, 2, ((char *[]){(char *)(uintptr_t) "/nonexistent/program", NULL}));
	error = source_perf.count(&f.job, &f.run, f.diagnostics);
	if (cannot_count(error)) {
		tear_down(&f);
		skip_because("the kernel lets nobody count here");
	}
	assert_int_equal(error, PLUMB_ERR_NO_PROGRAM);
	assert_int_equal(plumb_diagnostics_errors(f.diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(f.diagnostics, 0)->id, "no-program");
	assert_string_equal(plumb_diagnostics_get(f.diagnostics, 0)->file, "/nonexistent/program");
	tear_down(&f);
}

/* A PMU that is not there: nothing can be opened, and that is an error, not counts of 0. */
static void no_pmu_is_an_error(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 2, SHELL("exit 0"));
	f.job.pmu = &nobody;
	assert_int_equal(source_perf.count(&f.job, &f.run, f.diagnostics), PLUMB_ERR_MACHINE);
	assert_int_equal(plumb_diagnostics_errors(f.diagnostics), 1);
	assert_int_equal(f.starts, 0);
	assert_true(perf_counters(0x7ffffff0, NULL) < 0);
	tear_down(&f);
}

/* As in /proc/self/mounts of Debian 12, of a machine with both versions, and of older ones. */
static void hierarchies_of_control_groups(void **state)
{
	static const struct {
		const char *mounts, *path;
	} cases[] = {
		{"proc /proc proc rw,nosuid 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 "
		 "0\n",
		 "/sys/fs/cgroup"},
		{"cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
		 "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n"
		 "cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n",
		 "/sys/fs/cgroup/perf_event"},
		{"cgroup /perf_event cgroup rw,perf_events 0 0\nnone /a\\040b cgroup2 rw 0 0",
		 "/a\\040b"},
		{"tmpfs /cgroup2 tmpfs rw 0 0\n\nshort", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *path = NULL;
		const size_t length = perf_cgroup_mount(cases[i].mounts, &path);

		assert_int_equal(length, strlen(cases[i].path));
		assert_memory_equal(length ? path : "", cases[i].path, length);
	}
}

static void on_command(void *user, enum perf_command command)
{
	unsigned *times = user;

	times[command]++;
}

/* Commands that arrive in parts, together, too long, unknown, and one that nothing ends. */
static void commands_are_read_by_line(void **state)
{
	static const char first[] = "enable\ndis", second[] = "able\nnonsense\nping",
			  third[] = "\n";
	unsigned times[PERF_UNKNOWN + 1] = {0};
	struct perf_control control = {.fd = -1};
	char long_line[200], answers[64];
	int commands[2], acks[2];

	(void)state;
	assert_int_equal(pipe(commands), 0);
	assert_int_equal(pipe(acks), 0);
	control.fd = commands[0];
	control.ack = acks[1];
	memset(long_line, 'x', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\n';
	assert_int_equal(write(commands[1], first, strlen(first)), strlen(first));
	perf_control_read(&control, on_command, times);
	assert_int_equal(times[PERF_DISABLE], 0);
	assert_int_equal(write(commands[1], second, strlen(second)), strlen(second));
	perf_control_read(&control, on_command, times);
	assert_int_equal(times[PERF_PING], 0);
	assert_int_equal(write(commands[1], third, strlen(third)), strlen(third));
	perf_control_read(&control, on_command, times);
	assert_int_equal(write(commands[1], long_line, sizeof(long_line)), sizeof(long_line));
	perf_control_read(&control, on_command, times);
	assert_int_equal(write(commands[1], "stop", 5), 5); /* with its end */
	close(commands[1]);
	perf_control_read(&control, on_command, times);
	assert_int_equal(control.fd, commands[0]);
	perf_control_read(&control, on_command, times);
	assert_int_equal(control.fd, -1);
	assert_int_equal(times[PERF_ENABLE], 1);
	assert_int_equal(times[PERF_DISABLE], 1);
	assert_int_equal(times[PERF_PING], 1);
	assert_int_equal(times[PERF_STOP], 1);
	assert_int_equal(times[PERF_UNKNOWN], 0);
	close(acks[1]);
	assert_int_equal(read(acks[0], answers, sizeof(answers)), 16);
	assert_memory_equal(answers, "ack\nack\nack\nack\n", 16);
	close(acks[0]);
	close(commands[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_counted),
		cmocka_unit_test(a_run_for_each_pass),
		cmocka_unit_test(processes_are_counted_if_asked),
		cmocka_unit_test(what_was_counted_survives_the_program),
		cmocka_unit_test(intervals_add_up),
		cmocka_unit_test(intervals_need_no_descriptor),
		cmocka_unit_test(slices_add_up),
		cmocka_unit_test(missed_intervals_are_one),
		cmocka_unit_test(perf_counts_the_same),
		cmocka_unit_test(a_refused_event_is_named),
		cmocka_unit_test(a_metric_that_fits_no_group_is_named),
		cmocka_unit_test(what_cannot_be_run_is_said),
		cmocka_unit_test(no_pmu_is_an_error),
		cmocka_unit_test(hierarchies_of_control_groups),
		cmocka_unit_test(commands_are_read_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
