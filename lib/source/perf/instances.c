/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/instances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "source/perf/cgroup.h"
#include "source/perf/record.h"

/* ---- instances ---------------------------------------------------------------------------- */

static bool has_units(const struct source_job *job)
{
	return job->by != PLUMB_COUNT_BY_NOTHING || job->cgroup_count > 0;
}

/*
 * Opens the events in one more scope, of this control group if not NULL. Leaves out a thread that
 * has ended since it was listed.
 */
static int add_instance(struct perf_instances *all, const struct perf_scope *scope,
			const char *cgroup)
{
	struct perf_instance *instance;
	int error;

	if (all->count == all->room) {
		const size_t room = all->room ? 2 * all->room : 16;
		struct perf_instance *more = reallocarray(all->at, room, sizeof(*more));

		if (!more)
			return PLUMB_ERR_NO_MEMORY;
		all->at = more;
		all->room = room;
	}
	instance = &all->at[all->count];
	*instance = (struct perf_instance){.events = {.limits = all->limits}};
	error = perf_events_open_in(&instance->events, all->job, all->pass, scope,
				    all->diagnostics);
	if (error == 0)
		perf_limits_add(&all->limits, &instance->events.limits);
	/* What counts the machine belongs to no thread. */
	instance->apart = scope->unit && all->job->by == PLUMB_COUNT_BY_THREAD && scope->pid < 0;
	if (error == 0 && has_units(all->job) && !instance->apart) {
		error = perf_units_find(&all->units, all->job->by, cgroup, cgroup ? -1 : scope->pid,
					scope->cpu, &instance->unit);
		if (error == 0)
			all->units.at[instance->unit].given.cpus += !scope->unit;
		else
			error = -ENOMEM;
	}
	if (error == 0) {
		all->count++;
		return PLUMB_OK;
	}
	perf_events_close(&instance->events);
	return error == -ESRCH ? PLUMB_OK : perf_status_of(error);
}

/*
 * Opens the events in one more scope, and then those of PMUs that count any task, although they
 * belong to no core.
 */
static int add_scope(struct perf_instances *all, const struct perf_scope *scope)
{
	int error = add_instance(all, scope, NULL);

	for (size_t k = 0; k < all->kinds.count && error == PLUMB_OK; k++) {
		const struct perf_kind *kind = &all->kinds.at[k];

		for (int u = 0; u < kind->unit_count && error == PLUMB_OK; u++) {
			struct perf_scope own = *scope;

			own.unit = &kind->units[u];
			own.kind = kind->name;
			if (!own.unit->cpus)
				error = add_instance(all, &own, NULL);
		}
	}
	return error;
}

/* Returns how many instances add_scope() adds. */
static size_t instances_per_scope(const struct perf_instances *all)
{
	size_t count = 1;

	for (size_t k = 0; k < all->kinds.count; k++)
		for (int u = 0; u < all->kinds.at[k].unit_count; u++)
			count += !all->kinds.at[k].units[u].cpus;
	return count;
}

/* Opens the events for everything on a CPU, or for each control group. */
static int add_cpu(struct perf_instances *all, int cpu)
{
	int error = PLUMB_OK;

	if (!all->cgroup_count)
		return add_scope(all, &(struct perf_scope){.pid = -1, .cpu = cpu});
	for (size_t i = 0; i < all->cgroup_count && error == PLUMB_OK; i++)
		error = add_instance(
			all,
			&(struct perf_scope){.pid = all->cgroups[i], .cpu = cpu, .cgroup = true},
			all->job->cgroups[i]);
	return error;
}

/* Where several types of cores are counted, each has its own CPUs. Keeps those. */
static size_t keep_own(const struct source_job *job, int *cpus, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!job->beside_count || !job->pmu || cpu_pmu_covers(job->pmu, cpus[i]))
			cpus[kept++] = cpus[i];
	return kept;
}

static int add_all(struct perf_instances *all)
{
	const struct perf_targets *targets = &all->targets;
	int error = PLUMB_OK;

	perf_allow_descriptors(all->job->plan->place_count * instances_per_scope(all) *
				       targets->cpu_count * targets->thread_count *
				       (all->cgroup_count ? all->cgroup_count : 1) +
			       all->cgroup_count);
	for (size_t t = 0; t < targets->thread_count && error == PLUMB_OK; t++)
		for (size_t c = 0; c < targets->cpu_count && error == PLUMB_OK; c++)
			error = perf_targets_all(targets)
					? add_cpu(all, targets->cpus[c])
					: add_scope(all,
						    &(struct perf_scope){.pid = targets->threads[t],
									 .cpu = targets->cpus[c]});
	return error;
}

