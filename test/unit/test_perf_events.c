/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening events as the driver of Arm's PMUs has it: here the kernel is a stand-in that keeps the
 * rules of drivers/perf/arm_pmu.c and kernel/events/core.c about which groups fit, and what it is
 * asked for is looked at.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting.h"
#include "listed.h"
#include "small_spec.h"
#include "source/perf/events.h"
#include "source/perf/permission.h"

#define PMU_TYPE    8
#define FDS_MAX     256
#define OPENED_MAX  128
#define CODE_CYCLES PLUMB_CODE_CYCLES

/* The stand-in: what it is like, and what was asked of it. */
static struct {
	int counters;       /* the cycle counter apart */
	int pinned;         /* of them, by another process */
	bool cycles_pinned; /* by another process, too */
	bool old;           /* it does not know inherit_thread */
	bool guarded;       /* the kernel's part is not for this user */
	bool no_cycles;     /* it has no counter for cycles alone */
	bool instructions;  /* but one for instructions alone */
	bool no_long;       /* programs cannot read long events */
	uint16_t refused;   /* a code it takes nowhere; 0: none */
	uint16_t misfit;    /* a code it takes in no group of others; 0: none */
	uint64_t result[3]; /* what an event reads as: count, enabled, running */

	int leader_of[FDS_MAX]; /* of each descriptor; 0: none of its */
	bool looked_at[FDS_MAX], is_pinned[FDS_MAX], is_disabled[FDS_MAX];
	uint16_t code_of[FDS_MAX];
	struct perf_event_attr opened[OPENED_MAX]; /* those it took */
	int leaders[OPENED_MAX];                   /* and into which group */
	int count;
} kernel;

/* Whether the driver looks at an event when it asks if a group fits: validate_event(). */
static bool is_looked_at(const struct perf_event_attr *attr)
{
	return !attr->disabled || attr->enable_on_exec;
}

static bool has_own_counter(uint64_t code)
{
	return (code == CODE_CYCLES && !kernel.no_cycles) ||
	       (code == 0x0008 && kernel.instructions);
}

static bool is_member(int fd, int leader)
{
	return kernel.leader_of[fd] == leader && fcntl(fd, F_GETFD) >= 0;
}

static bool fits(const struct perf_event_attr *attr, int leader)
{
	int used = is_looked_at(attr) && !has_own_counter(attr->config);

	for (int fd = 0; fd < FDS_MAX; fd++)
		used += is_member(fd, leader) && kernel.looked_at[fd] &&
			!has_own_counter(kernel.code_of[fd]);
	return used <= kernel.counters;
}

/* Whether a group gets the counters that it needs when it is enabled; its members may be off. */
static bool is_scheduled(int leader)
{
	int used = 0;

	for (int fd = 0; fd < FDS_MAX; fd++) {
		if (!is_member(fd, leader) || (fd != leader && kernel.is_disabled[fd]))
			continue;
		used += !has_own_counter(kernel.code_of[fd]);
		if (kernel.code_of[fd] == CODE_CYCLES && kernel.cycles_pinned)
			return false;
	}
	return used <= kernel.counters - kernel.pinned;
}

/* In place of the C library's: a pinned group without counters reads as nothing. */
int ioctl(int fd, unsigned long request, ...)
{
	if (request == PERF_EVENT_IOC_ENABLE && fd > 0 && fd < FDS_MAX && kernel.is_pinned[fd] &&
	    !is_scheduled(fd))
		lseek(fd, 0, SEEK_END);
	return 0;
}

