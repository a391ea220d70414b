/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of what was not counted as asked. */
#include <stdlib.h>

#include "base/diagnostics.h"
#include "count/plan.h"
#include "source/perf/count_type.h"

#define NAMED_MAX 6 /* events in one warning */

/* Returns the PMU's name, if the machine has others whose cores are counted. */
static const char *name_of(const struct perf_count_type *type)
{
	return type->job.beside_count && type->job.pmu ? type->job.pmu->name : NULL;
}

static void warn_of_refused(const struct perf_count_type *type,
			    struct plumb_diagnostics *diagnostics)
{
	const char *pmu = name_of(type);
	char *names = perf_names(type->job.plan, &type->limits.refused);

	if (!names || *names)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-events", NULL,
				      "%s does not count %s", pmu ? pmu : "this machine",
				      names ? names : "any of these events");
	free(names);
}

/* Names the events that waited for a counter to the end. */
static void warn_of_starved(const struct perf_count_type *type,
			    struct plumb_diagnostics *diagnostics)
{
	const struct plumb_plan *plan = type->job.plan;
	struct index_set starved = {0}, counted = {0};
	size_t count = 0;
	char *names;

	for (int pass = 0; pass < 2; pass++)
		for (uint16_t g = 0; g < plan->group_count; g++)
			for (uint16_t i = 0; i < plan->groups[g].count; i++) {
				const uint16_t event = plan->groups[g].events[i];
				const struct plumb_count *got =
					&type->counts[plan->groups[g].first + i];

				if (pass == 0 && got->running_ns)
					index_set_add(&counted, event);
				else if (pass == 1 && got->enabled_ns && !got->running_ns &&
					 !index_set_has(&counted, event) &&
					 !index_set_has(&starved, event)) {
					index_set_add(&starved, event);
					count++;
				}
			}
	names = count && count <= NAMED_MAX ? perf_names(plan, &starved) : NULL;
	if (count)
		plumb_diagnostics_add(
			diagnostics, PLUMB_WARNING, "starved", NULL,
			"%s never got a counter: others have them, or the run was too "
			"short",
			names ? names : "some events");
	free(names);
}

/* Says which metrics have more events than any group: a ratio of two times is no exact ratio. */
static void warn_of_split(const struct perf_count_type *type, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_selection *selection = type->job.plan->selection;
	const char *first = NULL;
	unsigned more = 0;

	for (size_t i = 0; i < selection->metric_count; i++) {
		if (plan_home(type->job.plan, i) != PLUMB_NONE ||
		    !plumb_plan_computes(type->job.plan, i, NULL))
			continue;
		more += first != NULL;
		if (!first)
			first = selection->spec->metrics[selection->metrics[i].metric].name;
	}
	if (first && more)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "split-metrics", NULL,
				      "the events of %s and %u more metrics do not share a group: "
				      "they are counted at different times, so these values are "
				      "less certain",
				      first, more);
	else if (first)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "split-metrics", NULL,
				      "the events of %s do not share a group: they are counted at "
				      "different times, so its value is less certain",
				      first);
}

/* Tells whether something runs on cores that are not counted. */
static bool misses_cores(const struct source_job *job)
{
	bool all = job->cpu_count > 0;

	if (!job->pmu || !job->pmu->some_cores || job->beside_count)
		return false;
	for (size_t i = 0; i < job->cpu_count; i++)
		all = all && cpu_pmu_covers(job->pmu, job->cpus[i]);
	return !all;
}

static void warn(const struct perf_count_type *type, struct plumb_diagnostics *diagnostics)
{
	warn_of_split(type, diagnostics);
	if (type->limits.no_kernel)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "no-kernel", NULL,
				      "kernel code is not counted: that requires sysctl "
				      "kernel.perf_event_paranoid=1 or the capability CAP_PERFMON");
	if (type->limits.with_processes && !type->job.children && !type->job.no_inherit)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "with-processes", NULL,
				      "forked processes are counted too: this kernel cannot tell "
				      "them from threads");
	if (type->limits.apart)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "counted-apart", NULL,
				      "some events are not counted at the same time as their "
				      "group: it does not fit this machine's counters");
	if (type->limits.machine)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "whole-machine", NULL,
				      "events of PMUs outside the cores count the whole machine, "
				      "whatever else is measured");
	if (misses_cores(&type->job))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "some-cores", NULL,
				      "only what runs on the cores of %s is counted",
				      type->job.pmu->name);
	warn_of_refused(type, diagnostics);
	warn_of_starved(type, diagnostics);
}

void perf_types_warn(const struct perf_count_types *types, struct plumb_diagnostics *diagnostics)
{
	for (size_t i = 0; i < types->count; i++)
		warn(&types->at[i], diagnostics);
}