/* ---- PMUs that belong to no core ------------------------------------------------------------ */

static bool is_wanted(const struct source_job *job, int cpu)
{
	for (size_t i = 0; i < job->cpu_count; i++)
		if (job->cpus[i] == cpu)
			return true;
	return !job->cpu_count;
}

/* Notes that no CPU serves a unit of this kind, or none among those to count. */
static void refuse_kind(struct perf_instances *all, const struct perf_kind *kind, bool served)
{
	const struct plumb_plan *plan = all->job->plan;

	for (uint16_t i = 0; i < plan->event_count; i++)
		if (plan->events[i]->kind == PLUMB_EVENT_OTHER &&
		    strcmp(plan->events[i]->pmu, kind->name) == 0)
			index_set_add(&all->elsewhere, i);
	plumb_diagnostics_add(all->diagnostics, PLUMB_WARNING, "unit-elsewhere", NULL,
			      "%s is not counted: %s", kind->name,
			      served ? "none of the CPUs that are counted serves it"
				     : "no CPU serves it");
}

/* Opens the events of a unit that counts the whole machine, on the CPUs that serve it. */
static int add_unit(struct perf_instances *all, const struct perf_kind *kind,
		    const struct cpu_unit *unit)
{
	int error = PLUMB_OK;

	perf_allow_descriptors(all->job->plan->place_count * (all->count + unit->cpu_count));
	for (size_t c = 0; c < unit->cpu_count && error == PLUMB_OK; c++)
		if (is_wanted(all->job, unit->cpus[c]))
			error = add_instance(all,
					     &(struct perf_scope){.pid = -1,
								  .cpu = unit->cpus[c],
								  .unit = unit,
								  .kind = kind->name},
					     NULL);
	return error;
}

static int add_machine(struct perf_instances *all)
{
	int error = PLUMB_OK;

	for (size_t k = 0; k < all->kinds.count && error == PLUMB_OK; k++) {
		const struct perf_kind *kind = &all->kinds.at[k];
		const size_t before = all->count;
		size_t served = 0;
		bool anywhere = false; /* a unit is opened like events of the core */

		for (int u = 0; u < kind->unit_count && error == PLUMB_OK; u++) {
			served += kind->units[u].cpu_count;
			if (kind->units[u].cpus)
				error = add_unit(all, kind, &kind->units[u]);
			else
				anywhere = true;
		}
		if (error == PLUMB_OK && !anywhere && all->count == before)
			refuse_kind(all, kind, served > 0);
		all->limits.machine |= all->count > before && !all->job->all_cpus;
	}
	return error;
}

/*
 * In version 2's hierarchy Linux gives perf's controller only to groups that have another one, too:
 * cgroup_calc_subtree_ss_mask() in kernel/cgroup/cgroup.c.
 */
static int check_cgroup(const struct perf_instances *all, int cgroup, const char *name)
{
	if (perf_try_cgroup(cgroup, all->targets.cpu_count ? all->targets.cpus[0] : 0) != ENOENT)
		return PLUMB_OK;
	plumb_diagnostics_add(all->diagnostics, PLUMB_ERROR, "cgroup-off", NULL,
			      "control group %s: Linux cannot count it, because no controller is "
			      "enabled for it",
			      name);
	plumb_diagnostics_hint(all->diagnostics,
			       "as root, write +pids to cgroup.subtree_control of the control "
			       "group above it");
	return PLUMB_ERR_MACHINE;
}

static int open_cgroups(struct perf_instances *all)
{
	all->cgroups = calloc(all->job->cgroup_count + 1, sizeof(*all->cgroups));
	if (!all->cgroups)
		return PLUMB_ERR_NO_MEMORY;
	perf_allow_descriptors(all->job->cgroup_count);
	for (size_t i = 0; i < all->job->cgroup_count; i++) {
		const int fd = perf_cgroup_open(all->job->cgroups[i], all->diagnostics);

		if (fd < 0)
			return fd;
		all->cgroups[all->cgroup_count++] = fd;
		if (check_cgroup(all, fd, all->job->cgroups[i]) < 0)
			return PLUMB_ERR_MACHINE;
	}
	return PLUMB_OK;
}