static int open_here(const struct perf_event_attr *attr, int leader)
{
	int fd;

	if (attr->type != PMU_TYPE && attr->type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (kernel.guarded && !attr->exclude_kernel)
		return -EACCES;
	if (kernel.no_long && (attr->config1 & 3) == 3)
		return -EOPNOTSUPP;
	if ((kernel.old && attr->inherit_thread) || attr->config == kernel.refused ||
	    (leader >= 0 && (attr->config == kernel.misfit || !fits(attr, leader))))
		return -EINVAL;
	fd = memfd_create("event", MFD_CLOEXEC);
	assert_in_range(fd, 1, FDS_MAX - 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(write(fd, kernel.result, sizeof(kernel.result)),
				 sizeof(kernel.result));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	kernel.leader_of[fd] = leader < 0 ? fd : leader;
	kernel.looked_at[fd] = is_looked_at(attr);
	kernel.is_pinned[fd] = attr->pinned;
	kernel.is_disabled[fd] = attr->disabled;
	kernel.code_of[fd] = (uint16_t)attr->config;
	assert_in_range(kernel.count, 0, OPENED_MAX - 1);
	kernel.opened[kernel.count] = *attr;
	kernel.leaders[kernel.count++] = leader;
	return fd;
}

/* In place of the C library's: the library's events come here. */
long syscall(long sysno, ...)
{
	const struct perf_event_attr *attr;
	va_list arguments;
	int pid, cpu, leader, fd;

	assert_int_equal(sysno, SYS_perf_event_open);
	va_start(arguments, sysno);
	attr = va_arg(arguments, const struct perf_event_attr *);
	pid = va_arg(arguments, int);
	cpu = va_arg(arguments, int);
	leader = va_arg(arguments, int);
	va_end(arguments);
	assert_true(pid >= 0);
	assert_int_equal(cpu, -1);
	fd = open_here(attr, leader);
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

/* ---- plans -------------------------------------------------------------------------------- */

static const char events[] = "L1D_CACHE_REFILL,L1D_CACHE,INST_RETIRED,CPU_CYCLES,"
			     "STALL_SLOT_BACKEND,STALL_SLOT_FRONTEND";
static const uint16_t codes[] = {0x0003, 0x0004, 0x0008, CODE_CYCLES, 0x003d, 0x003e};

#define CODE_COUNT (sizeof(codes) / sizeof(*codes))

struct fixture {
	struct plumb_event_list *list;
	struct plumb_selection *selection;
	struct plumb_plan *plan;
	struct plumb_diagnostics *diagnostics;
	struct cpu_pmu pmu;
	struct plumb_count counts[CODE_COUNT + 2];
	char *argv[2];
	struct source_job job;
	struct perf_events events;
	int error;
};

static void set_up_events(struct fixture *f, const char *text)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.counters = 6;
	memset(f, 0, sizeof(*f));
	f->list = listed(&small_spec, text);
	assert_int_equal(
		plumb_selection_new(&small_spec, &REQUEST(.events = f->list), &f->selection), 0);
	/* Any number goes together, so that all are one group. */
	assert_int_equal(plumb_plan_new(f->selection, &PLAN_OPTIONS(), &f->plan, NULL), 0);
	f->diagnostics = plumb_diagnostics_new();
	f->pmu = (struct cpu_pmu){.name = "armv8_pmuv3", .type = PMU_TYPE};
	f->argv[0] = (char *)(uintptr_t) "/bin/true";
	f->job = (struct source_job){
		.plan = f->plan, .program = f->argv[0], .argv = f->argv, .pmu = &f->pmu};
}

static void set_up(struct fixture *f)
{
	set_up_events(f, events);
	assert_int_equal(f->plan->group_count, 1);
	assert_int_equal(f->plan->place_count, CODE_COUNT);
}

static void open_all(struct fixture *f)
{
	f->error = perf_events_open(&f->events, &f->job, 0, 1, f->diagnostics);
}

static void tear_down(struct fixture *f)
{
	if (f->events.job)
		perf_events_close(&f->events);
	plumb_diagnostics_free(f->diagnostics);
	plumb_plan_free(f->plan);
	plumb_selection_free(f->selection);
	plumb_event_list_free(f->list);
}

static bool is_open(const struct fixture *f, uint16_t code)
{
	for (size_t i = 0; i < CODE_COUNT; i++)
		if (group_code(f->plan, &f->plan->groups[0], (uint16_t)i) == code)
			return f->events.fds[i] >= 0;
	fail();
	return false;
}

static const char *message(const struct fixture *f, const char *id)
{
	for (size_t i = 0; i < plumb_diagnostics_count(f->diagnostics); i++)
		if (strcmp(plumb_diagnostics_get(f->diagnostics, i)->id, id) == 0)
			return plumb_diagnostics_get(f->diagnostics, i)->message;
	return NULL;
}

/* ---- tests -------------------------------------------------------------------------------- */

static void counters_are_found_by_trying(void **state)
{
	(void)state;
	for (int counters = 1; counters < PLUMB_COUNTERS_MAX; counters += 5) {
		memset(&kernel, 0, sizeof(kernel));
		kernel.counters = counters;
		assert_int_equal(perf_counters(PMU_TYPE, NULL), counters);
		for (int i = 0; i < kernel.count; i++) {
			/* The first group is only opened; the next ones are enabled. */
			assert_true(is_looked_at(&kernel.opened[i]) || i >= counters);
			/* Neither has a programmable counter to itself on every PMU. */
			assert_int_not_equal(kernel.opened[i].config, CODE_CYCLES);
			assert_int_not_equal(kernel.opened[i].config, 0x0008);
		}
	}
	assert_int_equal(perf_counters(PMU_TYPE + 1, NULL), -ENOENT);
}

/* All four kinds of PMU: with and without a counter for cycles, and for instructions. */
static void own_counters_are_found_by_trying(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct perf_own_counters own = {kind & 1, kind & 2};

		memset(&kernel, 0, sizeof(kernel));
		kernel.counters = 2;
		kernel.no_cycles = kind & 1;
		kernel.instructions = kind & 2;
		assert_int_equal(perf_counters(PMU_TYPE, &own), 2);
		assert_int_equal(own.cycles, !(kind & 1));
		assert_int_equal(own.instructions, kind >> 1);
	}
}

static void counters_that_others_pin_are_left_out(void **state)
{
	struct perf_own_counters own;

	(void)state;
	for (int pinned = 0; pinned <= 6; pinned++) {
		memset(&kernel, 0, sizeof(kernel));
		kernel.counters = 6;
		kernel.pinned = pinned;
		assert_int_equal(perf_counters(PMU_TYPE, &own), 6 - pinned);
		assert_true(own.cycles);
	}
	memset(&kernel, 0, sizeof(kernel));
	kernel.counters = 6;
	kernel.cycles_pinned = true;
	assert_int_equal(perf_counters(PMU_TYPE, &own), 6);
	assert_false(own.cycles);
}

static void what_fits_is_one_group(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, CODE_COUNT);
	for (int i = 0; i < kernel.count; i++) {
		assert_int_equal(kernel.opened[i].config, codes[i]);
		assert_int_equal(kernel.opened[i].exclude_hv, 1);
		assert_int_equal(kernel.opened[i].exclude_kernel, 0);
		assert_int_equal(kernel.opened[i].inherit, 1);
		assert_int_equal(kernel.opened[i].inherit_thread, 1);
		/* The leader begins with the program; the others with it. */
		assert_int_equal(kernel.opened[i].enable_on_exec, i == 0);
		assert_int_equal(kernel.opened[i].disabled, i == 0);
		assert_int_equal(kernel.leaders[i], i == 0 ? -1 : f.events.fds[0]);
	}
	assert_false(f.events.limits.apart);
	assert_false(f.events.limits.with_processes);
	tear_down(&f);
}

