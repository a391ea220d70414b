/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"

static bool has_kind(const struct perf_kinds *kinds, const char *name)
{
	for (size_t i = 0; i < kinds->count; i++)
		if (strcmp(kinds->at[i].name, name) == 0)
			return true;
	return false;
}

static int refuse_cgroups(const char *event, struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "other-cgroup", NULL,
			      "%s counts the whole machine, not a control group", event);
	plumb_diagnostics_hint(diagnostics, "count it without control groups");
	return PLUMB_ERR_INVALID;
}

/* Refuses a kind whose units are not known. */
static int refuse_units(const char *name, int error, struct plumb_diagnostics *diagnostics)
{
	if (error != PLUMB_ERR_NO_MEMORY)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "bad-unit", NULL,
				      "%s: cannot read from sysfs which CPUs serve it", name);
	return error;
}

int perf_kinds_find(struct perf_kinds *kinds, const struct source_job *job,
		    struct plumb_diagnostics *diagnostics)
{
	const struct plumb_plan *plan = job->plan;

	*kinds = (struct perf_kinds){.at = calloc(plan->event_count + 1u, sizeof(*kinds->at))};
	if (!kinds->at)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < plan->event_count; i++) {
		struct perf_kind *kind = &kinds->at[kinds->count];
		const char *pmu = plan->events[i]->pmu;

		if (plan->events[i]->kind != PLUMB_EVENT_OTHER || !pmu || has_kind(kinds, pmu))
			continue;
		if (job->cgroup_count)
			return refuse_cgroups(plan->events[i]->name, diagnostics);
		kind->name = pmu;
		kind->unit_count = cpu_find_units("", kind->name, &kind->units);
		if (kind->unit_count < 0)
			return refuse_units(kind->name, kind->unit_count, diagnostics);
		kinds->count++;
	}
	return PLUMB_OK;
}

void perf_kinds_free(struct perf_kinds *kinds)
{
	for (size_t i = 0; i < kinds->count; i++)
		cpu_units_free(kinds->at[i].units, kinds->at[i].unit_count);
	free(kinds->at);
	*kinds = (struct perf_kinds){.at = NULL};
}
