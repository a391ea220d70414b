/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/text_stream.h"
#include "source/perf/permission.h"
#include "source/perf/spe_pmu.h"
#include "source/perf/user_read.h"

/*
 * INST_SPEC, to try how many events fit: unlike CPU_CYCLES, and INST_RETIRED on some PMUs, it never
 * has its own counter. The kernel does not check whether the PMU has it.
 */
#define CODE_ANY          0x001b
#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */

static int open_event(struct perf_event_attr *attr, const struct perf_scope *scope, int leader)
{
	const unsigned long flags =
		PERF_FLAG_FD_CLOEXEC | (scope->cgroup ? PERF_FLAG_PID_CGROUP : 0);
	long fd = syscall(SYS_perf_event_open, attr, scope->pid, scope->cpu, leader, flags);

	return fd < 0 ? -errno : (int)fd;
}

#define PROBED_MAX (PLUMB_COUNTERS_MAX + 2)

/* A group of events that is opened to see whether it fits. */
struct probe {
	uint32_t pmu;
	bool now; /* on the counters that nobody else has; otherwise on all there are */
	int fds[PROBED_MAX], count;
};

/* Opens one more event in the group. Returns 0 or a negative errno. */
static int probe_add(struct probe *probe, uint64_t config)
{
	const struct perf_scope myself = {.pid = 0, .cpu = -1};
	struct perf_event_attr attr = {
		.type = probe->pmu,
		.size = sizeof(attr),
		.config = config,
		/*
		 * The driver checks only disabled events that an execve(2) enables
		 * (validate_event() in drivers/perf/arm_pmu.c); all others always fit.
		 */
		.disabled = !probe->now || !probe->count,
		.enable_on_exec = !probe->now,
		.pinned = probe->now && !probe->count,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = open_event(&attr, &myself, probe->count ? probe->fds[0] : -1);

	if (fd < 0)
		return fd;
	probe->fds[probe->count++] = fd;
	return 0;
}

static void probe_close(struct probe *probe)
{
	for (int i = 0; i < probe->count; i++)
		close(probe->fds[i]);
	probe->count = 0;
}

/*
 * Returns whether the counters that nobody else has pinned suffice for `count` events and, if it is
 * not 0, `more`. A pinned group that gets no counters is in error, and reads as nothing.
 */
static bool fits_now(uint32_t pmu, int count, uint64_t more)
{
	struct probe probe = {.pmu = pmu, .now = true};
	uint64_t value;
	bool fits = true;

	for (int i = 0; i < count && fits; i++)
		fits = probe_add(&probe, CODE_ANY) == 0;
	if (more && fits)
		fits = probe_add(&probe, more) == 0;
	if (probe.count && fits)
		fits = ioctl(probe.fds[0], PERF_EVENT_IOC_ENABLE, 0) == 0 &&
		       read(probe.fds[0], &value, sizeof(value)) != 0;
	probe_close(&probe);
	return fits;
}

int perf_counters(uint32_t pmu, struct perf_own_counters *own)
{
	struct probe probe = {.pmu = pmu};
	struct perf_own_counters found = {false, false};
	int error = 0, general;

	while (probe.count < PLUMB_COUNTERS_MAX && error == 0)
		error = probe_add(&probe, CODE_ANY);
	general = probe.count;
	/* If all fit, whatever is tried next fits, too, and that says nothing. */
	if (own && general && error) {
		found.cycles = probe_add(&probe, PLUMB_CODE_CYCLES) == 0;
		found.instructions = probe_add(&probe, CODE_INSTRUCTIONS) == 0;
	}
	probe_close(&probe);
	if (!general)
		return error;
	while (general && !fits_now(pmu, general, 0))
		general--;
	if (own) {
		own->cycles = found.cycles && fits_now(pmu, general, PLUMB_CODE_CYCLES);
		own->instructions = found.instructions && fits_now(pmu, general, CODE_INSTRUCTIONS);
	}
	return general;
}

int perf_try_software(void)
{
	const struct perf_scope myself = {.pid = 0, .cpu = -1};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = open_event(&attr, &myself, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

int perf_try_cgroup(int cgroup, int cpu)
{
	const struct perf_scope scope = {.pid = cgroup, .cpu = cpu, .cgroup = true};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = open_event(&attr, &scope, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

void perf_limits_add(struct perf_limits *all, const struct perf_limits *more)
{
	all->no_kernel |= more->no_kernel;
	all->with_processes |= more->with_processes;
	all->apart |= more->apart;
	all->machine |= more->machine;
	for (size_t i = 0; i < sizeof(all->refused.words) / sizeof(*all->refused.words); i++)
		all->refused.words[i] |= more->refused.words[i];
}

void perf_allow_descriptors(size_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + 64)
		return;
	limit.rlim_cur = limit.rlim_max < count + 64 ? limit.rlim_max : count + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns whether anything is left of the event without the kernel's part. */
static bool has_user_part(const struct plumb_event_config *event)
{
	return !event->exclude_user && !event->exclude_kernel && event->kind != PLUMB_EVENT_OTHER;
}

/* What all events have: when they begin to count, and in which tasks. */
static struct perf_event_attr common_attributes(const struct perf_events *events,
						const struct plumb_event_config *event, bool leader)
{
	const bool waits = !events->scope.from_exec || events->job->window.delay_ms != 0;
	/* Only tasks have descendants. */
	const bool inherits = !events->job->region && !events->job->no_inherit &&
			      perf_scope_is_task(&events->scope);

	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.config = event->config,
		.config1 = event->config1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		/* Members count while their leader does. */
		.disabled = leader,
		.enable_on_exec = leader && !waits,
		.inherit = inherits,
		.inherit_thread =
			inherits && !events->job->children && !events->limits.with_processes,
	};
}

/* Other PMUs than cores' know no modes, and reject attributes that name some. */
static struct perf_event_attr other_attributes(const struct perf_events *events,
					       const struct plumb_event_config *event, bool leader)
{
	struct perf_event_attr attr = common_attributes(events, event, leader);

	attr.type = events->scope.unit->type;
	attr.config2 = event->config2;
	return attr;
}

static struct perf_event_attr attributes(const struct perf_events *events,
					 const struct plumb_event_config *event, bool leader,
					 bool user_access)
{
	const bool modes = event->exclude_user || event->exclude_kernel || event->exclude_hv;
	struct perf_event_attr attr = common_attributes(events, event, leader);

	attr.type = event->kind == PLUMB_EVENT_PMU ? events->job->pmu->type
						   : (uint32_t)PERF_TYPE_SOFTWARE;
	attr.config1 |= user_access ? USER_READ_CONFIG1 : 0;
	attr.exclude_user = event->exclude_user;
	attr.exclude_kernel =
		event->exclude_kernel || (events->limits.no_kernel && has_user_part(event));
	attr.exclude_hv = event->exclude_hv || !modes;
	attr.exclude_host = event->guest && !event->host;
	attr.exclude_guest = event->host && !event->guest;
	attr.exclude_idle = event->exclude_idle;
	attr.pinned = event->pinned && leader;
	attr.exclusive = event->exclusive && leader;
	return attr;
}

/*
 * Opens an event, and asks for less if the kernel refuses: without its own part if that is not
 * permitted; with processes if it cannot tell them from threads (before Linux 5.13); to be read by
 * system calls if programs cannot read this event, such as a long one on a PMU with short counters.
 */
static int open_leniently(struct perf_events *events, const struct plumb_event_config *event,
			  int leader)
{
	const bool with_processes = events->limits.with_processes;
	bool user_access = events->job->user_access && event->kind == PLUMB_EVENT_PMU;
	int error;

	for (;;) {
		struct perf_event_attr attr =
			events->scope.unit ? other_attributes(events, event, leader < 0)
					   : attributes(events, event, leader < 0, user_access);

		error = open_event(&attr, &events->scope, leader);
		if (error >= 0)
			return error;
		if ((error == -EACCES || error == -EPERM) && !events->limits.no_kernel &&
		    has_user_part(event))
			events->limits.no_kernel = true;
		else if ((error == -E2BIG || error == -EINVAL) && attr.inherit_thread)
			events->limits.with_processes = true;
		else if ((error == -EOPNOTSUPP || error == -EINVAL) && user_access)
			user_access = false;
		else
			break;
	}
	/* The refusal had another reason, so this limit does not hold. */
	events->limits.with_processes = with_processes;
	return error;
}

char *perf_names(const struct plumb_plan *plan, const struct index_set *events)
{
	char *text = NULL;
	size_t size;
	FILE *stream = text_stream(&text, &size);
	const char *before = "";

	if (!stream)
		return NULL;
	for (uint16_t i = 0; i < plan->event_count; i++) {
		if (!index_set_has(events, i))
			continue;
		fprintf(stream, "%s%s", before, plan->events[i]->name);
		before = ", ";
	}
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

static int explain(const struct perf_events *events, int error,
		   const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics)
{
	const bool whole = !perf_scope_is_task(&events->scope);
	const struct perf_refused refused = {
		.kernel = !event->exclude_kernel && !has_user_part(event),
		.all_cpus = whole,
		.running = !whole && !events->scope.from_exec && !events->job->region,
	};
	char level[PERF_LEVEL_ROOM];

	perf_read_level(level);
	if (perf_is_filtered(error, level, &refused)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "filtered", NULL,
				      "the kernel refused to count: %s, although "
				      "perf_event_paranoid is %s",
				      strerror(-error), level);
		diagnostics_remedy(diagnostics, "filtered", NULL,
				   "a filter of system calls (seccomp) seems to block "
				   "perf_event_open(2), as in containers");
	} else if (error == -EACCES || error == -EPERM) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-permission", NULL,
				      "the kernel does not let this user count %s "
				      "(perf_event_paranoid is %s)",
				      whole             ? "whole CPUs"
				      : refused.running ? "this process"
							: "events",
				      level);
		perf_permission_hint(&refused, level, diagnostics);
	} else {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-counter", NULL,
				      "the kernel refused to count: %s", strerror(-error));
		if (error == -EMFILE)
			plumb_diagnostics_hint(diagnostics,
					       "raise the limit of open files: ulimit -n");
		else
			diagnostics_remedy(
				diagnostics, "fewer-events", NULL,
				"use fewer events, count them without groups, or use the "
				"model source");
	}
	return error;
}

/* Returns whether the reason lies in this event alone: others can be counted. */
static bool is_of_event(int error)
{
	return error == -ENOENT || error == -EOPNOTSUPP || error == -ENODEV || error == -EINVAL ||
	       error == -ENOSPC;
}

static bool spe_has_cpu(const struct spe_pmu *spe, const struct source_job *job, int cpu)
{
	for (size_t i = 0; i < spe->cpu_count; i++)
		if (cpu < 0 ? !job->pmu || cpu_pmu_covers(job->pmu, spe->cpus[i])
			    : spe->cpus[i] == cpu)
			return true;
	return false;
}

/*
 * Opens an SPE unit that discards its records, so that the PMU's events of it count. Returns a
 * descriptor or an error; -ENOENT if there is no unit that can.
 */
static int open_spe(const struct perf_events *events, const struct plumb_event_config *event)
{
	const struct perf_scope *scope = &events->scope;
	struct sampled_attr attr = {.attr = attributes(events, event, true, false)};
	struct spe_pmu all[SPE_PMUS_MAX];
	size_t count = scope->cgroup ? 0 : spe_find_pmus("", all, SPE_PMUS_MAX);
	int fd = -ENOENT;

	count = count > SPE_PMUS_MAX ? SPE_PMUS_MAX : count;
	for (size_t i = 0; i < count && fd == -ENOENT; i++) {
		if (!spe_has_cpu(&all[i], events->job, scope->cpu) ||
		    spe_pmu_configure(&all[i], event, &attr, NULL) < 0)
			continue;
		fd = sampled_attr_open(&attr, scope->pid, scope->cpu, -1);
		/* Before Linux 5.13. */
		if ((fd == -E2BIG || fd == -EINVAL) && attr.attr.inherit_thread) {
			attr.attr.inherit_thread = 0;
			fd = sampled_attr_open(&attr, scope->pid, scope->cpu, -1);
		}
		if ((fd == -EACCES || fd == -EPERM) && has_user_part(event)) {
			attr.attr.exclude_kernel = 1;
			fd = sampled_attr_open(&attr, scope->pid, scope->cpu, -1);
		}
	}
	for (size_t i = 0; i < count; i++)
		spe_pmu_free(&all[i]);
	return fd;
}

/* Opens an event, in the group of `leader` if it fits there. Returns a descriptor or an error. */
static int open_member(struct perf_events *events, const struct plumb_event_config *event,
		       int leader)
{
	int fd, alone;

	if (event->kind == PLUMB_EVENT_SPE)
		return open_spe(events, event);
	if (event->kind == PLUMB_EVENT_PMU &&
	    !cpu_pmu_may_count(events->job->pmu, (uint16_t)event->config))
		return -ENOENT;
	fd = open_leniently(events, event, leader);
	if (leader < 0 || (fd != -EINVAL && fd != -ENOSPC))
		return fd;
	alone = open_leniently(events, event, -1);
	events->limits.apart |= alone >= 0 && !event->weak;
	return alone;
}

/* Returns whether the event counts in this scope. */
static bool is_in_scope(const struct perf_scope *scope, const struct plumb_event_config *event)
{
	if (event->kind != PLUMB_EVENT_OTHER)
		return !scope->unit;
	return scope->unit && strcmp(scope->kind, event->pmu) == 0;
}

/* Opens a group, without the events that cannot be counted. */
static int open_group(struct perf_events *events, const struct plumb_plan_group *group,
		      struct plumb_diagnostics *diagnostics)
{
	int leader = -1;

	for (uint16_t i = 0; i < group->count; i++) {
		const struct plumb_event_config *event =
			events->job->plan->events[group->events[i]];
		int fd;

		if (!is_in_scope(&events->scope, event)) {
			if (events->job->region)
				index_set_add(&events->limits.refused, group->events[i]);
			continue;
		}
		fd = open_member(events, event, leader);
		if (is_of_event(fd)) {
			index_set_add(&events->limits.refused, group->events[i]);
			continue;
		}
		/* A thread or a CPU that has gone since it was listed; the caller knows. */
		if (fd == -ESRCH && !events->scope.from_exec)
			return fd;
		if (fd < 0)
			return explain(events, fd, event, diagnostics);
		events->fds[group->first + i] = fd;
		events->discards[group->first + i] = event->kind == PLUMB_EVENT_SPE;
		if (leader < 0)
			leader = fd;
	}
	return 0;
}

/* None of the events is counted. */
int perf_events_explain_nothing(const struct source_job *job, const struct index_set *refused,
				struct plumb_diagnostics *diagnostics)
{
	char *names = perf_names(job->plan, refused);

	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-counter", NULL,
			      "the PMU cannot count any of the requested events: %s",
			      names ? names : "all of them");
	diagnostics_remedy(diagnostics, "other-events-or-model", NULL,
			   "use other events or the model source");
	free(names);
	return -ENOENT;
}