static void what_the_pmu_lacks_is_not_opened(void **state)
{
	struct fixture f;
	char *names;

	(void)state;
	set_up(&f);
	f.pmu.lacks[0] = UINT64_C(1) << 0x3d | UINT64_C(1) << 0x03;
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, CODE_COUNT - 2);
	assert_false(is_open(&f, 0x003d));
	assert_false(is_open(&f, 0x0003));
	assert_true(is_open(&f, 0x003e));
	names = perf_names(f.plan, &f.events.limits.refused);
	assert_string_equal(names, "L1D_CACHE_REFILL, STALL_SLOT_BACKEND");
	free(names);
	tear_down(&f);
}

static void nothing_left_is_an_error(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	f.pmu.lacks[0] = ~UINT64_C(0);
	open_all(&f);
	assert_int_equal(f.error, -ENOENT);
	assert_int_equal(kernel.count, 0);
	assert_non_null(strstr(message(&f, "no-counter"), "CPU_CYCLES"));
	tear_down(&f);
}

/* The kernel returns EINVAL both for events it does not know and for events it cannot count. */
static void one_refused_event_costs_no_other(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t refused = 0; refused < CODE_COUNT; refused++) {
		set_up(&f);
		kernel.refused = codes[refused];
		open_all(&f);
		assert_int_equal(f.error, 0);
		assert_int_equal(kernel.count, CODE_COUNT - 1);
		for (size_t i = 0; i < CODE_COUNT; i++)
			assert_int_equal(is_open(&f, codes[i]), i != refused);
		assert_true(index_set_has(&f.events.limits.refused, (uint16_t)refused));
		/* It was not threads that it could not tell from processes. */
		assert_false(f.events.limits.with_processes);
		for (int i = 0; i < kernel.count; i++)
			assert_int_equal(kernel.opened[i].inherit_thread, 1);
		assert_false(f.events.limits.apart);
		tear_down(&f);
	}
}

