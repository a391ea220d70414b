/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/count_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "count/scaled.h"
#include "source/perf/record.h"

#define CODE_INSTRUCTIONS 0x0008 /* INST_RETIRED */

/* ---- all of a job's types ------------------------------------------------------------------- */

static int prepare(struct perf_count_type *type)
{
	const struct plumb_plan *plan = type->job.plan;
	const size_t places = plan->place_count;

	type->passes = type->job.one_pass && plan->pass_count ? plan->pass_count : 1;
	type->before = calloc(places + 1, sizeof(*type->before));
	type->sliced = calloc(places + 1, sizeof(*type->sliced));
	type->part = calloc(places + 1, sizeof(*type->part));
	if (!type->before || !type->sliced || !type->part)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < places; i++)
		type->part[i] = type->counts[i] = (struct plumb_count){NAN, 0, 0};
	return PLUMB_OK;
}

int perf_types_new(struct perf_count_types *types, const struct source_job *job,
		   struct plumb_count *counts)
{
	int error = PLUMB_OK;

	*types = (struct perf_count_types){.at = calloc(job->beside_count + 1, sizeof(*types->at))};
	if (!types->at)
		return PLUMB_ERR_NO_MEMORY;
	types->count = job->beside_count + 1;
	for (size_t i = 0; i < types->count; i++) {
		types->at[i].job = *job;
		types->at[i].counts = counts;
	}
	for (size_t i = 0; i < job->beside_count; i++) {
		struct perf_count_type *type = &types->at[i + 1];

		type->job.plan = job->beside[i].plan;
		type->job.pmu = &job->beside[i].source->pmu;
		type->job.user = job->beside[i].user;
		type->counts = job->beside[i].counts;
	}
	for (size_t i = 0; i < types->count && error == PLUMB_OK; i++)
		error = prepare(&types->at[i]);
	return error;
}

void perf_types_free(struct perf_count_types *types)
{
	for (size_t i = 0; i < types->count; i++) {
		free(types->at[i].before);
		free(types->at[i].sliced);
		free(types->at[i].part);
	}
	free(types->at);
	*types = (struct perf_count_types){.at = NULL};
}

uint16_t perf_types_passes(const struct perf_count_types *types)
{
	uint16_t most = 1;

	for (size_t i = 0; i < types->count; i++)
		most = types->at[i].passes > most ? types->at[i].passes : most;
	return most;
}

int perf_types_open(struct perf_count_types *types, uint16_t pass, pid_t pid,
		    struct plumb_diagnostics *diagnostics)
{
	for (size_t i = 0; i < types->count; i++) {
		struct perf_count_type *type = &types->at[i];
		const size_t places = type->job.plan->place_count;
		int error;

		memset(type->before, 0, places * sizeof(*type->before));
		memset(type->sliced, 0, places * sizeof(*type->sliced));
		if (pass >= type->passes)
			continue;
		/* The first type's findings tell why nothing can be counted. */
		error = perf_instances_open(&type->instances, &type->job, pass, pid,
					    i == 0 ? diagnostics : NULL);
		type->open = error == PLUMB_OK;
		if (error == PLUMB_OK)
			continue;
		perf_instances_close(&type->instances);
		if (i == 0 || error == PLUMB_ERR_NO_MEMORY)
			return error;
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "type-refused", NULL,
				      "the cores of %s are not counted: %s", type->job.pmu->name,
				      plumb_error_name(error));
	}
	return PLUMB_OK;
}

void perf_types_close(struct perf_count_types *types)
{
	for (size_t i = 0; i < types->count; i++) {
		struct perf_count_type *type = &types->at[i];

		if (!type->open)
			continue;
		perf_limits_add(&type->limits, &type->instances.limits);
		perf_instances_close(&type->instances);
		type->open = false;
	}
}

void perf_types_switch(const struct perf_count_types *types, bool on)
{
	for (size_t i = 0; i < types->count; i++)
		if (types->at[i].open)
			perf_instances_switch(&types->at[i].instances, on);
}

void perf_types_switch_machine(const struct perf_count_types *types, bool on)
{
	for (size_t i = 0; i < types->count; i++)
		if (types->at[i].open)
			perf_instances_switch_machine(&types->at[i].instances, on);
}

