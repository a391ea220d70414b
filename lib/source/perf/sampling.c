/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/sampling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cpu/pmu.h"
#include "cpu/sysfs.h"
#include "source/perf/events.h"

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* ---- which events there are --------------------------------------------------------------- */

bool sampling_has_spe(const struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->count; i++)
		if (sampling->all[i].spe)
			return true;
	return false;
}

/* Returns the PMU of an event of a core, or NULL. */
static const struct cpu_pmu *pmu_of(const struct source_record_job *job,
				    const struct plumb_event_config *event)
{
	return event && job->pmus ? job->pmus[event - job->events] : job->pmu;
}

static int add_event(struct sampling *s, const struct plumb_event_config *event,
		     const struct spe_pmu *spe)
{
	struct sampled *sampled = &s->all[s->count];
	const size_t room = s->targets.cpu_count * s->targets.thread_count;

	*sampled = (struct sampled){
		.event = event, .spe = spe, .pmu = pmu_of(s->job, event), .leader = s->count};
	s->count++;
	sampled->name = strdup(event ? event->name : "dummy:u");
	sampled->fds = reallocarray(NULL, room, sizeof(*sampled->fds));
	sampled->ids = reallocarray(NULL, room, sizeof(*sampled->ids));
	if (!sampled->name || !sampled->fds || !sampled->ids)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < room; i++)
		sampled->fds[i] = -1;
	return PLUMB_OK;
}

static bool on_any(const struct spe_pmu *pmu, const struct perf_targets *targets)
{
	for (size_t i = 0; i < targets->cpu_count; i++)
		for (size_t j = 0; j < pmu->cpu_count; j++)
			if (targets->cpus[i] == pmu->cpus[j] || targets->cpus[i] == -1)
				return true;
	return false;
}

/* Adds an event for each SPE PMU of the machine. */
static int add_spe(struct sampling *s, const struct plumb_event_config *event)
{
	const size_t before = s->count;

	if (sampling_has_spe(s)) {
		plumb_diagnostics_add(
			s->diagnostics, PLUMB_ERROR, "spe-twice", NULL,
			"%s: only one SPE event is supported, because each core has one SPE unit",
			event->name);
		return PLUMB_ERR_ARGUMENT;
	}
	for (size_t i = 0; i < s->spe_count; i++) {
		int error;

		if (!on_any(&s->spes[i], &s->targets))
			continue;
		error = add_event(s, event, &s->spes[i]);
		if (error < 0)
			return error;
		/*
		 * A thread that may run on any CPU has one ring, and only one PMU can write to it.
		 */
		if (perf_targets_per_thread(&s->targets))
			break;
	}
	if (s->count > before)
		return PLUMB_OK;
	spe_pmu_complain(event->name, s->diagnostics);
	return PLUMB_ERR_MACHINE;
}

/* Returns whether the side-band needs its own event: no other is on all CPUs from the start. */
static bool needs_tracking_event(const struct sampling *s)
{
	const struct plumb_event_config *first = s->job->events;

	return s->targets.running || s->job->window.delay_ms || s->job->control ||
	       first->kind == PLUMB_EVENT_SPE ||
	       (first->kind == PLUMB_EVENT_PMU && s->job->pmu && s->job->pmu->some_cores);
}

/* SPE events do not count, so they cannot lead a group. */
static void join_group(const struct sampling *s, struct sampled *event)
{
	const struct plumb_event_config *leader = &s->job->events[event->event->leader];

	for (size_t i = 0; leader < event->event && i < s->count; i++) {
		if (s->all[i].event != leader || s->all[i].spe)
			continue;
		event->leader = i;
		event->role.member = true;
		event->role.read = s->all[i].role.read = event->event->sample_read;
	}
}

/* Tells whether any of the CPUs to sample is of the event's type of cores. */
static bool may_be_on_any(const struct sampling *s, const struct plumb_event_config *event)
{
	const struct cpu_pmu *pmu = pmu_of(s->job, event);

	for (size_t i = 0; i < s->targets.cpu_count; i++)
		if (!s->job->pmus || !pmu || cpu_pmu_covers(pmu, s->targets.cpus[i]))
			return true;
	return false;
}