static void what_does_not_fit_counts_by_itself(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	kernel.counters = 4; /* the group needs 5, and the cycle counter */
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, CODE_COUNT);
	assert_int_equal(kernel.leaders[CODE_COUNT - 1], -1);
	assert_int_equal(kernel.opened[CODE_COUNT - 1].enable_on_exec, 1);
	assert_true(f.events.limits.apart);
	tear_down(&f);

	set_up(&f);
	kernel.misfit = CODE_CYCLES;
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, CODE_COUNT);
	assert_true(f.events.limits.apart);
	/* What comes after it is in the group again. */
	assert_int_equal(kernel.leaders[CODE_COUNT - 1], f.events.fds[0]);
	tear_down(&f);
}

static void old_kernels_count_processes_too(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	kernel.old = true;
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, CODE_COUNT);
	assert_true(f.events.limits.with_processes);
	tear_down(&f);
}

static void users_without_permission_count_their_own_part(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	kernel.guarded = true;
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_true(f.events.limits.no_kernel);
	for (int i = 0; i < kernel.count; i++) {
		assert_int_equal(kernel.opened[i].exclude_kernel, 1);
		assert_int_equal(kernel.opened[i].exclude_hv, 1);
	}
	tear_down(&f);
}

/* A quarter of the time on a counter: the count is multiplied by four. */
static void what_took_turns_is_scaled(void **state)
{
	struct source_run run = {0};
	struct fixture f;

	(void)state;
	set_up(&f);
	kernel.result[0] = 1000;
	kernel.result[1] = 80;
	kernel.result[2] = 20;
	kernel.refused = 0x0004;
	kernel.guarded = true;
	run.counts = f.counts;
	assert_int_equal(source_perf.count(&f.job, &run, f.diagnostics), 0);
	assert_int_equal(run.exit_status, 0);
	for (size_t i = 0; i < CODE_COUNT; i++) {
		if (group_code(f.plan, &f.plan->groups[0], (uint16_t)i) == 0x0004) {
			assert_true(isnan(f.counts[i].count));
			continue;
		}
		assert_float_equal(f.counts[i].count, 4000, 1e-9);
		assert_int_equal(f.counts[i].enabled_ns, 80);
		assert_int_equal(f.counts[i].running_ns, 20);
	}
	assert_string_equal(message(&f, "unknown-events"), "this machine does not count L1D_CACHE");
	assert_non_null(strstr(message(&f, "no-kernel"), "kernel.perf_event_paranoid=1"));
	assert_non_null(strstr(message(&f, "no-kernel"), "CAP_PERFMON"));
	assert_null(message(&f, "with-processes"));
	tear_down(&f);
}