/* Warns of events that some units of a kind count, but not this one. */
static int warn_of_unit(const struct perf_instances *all, const struct cpu_unit *unit,
			const struct index_set *counted)
{
	const struct plumb_plan *plan = all->job->plan;
	struct index_set missing = {0};
	bool any = false;
	char *names;

	for (size_t k = 0; k < all->count; k++) {
		const struct perf_events *events = &all->at[k].events;

		for (uint16_t i = 0; events->scope.unit == unit && i < plan->event_count; i++)
			if (index_set_has(counted, i) && index_set_has(&events->limits.refused, i))
				any |= index_set_add(&missing, i);
	}
	if (!any)
		return PLUMB_OK;
	names = perf_names(plan, &missing);
	if (!names)
		return PLUMB_ERR_NO_MEMORY;
	plumb_diagnostics_add(all->diagnostics, PLUMB_WARNING, "unit-missing", NULL,
			      "%s does not count %s: only the other units' counts are in the total",
			      unit->name, names);
	free(names);
	return PLUMB_OK;
}

static int warn_of_units(const struct perf_instances *all, const struct index_set *counted)
{
	int error = PLUMB_OK;

	for (size_t k = 0; k < all->kinds.count; k++)
		for (int u = 0; u < all->kinds.at[k].unit_count && error == PLUMB_OK; u++)
			error = warn_of_unit(all, &all->kinds.at[k].units[u], counted);
	return error;
}

/* None of the events is counted. */
static int explain_nothing(const struct perf_instances *all, const struct index_set *refused)
{
	struct perf_limits both = {.refused = *refused};

	perf_limits_add(&both, &(struct perf_limits){.refused = all->elsewhere});
	return perf_status_of(
		perf_events_explain_nothing(all->job, &both.refused, all->diagnostics));
}

/*
 * Keeps as refused only what is counted nowhere: other CPUs may have another PMU. Of the instances,
 * `own` count what the job names, and the others the whole machine.
 */
static int judge_refused(struct perf_instances *all, size_t own)
{
	const struct plumb_plan *plan = all->job->plan;
	struct index_set refused = {0}, counted = {0};
	size_t opened = 0;

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			const uint16_t event = plan->groups[g].events[i];
			bool open = false;

			for (size_t k = 0; k < all->count && !open; k++)
				open = all->at[k].events.fds[plan->groups[g].first + i] >= 0;
			opened += open;
			if (open)
				index_set_add(&counted, event);
			if (!open && index_set_has(&all->limits.refused, event))
				index_set_add(&refused, event);
		}
	}
	all->limits.refused = refused;
	if (all->count == 0 && all->targets.threads && all->targets.cpu_count == 0) {
		plumb_diagnostics_add(all->diagnostics, PLUMB_ERROR, "no-cpu", NULL,
				      "no CPU of %s is among those to count", all->job->pmu->name);
		return PLUMB_ERR_NOT_FOUND;
	}
	if (own == 0 && (all->count == 0 || all->targets.cpu_count)) {
		plumb_diagnostics_add(all->diagnostics, PLUMB_ERROR, "no-process", NULL,
				      "the process has ended");
		return PLUMB_ERR_NOT_FOUND;
	}
	return opened || plan->place_count == 0 ? warn_of_units(all, &counted)
						: explain_nothing(all, &refused);
}

static int open_program(struct perf_instances *all, pid_t pid)
{
	const struct perf_scope scope = {.pid = pid, .cpu = -1, .from_exec = true};

	perf_allow_descriptors(all->job->plan->place_count * instances_per_scope(all));
	return add_scope(all, &scope);
}

