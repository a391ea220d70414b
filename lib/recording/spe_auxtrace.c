/* SPDX-License-Identifier: Apache-2.0 */
/* What perf's Arm SPE part keeps in AUXTRACE_INFO: two numbers, or since Linux 6.13 a table. */
#include <stdlib.h>
#include <string.h>

#include "recording/access.h"
#include "recording/reader.h"
#include "recording/spe_auxtrace.h"
#include "spe/data_source_perf.h"

#define CPU_MAGIC UINT64_C(0x1010101010101010)

/* Where version 2 has what; the header's own size says where the first CPU stands. */
enum header_value {
	HEADER_VERSION,
	HEADER_SIZE,
	HEADER_PMU_TYPE,
	HEADER_CPUS,
	HEADER_LEAST,
};

/* A CPU: these, then as many parameters as it says. */
enum cpu_value {
	CPU_MAGIC_VALUE,
	CPU_NUMBER,
	CPU_PARAMETERS,
	CPU_FIRST_PARAMETER,
};

int spe_auxtrace_read(const struct plumb_auxtrace_info *info, struct spe_auxtrace *spe)
{
	const uint64_t *values = info->values;

	*spe = (struct spe_auxtrace){0};
	if (info->type != AUXTRACE_ARM_SPE)
		return PLUMB_ERR_UNSUPPORTED;
	if (info->count < 2)
		return PLUMB_ERR_INVALID;
	/* The first version did not say that it is one, and had no more than this. */
	if (info->count == 2) {
		spe->version = 1;
		spe->pmu_type = (uint32_t)values[0];
		spe->per_cpu_mmaps = values[1];
		return 0;
	}
	if (values[HEADER_VERSION] != 2)
		return PLUMB_ERR_UNSUPPORTED;
	if (info->count < HEADER_LEAST || values[HEADER_SIZE] < HEADER_LEAST ||
	    values[HEADER_SIZE] > info->count)
		return PLUMB_ERR_INVALID;
	spe->version = 2;
	spe->pmu_type = (uint32_t)values[HEADER_PMU_TYPE];
	spe->per_cpu_mmaps = true;
	spe->cpu_count = values[HEADER_CPUS];
	if (spe->cpu_count > (info->count - values[HEADER_SIZE]) / CPU_FIRST_PARAMETER)
		return PLUMB_ERR_INVALID;
	return 0;
}

/* Where the CPU after the one at `at` stands; 0: the one at `at` is not whole. */
static size_t after(const struct plumb_auxtrace_info *info, size_t at)
{
	size_t left = info->count - at;

	if (left < CPU_FIRST_PARAMETER || info->values[at + CPU_MAGIC_VALUE] != CPU_MAGIC ||
	    info->values[at + CPU_PARAMETERS] > left - CPU_FIRST_PARAMETER)
		return 0;
	return at + CPU_FIRST_PARAMETER + (size_t)info->values[at + CPU_PARAMETERS];
}

static struct spe_cpu take_cpu(const struct plumb_auxtrace_info *info, size_t at, size_t next)
{
	uint64_t parameters[4] = {0};
	size_t count = next - at - CPU_FIRST_PARAMETER;

	if (count > 4)
		count = 4;
	memcpy(parameters, info->values + at + CPU_FIRST_PARAMETER, count * sizeof(*parameters));
	return (struct spe_cpu){
		.cpu = info->values[at + CPU_NUMBER],
		.midr = parameters[0],
		.pmu_type = parameters[1],
		.min_interval = parameters[2],
		.event_filter = parameters[3],
	};
}

/*
 * Finds CPU `cpu`, or the core that all described CPUs share if it is negative. `*found` is zeros
 * if the CPU is not described. Returns false if the CPUs are not alike.
 */
static bool described(const struct plumb_auxtrace_info *info, int32_t cpu, struct spe_cpu *found)
{
	struct spe_auxtrace spe;
	size_t at, next;

	*found = (struct spe_cpu){0};
	if (!info || spe_auxtrace_read(info, &spe) || spe.version < 2)
		return true;
	at = info->values[HEADER_SIZE];
	for (size_t i = 0; i < spe.cpu_count && (next = after(info, at)); i++, at = next) {
		const struct spe_cpu this = take_cpu(info, at, next);

		if (cpu < 0 && i > 0 && this.midr != found->midr)
			return false;
		if (cpu < 0 || this.cpu == (uint64_t)cpu)
			*found = this;
	}
	return true;
}

uint32_t spe_cpuid_midr(const struct plumb_recording *recording)
{
	const char *cpuid = plumb_recording_info(recording)->cpuid;

	return cpuid && strncmp(cpuid, "0x", 2) == 0 ? (uint32_t)strtoull(cpuid, NULL, 16) : 0;
}

struct spe_core spe_core(const struct plumb_recording *recording, int32_t cpu)
{
	struct spe_cpu found;

	if (!described(recording_auxtrace_info(recording), cpu, &found))
		return (struct spe_core){0};
	return (struct spe_core){
		.midr = found.midr ? (uint32_t)found.midr : spe_cpuid_midr(recording),
		.event_filter = found.event_filter,
	};
}

uint32_t plumb_recording_midr(const struct plumb_recording *recording, int32_t cpu)
{
	const struct plumb_auxtrace_info *info = recording_auxtrace_info(recording);
	struct spe_cpu first;

	if (cpu < 0 && info && spe_auxtrace_cpu(info, 0, &first) == 0 && first.midr)
		return (uint32_t)first.midr;
	return spe_core(recording, cpu).midr;
}

uint32_t recording_pmu_midr(const struct plumb_recording *recording, uint32_t type)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);
	const char *name = NULL;

	for (size_t i = 0; i < info->pmu_count; i++)
		if (info->pmus[i].type == type)
			name = info->pmus[i].name;
	for (size_t i = 0; name && i < info->capability_count; i++) {
		const struct plumb_recorded_capability *one = &info->capabilities[i];

		if (one->pmu && strcmp(one->pmu, name) == 0 && strcmp(one->name, "midr") == 0)
			return (uint32_t)strtoull(one->value, NULL, 16);
	}
	return 0;
}

int spe_auxtrace_cpu(const struct plumb_auxtrace_info *info, size_t i, struct spe_cpu *cpu)
{
	struct spe_auxtrace spe;
	size_t at, next;
	int err = spe_auxtrace_read(info, &spe);

	*cpu = (struct spe_cpu){0};
	if (err)
		return err;
	if (i >= spe.cpu_count)
		return PLUMB_ERR_NOT_FOUND;
	at = info->values[HEADER_SIZE];
	next = after(info, at);
	for (; next && i > 0; i--) {
		at = next;
		next = after(info, at);
	}
	if (!next)
		return PLUMB_ERR_INVALID;
	*cpu = take_cpu(info, at, next);
	return 0;
}