size_t perf_types_follow(struct perf_count_types *types, bool on)
{
	size_t changes = 0;

	for (size_t i = 0; i < types->count; i++)
		if (types->at[i].open)
			changes += perf_instances_follow(&types->at[i].instances, on);
	return changes;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Fills in `part` with what was counted between two readings; `before` becomes `now`. */
static void take_part(struct perf_count_type *type, struct perf_reading *before,
		      const struct perf_reading *now)
{
	perf_counts_since(&type->job, before, now, type->part);
	memcpy(before, now, type->job.plan->place_count * sizeof(*before));
}

static void read_units(struct perf_count_type *type)
{
	for (size_t i = 0; type->job.unit && i < type->instances.units.count; i++) {
		struct perf_unit *unit = &type->instances.units.at[i];
		struct plumb_count_unit given = unit->given;

		given.name = *unit->name ? unit->name : NULL;
		take_part(type, unit->before, unit->now);
		type->job.unit(type->job.user, i, &given, type->part);
	}
}

/* A type that is not open has counts of NaN, so that all types have as many intervals. */
void perf_types_end_interval(struct perf_count_types *types, double time)
{
	for (size_t i = types->count; i-- > 0;) {
		struct perf_count_type *type = &types->at[i];

		if (type->open) {
			perf_instances_read(&type->instances);
			read_units(type);
			take_part(type, type->before, type->instances.now);
		}
		type->job.interval(type->job.user, type->part, time);
	}
}

void perf_types_end_slice(struct perf_count_types *types)
{
	for (size_t i = types->count; i-- > 0;) {
		struct perf_count_type *type = &types->at[i];

		if (!type->open || type->job.plan->pass_count < 2)
			continue;
		perf_instances_read(&type->instances);
		take_part(type, type->sliced, type->instances.now);
		type->job.slice(type->job.user, type->part);
	}
}

void perf_types_end_pass(struct perf_count_types *types)
{
	for (size_t i = types->count; i-- > 0;) {
		struct perf_count_type *type = &types->at[i];
		const size_t places = type->job.plan->place_count;

		if (!type->open)
			continue;
		perf_instances_read(&type->instances);
		if (!type->job.interval || !type->job.interval_ms)
			read_units(type);
		memset(type->before, 0, places * sizeof(*type->before));
		perf_counts_since(&type->job, type->before, type->instances.now, type->part);
		for (size_t k = 0; k < places; k++)
			if (type->part[k].enabled_ns)
				type->counts[k] = type->part[k];
	}
}

/* Returns the instructions that a type has counted so far; NaN if it does not. */
static double instructions_of(const struct perf_count_type *type)
{
	const struct plumb_plan *plan = type->job.plan;
	const uint16_t instructions = plumb_plan_event(plan, CODE_INSTRUCTIONS);

	for (uint16_t g = 0; g < plan->group_count; g++) {
		for (uint16_t i = 0; i < plan->groups[g].count; i++) {
			const struct perf_reading *read =
				&type->instances.now[plan->groups[g].first + i];

			if (plan->groups[g].events[i] == instructions && read->running_ns)
				return count_scaled(read->raw, read->enabled_ns, read->running_ns);
		}
	}
	return NAN;
}

double perf_types_instructions(struct perf_count_types *types)
{
	double all = NAN;

	for (size_t i = 0; i < types->count; i++) {
		struct perf_count_type *type = &types->at[i];
		double its;

		if (!type->open)
			continue;
		perf_instances_read(&type->instances);
		its = instructions_of(type);
		if (!isnan(its))
			all = its + (isnan(all) ? 0 : all);
	}
	return all;
}

/* ---- time on the cores of a type ------------------------------------------------------------ */

static bool is_limited(const struct source_job *job)
{
	return job->pmu && job->pmu->some_cores && !job->all_cpus && !job->cpu_count &&
	       !job->cgroup_count;
}

/*
 * Returns how long threads ran on the PMU's cores: groups of a pass count at the same time, and
 * passes take turns.
 */
static uint64_t time_on_cores(const struct plumb_plan *plan, const struct perf_reading *from,
			      const struct perf_reading *to)
{
	uint64_t all = 0;

	for (uint16_t pass = 0; pass < plan->pass_count; pass++) {
		uint64_t longest = 0;

		for (uint16_t g = 0; g < plan->group_count; g++) {
			const struct plumb_plan_group *group = &plan->groups[g];
			uint64_t running;

			if (group->pass != pass || !group->count ||
			    plan->events[group->events[0]]->kind != PLUMB_EVENT_PMU)
				continue;
			running = to[group->first].running_ns - from[group->first].running_ns;
			longest = running > longest ? running : longest;
		}
		all += longest;
	}
	return all;
}

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

void perf_counts_since(const struct source_job *job, const struct perf_reading *from,
		       const struct perf_reading *to, struct plumb_count *counts)
{
	const struct plumb_plan *plan = job->plan;
	const uint64_t most = is_limited(job) ? time_on_cores(plan, from, to) : UINT64_MAX;

	for (size_t i = 0; i < plan->place_count; i++) {
		struct perf_reading until = to[i];
		const uint64_t enabled = to[i].enabled_ns - from[i].enabled_ns;
		const uint64_t running = to[i].running_ns - from[i].running_ns;

		if (enabled > most)
			until.enabled_ns = from[i].enabled_ns + (most > running ? most : running);
		counts[i] = perf_count_since(&from[i], &until);
	}
}