int perf_events_open_in(struct perf_events *events, const struct source_job *job, uint16_t pass,
			const struct perf_scope *scope, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_plan *plan = job->plan;
	const struct perf_limits limits = events->limits;

	*events = (struct perf_events){.job = job, .scope = *scope, .limits = limits};
	events->limits.refused = (struct index_set){0};
	events->fds = reallocarray(NULL, plan->place_count + 1, sizeof(*events->fds));
	events->discards = calloc(plan->place_count + 1, sizeof(*events->discards));
	if (!events->fds || !events->discards)
		return -ENOMEM;
	for (size_t i = 0; i < plan->place_count; i++)
		events->fds[i] = -1;
	for (uint16_t g = 0; g < plan->group_count; g++) {
		int error = 0;

		if (!job->one_pass || plan->groups[g].pass == pass)
			error = open_group(events, &plan->groups[g], diagnostics);
		if (error)
			return error;
	}
	return 0;
}

int perf_events_open(struct perf_events *events, const struct source_job *job, uint16_t pass,
		     pid_t pid, struct plumb_diagnostics *diagnostics)
{
	const struct perf_scope scope = {.pid = pid, .cpu = -1, .from_exec = !job->region};
	size_t opened = 0;
	int error;

	*events = (struct perf_events){.job = job};
	perf_allow_descriptors(job->plan->place_count);
	error = perf_events_open_in(events, job, pass, &scope, diagnostics);
	if (error)
		return error;
	for (size_t i = 0; i < job->plan->place_count; i++)
		opened += events->fds[i] >= 0;
	return opened || job->plan->place_count == 0
		       ? 0
		       : perf_events_explain_nothing(job, &events->limits.refused, diagnostics);
}

void perf_events_close(struct perf_events *events)
{
	for (size_t i = 0; events->fds && i < events->job->plan->place_count; i++)
		if (events->fds[i] >= 0)
			close(events->fds[i]);
	free(events->fds);
	free(events->discards);
	events->fds = NULL;
	events->discards = NULL;
}

static void switch_event(const struct perf_events *events, size_t place, unsigned long what)
{
	if (events->fds[place] >= 0)
		(void)ioctl(events->fds[place], what, 0);
}

void perf_events_switch(const struct perf_events *events, bool on)
{
	const size_t count = events->job->plan->place_count;

	/* The others begin and end with their leader, so it begins last and ends first. */
	for (size_t i = 0; i < count; i++)
		if (on)
			switch_event(events, count - 1 - i, PERF_EVENT_IOC_ENABLE);
		else
			switch_event(events, i, PERF_EVENT_IOC_DISABLE);
}

bool perf_events_read(const struct perf_events *events, size_t place, struct perf_reading *reading)
{
	/* A unit counts nothing itself. */
	if (events->fds[place] < 0 || events->discards[place])
		return false;
	return read(events->fds[place], reading, sizeof(*reading)) == (ssize_t)sizeof(*reading);
}