static int list_events(struct sampling *s)
{
	const struct source_record_job *job = s->job;
	int error = PLUMB_OK;

	s->all = calloc(job->event_count + SPE_PMUS_MAX + 1, sizeof(*s->all));
	if (!s->all)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < job->event_count && error == PLUMB_OK; i++) {
		const struct plumb_event_config *event = &job->events[i];

		if (event->kind == PLUMB_EVENT_SPE) {
			error = add_spe(s, event);
			continue;
		}
		if (!may_be_on_any(s, event))
			continue;
		error = add_event(s, event, NULL);
		join_group(s, &s->all[s->count - 1]);
	}
	if (error == PLUMB_OK && needs_tracking_event(s)) {
		s->tracking = s->count;
		error = add_event(s, NULL, NULL);
	}
	if (error == PLUMB_OK)
		s->all[s->tracking].role.tracking = true;
	return error;
}

static void set_session(struct sampling *s)
{
	const struct source_record_job *job = s->job;
	const bool spe = sampling_has_spe(s), per_thread = perf_targets_per_thread(&s->targets);

	s->session = (struct sampled_session){
		.several = s->count > 1,
		.cpus = perf_targets_all(&s->targets) || job->cpu_count || (spe && !per_thread) ||
			job->sample_cpus,
		.times = true,
		.on_exec = !s->targets.running && !job->window.delay_ms,
		/* The kernel maps no ring for inherited events that may run on any CPU. */
		.inherit = job->inherit && !per_thread && !perf_targets_all(&s->targets),
		.callchains = job->callchains,
		.user_stack = job->user_stack,
		.switches = spe && !per_thread,
		.addresses = job->data_addresses,
		.physical = job->physical_addresses,
		.branches = job->branches,
		.build_ids = job->build_ids,
		.clockid = job->clockid,
	};
}

/* perf's default, or less if the kernel allows less */
static uint64_t default_frequency(void)
{
	unsigned long long most;

	return sysfs_read_number(MAX_RATE, 10, UINT32_MAX, &most) && most && most < 4000 ? most
											 : 4000;
}

/* ---- opening ------------------------------------------------------------------------------ */

static int fill(const struct sampling *s, struct sampled *event,
		const struct sampled_session *session)
{
	sampled_attr_fill(&event->attr, event->event, session, &event->role,
			  event->pmu ? event->pmu->type : 0);
	if (event->spe)
		return spe_pmu_configure(event->spe, event->event, &event->attr, s->diagnostics);
	if (event->event && event->attr.attr.sample_period == 0 &&
	    !(event->role.read && event->role.member)) {
		event->attr.attr.freq = 1;
		event->attr.attr.sample_freq = default_frequency();
		event->attr.attr.sample_type |= PERF_SAMPLE_PERIOD;
	}
	return PLUMB_OK;
}

/* Chooses what to leave out after the kernel refused. Returns false if nothing is left. */
static bool ask_for_less(struct sampled *event, struct sampled_session *session, int error)
{
	const bool permission = error == -EACCES || error == -EPERM;
	const bool unknown = error == -EINVAL || error == -E2BIG || error == -EOPNOTSUPP;

	if (permission && event->event && !event->role.no_kernel && !event->event->exclude_kernel &&
	    !event->event->exclude_user) {
		event->role.no_kernel = true;
		return true;
	}
	if (unknown && session->without != WITHOUT_ALL) {
		session->without = session->without << 1 | 1;
		return true;
	}
	return false;
}

/*
 * Opens the event. Returns a descriptor or a negative errno. Features that proved unknown stay left
 * out.
 */
