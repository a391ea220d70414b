/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_SPE_AUXTRACE_H
#define RECORDING_SPE_AUXTRACE_H

#include <plumb/recording.h>

#include "spe/data_source_perf.h"

/* The contents of Arm SPE's AUXTRACE_INFO, version 1 or 2 (since perf 6.13). */
struct spe_auxtrace {
	unsigned version;
	uint32_t pmu_type;
	bool per_cpu_mmaps; /* in version 1; always true in version 2 */
	size_t cpu_count;   /* number of CPUs described; 0 in version 1 */
};
/* A CPU described by AUXTRACE_INFO. Missing parameters are 0. */
struct spe_cpu {
	uint64_t cpu, midr, pmu_type, min_interval;
	uint64_t event_filter; /* a bit for each event that it can tell; since perf 6.18 */
};
/* Decodes AUXTRACE_INFO. Returns 0, UNSUPPORTED (not SPE, or an unknown version) or INVALID (too
 * short). */
int spe_auxtrace_read(const struct plumb_auxtrace_info *info, struct spe_auxtrace *spe);
/* Reads the i-th CPU described. Returns 0, NOT_FOUND past the end, or an error as above. */
int spe_auxtrace_cpu(const struct plumb_auxtrace_info *info, size_t i, struct spe_cpu *cpu);

/* What the recording says of the core of CPU `cpu`; of any, if it is negative and all are alike. */
struct spe_core spe_core(const struct plumb_recording *recording, int32_t cpu);
/*
 * The MIDR of the cores that a PMU counts, by the PMU's type, if Plumb recorded several types of
 * cores; 0: unknown.
 */
uint32_t recording_pmu_midr(const struct plumb_recording *recording, uint32_t type);
/* The MIDR that the feature CPUID says; 0: none. */
uint32_t spe_cpuid_midr(const struct plumb_recording *recording);

#endif