/* Modifiers become the attributes that perf makes of them. */
static void modifiers_are_asked_for(void **state)
{
	static const struct {
		const char *text;
		unsigned user, kernel, hv, host, guest, idle, pinned, exclusive, long_count;
	} cases[] = {
		{"r8", 0, 0, 1, 0, 0, 0, 0, 0, 0},     {"r8:u", 0, 1, 1, 0, 0, 0, 0, 0, 0},
		{"r8:k", 1, 0, 1, 0, 0, 0, 0, 0, 0},   {"r8:kh", 1, 0, 0, 0, 0, 0, 0, 0, 0},
		{"r8:ukh", 0, 0, 1, 0, 0, 0, 0, 0, 0}, {"r8:G", 0, 0, 1, 1, 0, 0, 0, 0, 0},
		{"r8:H", 0, 0, 1, 0, 1, 0, 0, 0, 0},   {"r8:GH", 0, 0, 1, 0, 0, 0, 0, 0, 0},
		{"r8:I", 0, 0, 1, 0, 0, 1, 0, 0, 0},   {"r8:D", 0, 0, 1, 0, 0, 0, 1, 0, 0},
		{"r8:e", 0, 0, 1, 0, 0, 0, 0, 1, 0},   {"cpu/r8,long/", 0, 0, 1, 0, 0, 0, 0, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct perf_event_attr *attr = &kernel.opened[0];
		struct fixture f;

		set_up_events(&f, cases[i].text);
		open_all(&f);
		assert_int_equal(f.error, 0);
		assert_int_equal(kernel.count, 1);
		assert_int_equal(attr->type, PMU_TYPE);
		assert_int_equal(attr->config, 0x08);
		assert_int_equal(attr->config1, cases[i].long_count);
		assert_int_equal(attr->exclude_user, cases[i].user);
		assert_int_equal(attr->exclude_kernel, cases[i].kernel);
		assert_int_equal(attr->exclude_hv, cases[i].hv);
		assert_int_equal(attr->exclude_host, cases[i].host);
		assert_int_equal(attr->exclude_guest, cases[i].guest);
		assert_int_equal(attr->exclude_idle, cases[i].idle);
		assert_int_equal(attr->pinned, cases[i].pinned);
		assert_int_equal(attr->exclusive, cases[i].exclusive);
		tear_down(&f);
	}
}

/* The kernel refuses to let programs read an event, not to count it. */
static void what_programs_cannot_read_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	for (int no_long = 0; no_long <= 1; no_long++) {
		set_up_events(&f, "cpu/r8,long/,r4,cs");
		f.job.region = f.job.user_access = true;
		kernel.no_long = no_long;
		open_all(&f);
		assert_int_equal(f.error, 0);
		assert_int_equal(kernel.count, 3);
		for (int i = 0; i < kernel.count; i++) {
			const struct perf_event_attr *attr = &kernel.opened[i];
			const bool is_long = attr->config == 8;

			if (attr->type == PERF_TYPE_SOFTWARE)
				assert_int_equal(attr->config1, 0);
			else
				assert_int_equal(attr->config1, !is_long ? 2 : no_long ? 1 : 3);
		}
		tear_down(&f);
	}
}

static void groups_may_have_software_in_them(void **state)
{
	struct fixture f;

	(void)state;
	set_up_events(&f, "r8,{task-clock,r4:u,cs}:D");
	open_all(&f);
	assert_int_equal(f.error, 0);
	assert_int_equal(kernel.count, 4);
	assert_int_equal(kernel.opened[1].type, PERF_TYPE_SOFTWARE);
	assert_int_equal(kernel.opened[1].config, PERF_COUNT_SW_TASK_CLOCK);
	assert_int_equal(kernel.opened[1].pinned, 1);
	assert_int_equal(kernel.leaders[1], -1);
	assert_int_equal(kernel.opened[2].type, PMU_TYPE);
	assert_int_equal(kernel.opened[2].exclude_kernel, 1);
	assert_int_equal(kernel.opened[2].pinned, 0);
	assert_int_equal(kernel.opened[3].type, PERF_TYPE_SOFTWARE);
	assert_int_equal(kernel.leaders[2], kernel.leaders[3]);
	assert_true(kernel.leaders[2] > 0);
	tear_down(&f);
}

/* Without its own part there is nothing left of an event in the kernel alone. */
static void the_kernel_alone_takes_permission(void **state)
{
	struct source_run run = {0};
	struct fixture f;

	(void)state;
	set_up_events(&f, "r8,r4:k");
	kernel.guarded = true;
	run.counts = f.counts;
	assert_int_equal(source_perf.count(&f.job, &run, f.diagnostics), PLUMB_ERR_PERMISSION);
	assert_non_null(strstr(message(&f, "no-permission"), "does not let this user count"));
	tear_down(&f);
}

/* perf_event_paranoid: 2 keeps the kernel's part from users, 1 whole CPUs, 3 (Debian) everything.
 */