static int open_one(struct sampling *s, struct sampled *event, size_t cpu, size_t thread)
{
	const struct sampled *leader = &s->all[event->leader];
	const int group = leader == event ? -1 : sampled_fd(s, leader, cpu, thread);
	struct sampled_session session = s->session;
	int fd, error = 0;

	if (leader != event && group < 0)
		return -ESRCH;
	for (;;) {
		fd = sampled_attr_open(&event->attr, s->targets.threads[thread],
				       s->targets.cpus[cpu], group);
		if (fd >= 0)
			break;
		error = error ? error : fd;
		if (!ask_for_less(event, &session, fd))
			return error;
		if (fill(s, event, &session) < 0)
			return -EINVAL;
	}
	s->session.without = session.without;
	return fd;
}

static bool has_cpu(const struct sampling *s, const struct sampled *event, int cpu)
{
	if (cpu == -1)
		return true;
	/* Where several types are sampled, each has its own CPUs. */
	if (!event->spe)
		return !s->job->pmus || !event->event || !event->pmu ||
		       cpu_pmu_covers(event->pmu, cpu);
	for (size_t i = 0; i < event->spe->cpu_count; i++)
		if (event->spe->cpus[i] == cpu)
			return true;
	return false;
}

static bool is_online(int cpu)
{
	char list[4096];
	int *cpus, count;
	bool found = false;

	count = sysfs_read_line(list, sizeof(list), "/sys/devices/system/cpu/online")
			? sysfs_parse_cpus(list, &cpus)
			: -1;
	for (int i = 0; i < count && !found; i++)
		found = cpus[i] == cpu;
	if (count >= 0)
		free(cpus);
	return found || count < 0;
}

/* Returns whether to go on as if this CPU or thread had not been there. */
static bool is_of_place(const struct sampled *event, int cpu, int error)
{
	/* The thread has ended. */
	if (error == -ESRCH)
		return true;
	/* The CPU went offline, or does not belong to this PMU. */
	if (error == -ENODEV || error == -ENXIO)
		return cpu >= 0 && !is_online(cpu);
	return error == -ENOENT && event->event && event->event->kind == PLUMB_EVENT_PMU &&
	       event->pmu && event->pmu->some_cores;
}

static int open_everywhere(struct sampling *s, struct sampled *event)
{
	const struct perf_targets *targets = &s->targets;
	int fine = fill(s, event, &s->session), error = -ESRCH;

	if (fine < 0)
		return fine;
	for (size_t cpu = 0; cpu < targets->cpu_count; cpu++) {
		if (!has_cpu(s, event, targets->cpus[cpu]))
			continue;
		for (size_t thread = 0; thread < targets->thread_count; thread++) {
			int fd = open_one(s, event, cpu, thread);

			if (fd < 0) {
				error = fd;
				if (!is_of_place(event, targets->cpus[cpu], fd))
					return sampled_complain(s, event, fd);
				s->cpus_lost += fd == -ENODEV || fd == -ENXIO;
				continue;
			}
			event->fds[cpu * targets->thread_count + thread] = fd;
			if (ioctl(fd, PERF_EVENT_IOC_ID, &event->ids[event->id_count]) == 0)
				event->id_count++;
		}
	}
	return event->id_count ? PLUMB_OK : sampled_complain(s, event, error);
}

/* Renames the event, so that nobody takes it for what was requested. */
static int rename_restricted(struct sampled *event)
{
	const char *end = strrchr(event->name, '/');
	char *name;

	if (asprintf(&name, "%s%s", event->name,
		     end && end[1] == '\0'      ? "u"
		     : strchr(event->name, ':') ? ""
						: ":u") < 0)
		return PLUMB_ERR_NO_MEMORY;
	free(event->name);
	event->name = name;
	return PLUMB_OK;
}

static int say_restricted(const struct sampling *s)
{
	bool any = false;
	int error = PLUMB_OK;

	for (size_t i = 0; i < s->count && error == PLUMB_OK; i++) {
		if (!s->all[i].role.no_kernel)
			continue;
		any = true;
		error = rename_restricted(&s->all[i]);
	}
	if (!any)
		return error;
	plumb_diagnostics_add(s->diagnostics, PLUMB_WARNING, "no-kernel", NULL,
			      "the kernel itself is not sampled: this user lacks the permission");
	plumb_diagnostics_hint(s->diagnostics,
			       "as root: sysctl kernel.perf_event_paranoid=1, or give "
			       "plumb the capability CAP_PERFMON");
	return error;
}

