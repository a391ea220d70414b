/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why the kernel refused an event, and what to do: perf_event_open(2), "ERRORS". */
#include <errno.h>
#include <string.h>

#include "base/diagnostics.h"
#include "source/perf/permission.h"
#include "source/perf/sampling.h"

static int no_permission(const struct sampling *s, const struct sampled *event)
{
	const struct plumb_event_config *asked = event->event;
	const struct perf_refused refused = {
		.kernel = asked && asked->exclude_user && !asked->exclude_kernel,
		.all_cpus = perf_targets_all(&s->targets),
		.running = s->job->pid_count || s->job->tid_count,
	};
	char level[PERF_LEVEL_ROOM];

	perf_read_level(level);
	if (asked && event->spe && (asked->spe.pa_enable || asked->spe.pct_enable)) {
		plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "no-permission", NULL,
				      "%s: pa_enable and pct_enable require privilege "
				      "(perf_event_paranoid is %s)",
				      event->name, level);
		plumb_diagnostics_hint(s->diagnostics, "remove them, or give plumb the capability "
						       "CAP_PERFMON");
		return PLUMB_ERR_PERMISSION;
	}
	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "no-permission", NULL,
			      refused.all_cpus
				      ? "%s: the kernel does not let this user sample whole CPUs "
					"(perf_event_paranoid is %s)"
				      : "%s: the kernel does not let this user sample it "
					"(perf_event_paranoid is %s)",
			      event->name, level);
	perf_permission_hint(&refused, level, s->diagnostics);
	return PLUMB_ERR_PERMISSION;
}

/* errno, its meaning here, and a hint. */
static const struct refusal {
	int error;
	const char *id, *why, *remedy, *hint;
	enum plumb_error status;
} refusals[] = {
	{ENOENT, "no-event", "this machine cannot count it", "list-events", "use another event",
	 PLUMB_ERR_MACHINE},
	{ENODEV, "no-event", "this CPU cannot count it", "list-events", "use another event",
	 PLUMB_ERR_MACHINE},
	{EOPNOTSUPP, "no-sampling",
	 "the PMU cannot sample it: it has no interrupt, or lacks this filter", "count-instead",
	 "count it instead, or sample cpu-clock", PLUMB_ERR_MACHINE},
	{EBUSY, "busy", "another profiler is using the PMU", NULL, "end that one first",
	 PLUMB_ERR_BUSY},
	{ENOSPC, "no-counter", "the group does not fit the counters", NULL, "use smaller groups",
	 PLUMB_ERR_MACHINE},
	{EINVAL, "refused", "the kernel considers one of its values invalid", "check-period",
	 "check the period, the frequency and the terms between slashes", PLUMB_ERR_ARGUMENT},
	{EMFILE, "no-descriptor", "too many open files", NULL, "raise the limit: ulimit -n",
	 PLUMB_ERR_MACHINE},
	{ESRCH, "no-process", "the process has ended", NULL, NULL, PLUMB_ERR_NOT_FOUND},
	{ENOSYS, "no-perf", "this kernel does not support perf_event_open(2)", "perf-in-kernel",
	 "use a kernel with CONFIG_PERF_EVENTS, or the model source", PLUMB_ERR_MACHINE},
	{ENOMEM, "no-memory", "the kernel is out of memory", NULL, NULL, PLUMB_ERR_NO_MEMORY},
};

static int no_branches(const struct sampling *s, const struct sampled *event)
{
	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "no-branches", NULL,
			      "%s: it has no branch stacks, or not of these branches", event->name);
	diagnostics_remedy(s->diagnostics, "no-branches", NULL,
			   "branch stacks require an event of a PMU with a branch buffer (BRBE); "
			   "SPE samples branches, too");
	return PLUMB_ERR_MACHINE;
}

int sampled_complain(const struct sampling *s, const struct sampled *event, int error)
{
	if (error == -EACCES || error == -EPERM)
		return no_permission(s, event);
	if (error == -EOPNOTSUPP && event->attr.attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return no_branches(s, event);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		const struct refusal *refusal = &refusals[i];

		if (refusal->error != -error)
			continue;
		plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, refusal->id, NULL, "%s: %s",
				      event->name, refusal->why);
		if (refusal->hint)
			diagnostics_remedy(s->diagnostics, refusal->remedy, NULL, "%s",
					   refusal->hint);
		return refusal->status;
	}
	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "refused", NULL, "%s: %s", event->name,
			      strerror(-error));
	return PLUMB_ERR_UNSUPPORTED;
}
