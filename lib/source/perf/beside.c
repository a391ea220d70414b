/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/beside.h"

#include <math.h>
#include <stdlib.h>

#include "base/diagnostics.h"
#include "source/perf/record.h"

int perf_besides_open(struct perf_besides *all, const struct source_job *job, pid_t pid,
		      struct plumb_diagnostics *diagnostics)
{
	*all = (struct perf_besides){.at = calloc(job->beside_count + 1, sizeof(*all->at))};
	if (!all->at)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < job->beside_count; i++) {
		const struct plumb_count_beside *given = &job->beside[i];
		struct perf_beside *beside = &all->at[all->count++];
		int error;

		beside->job = *job;
		beside->job.plan = given->plan;
		beside->job.pmu = &given->source->pmu;
		beside->job.beside_count = 0;
		beside->counts = given->counts;
		for (size_t k = 0; k < given->plan->place_count; k++)
			given->counts[k] = (struct plumb_count){NAN, 0, 0};
		/* The first type's findings tell why nothing can be counted. */
		error = perf_instances_open(&beside->instances, &beside->job, 0, pid, NULL);
		if (error == PLUMB_ERR_NO_MEMORY)
			return error;
		if (error == PLUMB_OK)
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "type-refused", NULL,
				      "the cores of %s are not counted: %s", beside->job.pmu->name,
				      plumb_error_name(error));
		perf_instances_close(&beside->instances);
		all->count--;
	}
	return PLUMB_OK;
}

void perf_besides_switch(const struct perf_besides *all, bool on)
{
	for (size_t i = 0; i < all->count; i++)
		perf_instances_switch(&all->at[i].instances, on);
}

void perf_besides_follow(struct perf_besides *all, bool on)
{
	for (size_t i = 0; i < all->count; i++)
		perf_instances_follow(&all->at[i].instances, on);
}

void perf_besides_read(struct perf_besides *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct perf_beside *beside = &all->at[i];
		const size_t places = beside->job.plan->place_count;
		struct perf_reading *zero = calloc(places + 1, sizeof(*zero));

		perf_instances_read(&beside->instances);
		if (zero)
			perf_counts_since(&beside->job, zero, beside->instances.now,
					  beside->counts);
		free(zero);
	}
}

void perf_besides_close(struct perf_besides *all)
{
	for (size_t i = 0; i < all->count; i++)
		perf_instances_close(&all->at[i].instances);
	free(all->at);
	*all = (struct perf_besides){.at = NULL};
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
