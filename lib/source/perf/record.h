/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOURCE_PERF_RECORD_H
#define SOURCE_PERF_RECORD_H

#include "source/perf/events.h"
#include "source/source.h"

/* Subtracts an earlier reading from a later one. */
struct plumb_count perf_count_since(const struct perf_reading *from, const struct perf_reading *to);
/* Returns the enum plumb_error for a negative errno of perf_events_open(). */
int perf_status_of(int error);
/* Checks that there is a PMU if the plan needs one. Returns 0, or MACHINE with a finding. */
int perf_check_pmu(const struct source_job *job, struct plumb_diagnostics *diagnostics);

/* Functions of source_perf. */
int perf_check_event(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
		     const struct plumb_event_config *event, struct plumb_diagnostics *diagnostics);
int perf_record(const struct source_record_job *job, struct source_record_run *run,
		struct plumb_diagnostics *diagnostics);

/* Returns 0, or UNSUPPORTED with a finding if perf does not support the window. */
int perf_check_window(const struct plumb_window *window, struct plumb_diagnostics *diagnostics);
/* Warns that the window's events never began to count. `targets`: not only a program's. */
void perf_warn_never_began(const struct plumb_window *window, bool targets,
			   struct plumb_diagnostics *diagnostics);

#endif