static void the_hint_would_help(void **state)
{
	static const struct {
		struct perf_refused refused;
		const char *level, *hint;
	} cases[] = {
		{{0},
		 "3",
		 "as root: sysctl kernel.perf_event_paranoid=2, or give plumb the capability "
		 "CAP_PERFMON"},
		{{0}, "2", "run plumb as root, or give it the capability CAP_PERFMON"},
		{{0}, "not there", "run plumb as root, or give it the capability CAP_PERFMON"},
		{{.kernel = true},
		 "2",
		 "as root: sysctl kernel.perf_event_paranoid=1, or give plumb the capability "
		 "CAP_PERFMON, or use the modifier u"},
		{{.kernel = true},
		 "1",
		 "run plumb as root, or give it the capability CAP_PERFMON, or use the modifier u"},
		{{.all_cpus = true},
		 "1",
		 "as root: sysctl kernel.perf_event_paranoid=0, or give plumb the capability "
		 "CAP_PERFMON"},
		{{.running = true},
		 "2",
		 "is it another user's process? Run plumb as that user or as root, or give it the "
		 "capability CAP_PERFMON"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-permission", NULL, "refused");
		perf_permission_hint(&cases[i].refused, cases[i].level, diagnostics);
		assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->hint, cases[i].hint);
		plumb_diagnostics_free(diagnostics);
	}
}

static void software_takes_no_pmu(void **state)
{
	struct source_run run = {0};
	struct fixture f;

	(void)state;
	set_up_events(&f, "cs,task-clock:u");
	f.job.pmu = NULL;
	kernel.result[0] = 7;
	run.counts = f.counts;
	assert_int_equal(source_perf.count(&f.job, &run, f.diagnostics), 0);
	assert_int_equal(kernel.count, 2);
	assert_float_equal(f.counts[0].count, 7, 1e-9);
	tear_down(&f);
	set_up_events(&f, "cs,r8");
	f.job.pmu = NULL;
	run.counts = f.counts;
	assert_int_equal(source_perf.count(&f.job, &run, f.diagnostics), PLUMB_ERR_MACHINE);
	assert_string_equal(message(&f, "no-pmu"),
			    "r8 requires an Arm PMU, which this machine does not have");
	tear_down(&f);
}

static void what_perf_cannot_do_is_said(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{"armv8_pmuv3/r8/", 0},
		{"armv8_pmuv3_0/r8/", 0},
		{"cpu/r8/", 0},
		{"armv8_pmu/r8/", PLUMB_ERR_NOT_FOUND},
		{"armv8_pmuv3_01/r8/", PLUMB_ERR_NOT_FOUND},
		{"armv8_cortex_a57/r8/", PLUMB_ERR_NOT_FOUND},
		{"r8:I", PLUMB_ERR_UNSUPPORTED},
		{"task-clock:I", 0},
		{"ipc", 0},
	};
	const struct cpu_pmu pmu = {.name = "armv8_pmuv3_0", .type = PMU_TYPE};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_event_list *list = listed(&small_spec, cases[i].text);
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

		assert_int_equal(source_perf.check(&pmu, &small_spec, plumb_event_list_get(list, 0),
						   diagnostics),
				 cases[i].error);
		assert_int_equal(plumb_diagnostics_errors(diagnostics), cases[i].error != 0);
		plumb_diagnostics_free(diagnostics);
		plumb_event_list_free(list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_found_by_trying),
		cmocka_unit_test(own_counters_are_found_by_trying),
		cmocka_unit_test(counters_that_others_pin_are_left_out),
		cmocka_unit_test(what_fits_is_one_group),
		cmocka_unit_test(what_the_pmu_lacks_is_not_opened),
		cmocka_unit_test(nothing_left_is_an_error),
		cmocka_unit_test(one_refused_event_costs_no_other),
		cmocka_unit_test(what_does_not_fit_counts_by_itself),
		cmocka_unit_test(old_kernels_count_processes_too),
		cmocka_unit_test(users_without_permission_count_their_own_part),
		cmocka_unit_test(what_took_turns_is_scaled),
		cmocka_unit_test(modifiers_are_asked_for),
		cmocka_unit_test(what_programs_cannot_read_is_counted),
		cmocka_unit_test(groups_may_have_software_in_them),
		cmocka_unit_test(the_kernel_alone_takes_permission),
		cmocka_unit_test(the_hint_would_help),
		cmocka_unit_test(software_takes_no_pmu),
		cmocka_unit_test(what_perf_cannot_do_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