int perf_instances_open(struct perf_instances *all, const struct source_job *job, uint16_t pass,
			pid_t pid, struct plumb_diagnostics *diagnostics)
{
	const bool tasks = job->pid_count || job->tid_count;
	const struct perf_wanted wanted = {
		.pids = job->pids,
		.tids = job->tids,
		.cpus = job->cpus,
		.pid_count = job->pid_count,
		.tid_count = job->tid_count,
		.cpu_count = job->cpu_count,
		.all_cpus = job->all_cpus || (job->cgroup_count && !job->cpu_count),
		.any_cpu = tasks && !job->cpu_count,
		.program = job->program != NULL,
	};
	size_t own;
	int error;

	*all = (struct perf_instances){.job = job, .pass = pass, .diagnostics = diagnostics};
	all->now = calloc(job->plan->place_count + 1, sizeof(*all->now));
	if (!all->now)
		return PLUMB_ERR_NO_MEMORY;
	all->units.places = job->plan->place_count;
	error = perf_kinds_find(&all->kinds, job, diagnostics);
	if (error < 0)
		return error;
	if (!source_job_has_targets(job)) {
		error = open_program(all, pid);
	} else {
		error = perf_targets_find(&all->targets, &wanted, -1, diagnostics);
		if (error == PLUMB_OK)
			all->targets.cpu_count =
				keep_own(job, all->targets.cpus, all->targets.cpu_count);
		if (error == PLUMB_OK)
			error = open_cgroups(all);
		if (error == PLUMB_OK)
			error = add_all(all);
	}
	own = all->count;
	if (error == PLUMB_OK)
		error = add_machine(all);
	return error == PLUMB_OK ? judge_refused(all, own) : error;
}

void perf_instances_close(struct perf_instances *all)
{
	for (size_t i = 0; i < all->count; i++)
		perf_events_close(&all->at[i].events);
	for (size_t i = 0; i < all->cgroup_count; i++)
		close(all->cgroups[i]);
	perf_kinds_free(&all->kinds);
	perf_units_free(&all->units);
	free(all->at);
	free(all->cgroups);
	free(all->now);
	perf_targets_free(&all->targets);
	*all = (struct perf_instances){.job = NULL};
}

void perf_instances_switch(const struct perf_instances *all, bool on)
{
	for (size_t i = 0; i < all->count; i++)
		perf_events_switch(&all->at[i].events, on);
}

void perf_instances_switch_machine(const struct perf_instances *all, bool on)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].events.scope.unit && all->at[i].events.scope.pid < 0)
			perf_events_switch(&all->at[i].events, on);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void add_reading(struct perf_reading *sum, const struct perf_reading *reading)
{
	sum->raw += reading->raw;
	sum->enabled_ns += reading->enabled_ns;
	sum->running_ns += reading->running_ns;
}

void perf_instances_read(struct perf_instances *all)
{
	const size_t places = all->job->plan->place_count;

	memset(all->now, 0, places * sizeof(*all->now));
	for (size_t i = 0; i < all->units.count; i++)
		memset(all->units.at[i].now, 0, places * sizeof(*all->now));
	for (size_t i = 0; i < all->count; i++) {
		for (size_t place = 0; place < places; place++) {
			struct perf_reading reading;

			if (!perf_events_read(&all->at[i].events, place, &reading))
				continue;
			add_reading(&all->now[place], &reading);
			if (all->units.count && !all->at[i].apart)
				add_reading(&all->units.at[all->at[i].unit].now[place], &reading);
		}
	}
}

/* ---- CPUs that come and go ------------------------------------------------------------------ */

static bool has_cpu(const int *cpus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

size_t perf_instances_follow(struct perf_instances *all, bool on)
{
	struct perf_targets *targets = &all->targets;
	struct plumb_diagnostics *diagnostics = all->diagnostics;
	size_t changes = 0;
	int *online, count;

	if (!targets->threads || !perf_targets_all(targets) || all->job->cpu_count)
		return 0;
	count = perf_find_online(&online);
	if (count < 0)
		return 0;
	count = (int)keep_own(all->job, online, (size_t)count);
	for (int i = 0; i < count; i++) {
		const size_t before = all->count;

		if (has_cpu(targets->cpus, targets->cpu_count, online[i]))
			continue;
		changes++;
		perf_allow_descriptors(all->job->plan->place_count * (all->count + 1));
		/* The others go on without it. */
		all->diagnostics = NULL;
		(void)add_cpu(all, online[i]);
		all->diagnostics = diagnostics;
		for (size_t k = before; on && k < all->count; k++)
			perf_events_switch(&all->at[k].events, true);
	}
	for (size_t i = 0; i < targets->cpu_count; i++)
		changes += !has_cpu(online, (size_t)count, targets->cpus[i]);
	/* The kernel has taken the events of those that have gone; they keep their counts. */
	free(targets->cpus);
	targets->cpus = online;
	targets->cpu_count = (size_t)count;
	return changes;
}
