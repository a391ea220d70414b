/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOURCE_PERF_RECORD_H
#define SOURCE_PERF_RECORD_H

#include "source/perf/events.h"
#include "source/source.h"

/* What was counted from one reading to a later one. */
struct plumb_count perf_count_since(const struct perf_reading *from, const struct perf_reading *to);
/* The enum plumb_error for the negative of an errno that perf_events_open() returned. */
int perf_status_of(int error);
/* Whether there is a PMU for a plan that needs one. Returns 0, or MACHINE with a finding. */
int perf_check_pmu(const struct source_job *job, struct plumb_diagnostics *found);

/* source_perf's. */
int perf_record(const struct source_record_job *job, struct source_record_run *run,
		struct plumb_diagnostics *found);

/* Returns 0, or UNSUPPORTED with a finding for a window that perf cannot have. */
int perf_check_window(const struct plumb_window *window, struct plumb_diagnostics *found);

#endif
