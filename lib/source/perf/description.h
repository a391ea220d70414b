/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the recording and the machine, for the header. */
#ifndef SOURCE_PERF_DESCRIPTION_H
#define SOURCE_PERF_DESCRIPTION_H

#include <sys/utsname.h>

#include "cpu/pmu.h"
#include "source/perf/mapping.h"

struct description {
	struct plumb_recording_setup setup;
	struct plumb_recorded_event *events;
	struct plumb_auxtrace_info auxtrace_info;
	uint64_t *auxtrace_values;
	struct plumb_time_conv time_conv;
	struct utsname system;
	char cpuid[24];
	char pmu_names[16][64];
	struct cpu_pmu core_pmus[CPU_PMUS_MAX];
	char core_cpus[CPU_PMUS_MAX][256];
};

/* Returns NULL if out of memory. The result refers to `sampling`. Free it with description_free().
 */
struct description *description_new(const struct sampling *sampling,
				    const struct perf_rings *rings);
void description_free(struct description *description);

#endif
