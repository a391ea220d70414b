/* SPDX-License-Identifier: Apache-2.0 */
/* The PMUs of Linux's arm_spe driver, as described in sysfs. */
#ifndef SOURCE_PERF_SPE_PMU_H
#define SOURCE_PERF_SPE_PMU_H

#include "source/perf/sampled_attr.h"
#include "source/source.h"

#define SPE_PMUS_MAX    8
#define SPE_FORMATS_MAX 32

/* The bits of the event's attribute that hold a parameter. */
struct spe_format {
	char name[32];
	uint8_t word;  /* of config, config1, ... config4 */
	uint64_t mask; /* its bits; the lowest holds the value's lowest */
};

struct spe_pmu {
	char name[64]; /* "arm_spe_0" */
	uint32_t type;
	unsigned min_interval; /* recommended by the core; 0: unknown */
	uint64_t event_filter; /* bits of the events that can be filtered; 0: the kernel is older */
	uint32_t midr;         /* of its first CPU; 0: unknown */
	int *cpus;             /* the CPUs of this PMU */
	size_t cpu_count;
	struct spe_format formats[SPE_FORMATS_MAX];
	size_t format_count;
};

/*
 * Finds the PMUs below `root` ("" for this machine), in the order of their names. Fills in at most
 * `room` of them, and returns how many there are. Free each with spe_pmu_free().
 */
size_t spe_find_pmus(const char *root, struct spe_pmu *pmus, size_t room);
void spe_pmu_free(struct spe_pmu *pmu);

/* Parses a parameter's bits: "config:0", "config1:0-63", "config:0-3,8". */
bool spe_parse_format(const char *text, struct spe_format *format);

/*
 * Sets type, config words and period for `event` on this PMU. Returns 0, or PLUMB_ERR_UNSUPPORTED
 * or PLUMB_ERR_ARGUMENT with a finding that names the parameter.
 */
int spe_pmu_configure(const struct spe_pmu *pmu, const struct plumb_event_config *event,
		      struct sampled_attr *attr, struct plumb_diagnostics *diagnostics);

/* Adds the finding that there is no SPE unit, with possible reasons. */
void spe_pmu_complain(const char *event, struct plumb_diagnostics *diagnostics);

#endif
