/* SPDX-License-Identifier: Apache-2.0 */
/* What perf can count or sample, before anything is opened. */
#include <errno.h>
#include <string.h>

#include "base/diagnostics.h"
#include "source/perf/record.h"

/* perf takes "armv8_pmuv3" for "armv8_pmuv3_0", and "cpu" for the PMU that counts. */
static bool is_pmu(const struct cpu_pmu *pmu, const char *name)
{
	const size_t length = strlen(name);

	return strcmp(name, "cpu") == 0 ||
	       (strncmp(pmu->name, name, length) == 0 &&
		(!pmu->name[length] ||
		 (pmu->name[length] == '_' &&
		  strspn(pmu->name + length + 1, "0123456789") == strlen(pmu->name + length + 1))));
}

int perf_check_event(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
		     const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics)
{
	(void)spec;
	if (event->kind != PLUMB_EVENT_PMU || !pmu)
		return 0;
	if (event->pmu && !is_pmu(pmu, event->pmu)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "other-pmu", NULL,
				      "%s: this machine's PMU is %s", event->name, pmu->name);
		return PLUMB_ERR_NOT_FOUND;
	}
	/* armv8pmu_set_event_filter() in drivers/perf/arm_pmuv3.c rejects it. */
	if (event->exclude_idle) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "idle", NULL,
				      "%s: Linux cannot exclude idle time on Arm PMUs",
				      event->name);
		plumb_diagnostics_hint(diagnostics, "remove the modifier I");
		return PLUMB_ERR_UNSUPPORTED;
	}
	return 0;
}

int perf_check_pmu(const struct source_job *job, struct plumb_diagnostics *diagnostics)
{
	for (uint16_t i = 0; !job->pmu && i < job->plan->event_count; i++) {
		if (job->plan->events[i]->kind != PLUMB_EVENT_PMU)
			continue;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-pmu", NULL,
				      "%s requires an Arm PMU, which this machine does not have",
				      job->plan->events[i]->name);
		diagnostics_remedy(diagnostics, "use-model-or-software", NULL,
				   "use the model source, or software events such as task-clock");
		return PLUMB_ERR_MACHINE;
	}
	return 0;
}

int perf_check_window(const struct plumb_window *window, struct plumb_diagnostics *diagnostics)
{
	if (!window->from && !window->to && !window->max_instructions)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "window", NULL,
			      window->max_instructions
				      ? "perf cannot end a program after a number of instructions"
				      : "perf cannot begin or end at a place in the program");
	diagnostics_remedy(diagnostics, "use-model", NULL, "use the model source");
	return PLUMB_ERR_UNSUPPORTED;
}

void perf_warn_never_began(const struct plumb_window *window, bool targets,
			   struct plumb_diagnostics *diagnostics)
{
	const char *why = "the program ended within the delay";

	if (window->delay_ms < 0)
		why = "counting was never enabled";
	else if (targets)
		why = "counting ended within the delay";
	plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "window", NULL,
			      "nothing was measured: %s", why);
}

int perf_status_of(int error)
{
	switch (error) {
	case -ENOMEM:
		return PLUMB_ERR_NO_MEMORY;
	case -EACCES:
	case -EPERM:
		return PLUMB_ERR_PERMISSION;
	case -EBUSY:
		return PLUMB_ERR_BUSY;
	default:
		return PLUMB_ERR_MACHINE;
	}
}