/* Warns if the kernel cannot read groups in threads that start while it records. */
static void say_not_inherited(const struct sampling *s)
{
	bool read = false;

	for (size_t i = 0; i < s->count; i++)
		read |= s->all[i].role.read;
	if (!read || !s->session.inherit || !(s->session.without & WITHOUT_INHERITED_READ))
		return;
	plumb_diagnostics_add(s->diagnostics, PLUMB_WARNING, "not-inherited", NULL,
			      "new threads and processes are not sampled: this kernel cannot read "
			      "groups in them");
	diagnostics_remedy(s->diagnostics, "sample-cpus", NULL, "sample CPUs instead");
}

bool sampling_strobes_later_threads(const struct sampling *s)
{
	for (size_t i = 0; i < s->job->event_count; i++)
		if (s->job->events[i].strobe && s->session.inherit &&
		    !(s->session.without & WITHOUT_INHERITED_READ))
			return false;
	return true;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int check_events(const struct sampling *s)
{
	unsigned long long most;
	char rate[16];
	bool known = sysfs_read_number(MAX_RATE, 10, UINT32_MAX, &most);

	for (size_t i = 0; i < s->job->event_count; i++) {
		const struct plumb_event_config *event = &s->job->events[i];

		if (event->kind == PLUMB_EVENT_PMU && !s->job->pmu) {
			plumb_diagnostics_add(
				s->diagnostics, PLUMB_ERROR, "no-pmu", NULL,
				"%s requires an Arm PMU, which this machine does not have",
				event->name);
			diagnostics_remedy(s->diagnostics, "use-model", NULL,
					   "use the model source");
			return PLUMB_ERR_MACHINE;
		}
		if (event->strobe && !event->exclude_kernel) {
			plumb_diagnostics_add(
				s->diagnostics, PLUMB_ERROR, "strobe-kernel", NULL,
				"%s: strobed samples require the modifier u, because an interrupt "
				"takes longer than the time between them",
				event->name);
			return PLUMB_ERR_ARGUMENT;
		}
		if (event->strobe && (s->job->pid_count || s->job->tid_count)) {
			plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "strobe-target", NULL,
					      "%s: strobed samples require a program or CPUs",
					      event->name);
			return PLUMB_ERR_ARGUMENT;
		}
		if (known && event->frequency > most) {
			plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "frequency", NULL,
					      "%s: %u Hz exceeds the kernel's limit of %llu",
					      event->name, event->frequency, most);
			snprintf(rate, sizeof(rate), "%u", event->frequency);
			diagnostics_remedy(s->diagnostics, "lower-frequency", rate,
					   "use a lower frequency, or as root: sysctl "
					   "kernel.perf_event_max_sample_rate=%s",
					   rate);
			return PLUMB_ERR_ARGUMENT;
		}
	}
	return s->job->event_count ? PLUMB_OK : PLUMB_ERR_ARGUMENT;
}

int sampling_open(struct sampling *s, const struct source_record_job *job, pid_t program,
		  struct plumb_diagnostics *diagnostics)
{
	const struct perf_wanted wanted = {
		.pids = job->pids,
		.tids = job->tids,
		.cpus = job->cpus,
		.pid_count = job->pid_count,
		.tid_count = job->tid_count,
		.cpu_count = job->cpu_count,
		.all_cpus = job->all_cpus,
		.any_cpu = job->per_thread,
		.program = job->program != NULL,
	};
	int error;

