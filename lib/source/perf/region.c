/* SPDX-License-Identifier: Apache-2.0 */
/* Counts parts of the calling thread with its own events, which are enabled and disabled. */
#include <math.h>
#include <stdlib.h>

#include "count/scaled.h"
#include "source/perf/events.h"
#include "source/perf/record.h"
#include "source/source.h"

struct plumb_region {
	struct source_job job;
	struct perf_events events;
	struct perf_reading *before; /* of each place, when the region began */
};

static int warn(const struct plumb_region *region, struct plumb_diagnostics *diagnostics)
{
	const struct perf_limits *limits = &region->events.limits;
	char *names = perf_names(region->job.plan, &limits->refused);

	if (!names)
		return PLUMB_ERR_NO_MEMORY;
	if (*names)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-events", NULL,
				      "this machine does not count %s", names);
	free(names);
	if (limits->no_kernel)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "no-kernel", NULL,
				      "kernel code is not counted: that requires sysctl "
				      "kernel.perf_event_paranoid=1 or the capability CAP_PERFMON");
	return 0;
}

static int open_region(struct plumb_region *region, struct plumb_diagnostics *diagnostics)
{
	int error = perf_check_pmu(&region->job, diagnostics);

	region->before = calloc(region->job.plan->place_count + 1, sizeof(*region->before));
	if (error < 0 || !region->before)
		return error < 0 ? error : PLUMB_ERR_NO_MEMORY;
	error = perf_events_open(&region->events, &region->job, 0, 0, diagnostics);
	return error < 0 ? perf_status_of(error) : warn(region, diagnostics);
}

int plumb_region_open(struct plumb_source *source, const struct plumb_plan *plan,
		      struct plumb_region **region, struct plumb_diagnostics *diagnostics)
{
	struct plumb_region *made;
	int error;

	*region = NULL;
	if (source->kind != &source_perf) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-region", NULL,
				      "the %s counts programs that it runs itself, not this thread",
				      source->kind->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->job = (struct source_job){.plan = plan, .region = true, .pmu = source_pmu(source)};
	error = source_check_here(source, diagnostics);
	if (error == 0)
		error = source_check_plan(source, plan, diagnostics);
	if (error == 0)
		error = open_region(made, diagnostics);
	if (error < 0) {
		plumb_region_close(made);
		return error;
	}
	*region = made;
	return 0;
}

void plumb_region_close(struct plumb_region *region)
{
	if (!region)
		return;
	if (region->events.job)
		perf_events_close(&region->events);
	free(region->before);
	free(region);
}

void plumb_region_begin(struct plumb_region *region)
{
	const size_t count = region->job.plan->place_count;

	for (size_t i = 0; i < count; i++)
		if (!perf_events_read(&region->events, i, &region->before[i]))
			region->before[i] = (struct perf_reading){0};
	perf_events_switch(&region->events, true);
}

void plumb_region_end(struct plumb_region *region, struct plumb_count *counts)
{
	const size_t count = region->job.plan->place_count;

	perf_events_switch(&region->events, false);
	for (size_t i = 0; i < count; i++) {
		struct perf_reading reading;

		counts[i] = (struct plumb_count){NAN, 0, 0};
		if (perf_events_read(&region->events, i, &reading))
			counts[i] = perf_count_since(&region->before[i], &reading);
	}
}
