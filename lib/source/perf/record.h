/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOURCE_PERF_RECORD_H
#define SOURCE_PERF_RECORD_H

#include "source/source.h"

/* source_perf's. */
int perf_record(const struct source_record_job *job, struct source_record_run *run,
		struct plumb_diagnostics *found);

#endif