	*s = (struct sampling){.job = job, .diagnostics = diagnostics};
	error = check_events(s);
	if (error == PLUMB_OK)
		error = perf_targets_find(&s->targets, &wanted, program, diagnostics);
	if (error < 0)
		return error;
	s->spe_count = spe_find_pmus("", s->spes, SPE_PMUS_MAX);
	if (s->spe_count > SPE_PMUS_MAX)
		s->spe_count = SPE_PMUS_MAX;
	error = list_events(s);
	if (error < 0)
		return error;
	set_session(s);
	perf_allow_descriptors(s->count * s->targets.cpu_count * s->targets.thread_count);
	for (size_t i = 0; i < s->count && error == PLUMB_OK; i++)
		error = open_everywhere(s, &s->all[i]);
	if (error == PLUMB_OK)
		say_not_inherited(s);
	return error == PLUMB_OK ? say_restricted(s) : error;
}

void sampling_close(struct sampling *s)
{
	const size_t room = s->targets.cpu_count * s->targets.thread_count;

	for (size_t i = 0; i < s->count; i++) {
		for (size_t j = 0; s->all[i].fds && j < room; j++)
			if (s->all[i].fds[j] >= 0)
				close(s->all[i].fds[j]);
		free(s->all[i].fds);
		free(s->all[i].ids);
		free(s->all[i].name);
	}
	free(s->all);
	for (size_t i = 0; i < s->spe_count; i++)
		spe_pmu_free(&s->spes[i]);
	perf_targets_free(&s->targets);
	*s = (struct sampling){0};
}

enum which { ALL, SPE_ALONE, ALL_BUT_SIDE_BAND };

static void switch_events(const struct sampling *s, bool on, enum which which)
{
	const unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	const size_t room = s->targets.cpu_count * s->targets.thread_count;

	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].role.member || (which == SPE_ALONE && !s->all[i].spe) ||
		    (which == ALL_BUT_SIDE_BAND && !s->all[i].event))
			continue;
		for (size_t j = 0; j < room; j++)
			if (s->all[i].fds[j] >= 0)
				(void)ioctl(s->all[i].fds[j], what, 0);
	}
}

void sampling_switch(const struct sampling *s, bool on)
{
	switch_events(s, on, ALL);
}

void sampling_hold(const struct sampling *s, bool on)
{
	switch_events(s, on, ALL_BUT_SIDE_BAND);
}

void sampling_switch_spe(const struct sampling *s, bool on)
{
	switch_events(s, on, SPE_ALONE);
}

/*
 * What an event's descriptor tells: its value, its id, and how many samples it lost, if the kernel
 * knows that. `i` is the index of the descriptor. Returns how many of these there are.
 */
static size_t read_descriptor(const struct sampling *s, const struct sampled *event, size_t i,
			      uint64_t values[3])
{
	/*
	 * The format of a group: their number, then value, id and lost of each, the leader's first.
	 */
	uint64_t all[1 + 3 * PLUMB_EVENTS_MAX];
	const size_t first = event->role.read;
	const size_t count = event->attr.attr.read_format & (1u << 4) ? 3 : 2;

	if (i >= s->targets.cpu_count * s->targets.thread_count || event->fds[i] < 0 ||
	    (event->role.read && event->role.member))
		return 0;
	if (read(event->fds[i], all, sizeof(all)) < (ssize_t)((first + count) * sizeof(*all)))
		return 0;
	memcpy(values, all + first, count * sizeof(*all));
	return count;
}

uint64_t sampled_lost(const struct sampling *s, const struct sampled *event, size_t i, uint64_t *id)
{
	uint64_t values[3];

	if (read_descriptor(s, event, i, values) < 3)
		return 0;
	*id = values[1];
	return values[2];
}

double sampled_count(const struct sampling *s, size_t i)
{
	const size_t room = s->targets.cpu_count * s->targets.thread_count;
	double count = NAN;

	for (size_t e = 0; e < s->count; e++) {
		const struct sampled *event = &s->all[e];
		uint64_t values[3];

		if (event->event != &s->job->events[i] || event->spe)
			continue;
		for (size_t j = 0; j < room; j++)
			if (read_descriptor(s, event, j, values))
				count = (double)values[0] + (isnan(count) ? 0 : count);
	}
	return count;
}
