/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts are those of tools/perf/util/arm-spe.h in Linux 6.12 and 6.18. */
#include "source/perf/spe_metadata.h"

#include <limits.h>
#include <plumb/spe.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/sysfs.h"

#define CPUS "/sys/devices/system/cpu"
/* From this, readers know whether other cores had data that is not marked as snooped. */
#define TELLS_SNOOPS PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_DATA_SNOOPED)

/* perf keeps only these bits of MIDR, without variant and revision. */
#define MIDR_MODEL 0xff0ffff0

enum { FIRST_PMU_TYPE, FIRST_PER_CPU, FIRST_VALUES };
enum { VERSION, HEADER_SIZE, PMU_TYPE, CPU_COUNT, HEADER_VALUES };

#define CPU_MAGIC UINT64_C(0x1010101010101010)
enum {
	MAGIC,
	NUMBER,
	PARAMETERS, /* how many follow */
	MIDR,
	CPU_PMU_TYPE,
	MIN_INTERVAL,
	EVENT_FILTER,
	CPU_VALUES
};

/* Of a record, whose size has 16 bits. */
#define CPUS_MAX ((UINT16_MAX / sizeof(uint64_t) - HEADER_VALUES - 4) / CPU_VALUES)

static uint64_t midr_of(const char *root, int cpu)
{
	char path[PATH_MAX];
	unsigned long long midr;

	snprintf(path, sizeof(path), "%s" CPUS "/cpu%d/regs/identification/midr_el1", root, cpu);
	return sysfs_read_number(path, 16, UINT32_MAX, &midr) ? midr & MIDR_MODEL : 0;
}

static const struct spe_pmu *find_pmu(const struct spe_pmu *pmus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < pmus[i].cpu_count; k++)
			if (pmus[i].cpus[k] == cpu)
				return &pmus[i];
	return NULL;
}

/* Returns whether the first version would lose something: it has room for one core and its type. */
static bool describe_cpus(const char *root, const struct spe_pmu *pmus, size_t pmu_count,
			  const int *cpus, size_t count, uint64_t *values)
{
	const uint64_t *first = NULL;
	bool loses = false;

	for (size_t i = 0; i < count; i++) {
		const struct spe_pmu *pmu = find_pmu(pmus, pmu_count, cpus[i]);
		uint64_t *cpu = values + i * CPU_VALUES;

		cpu[MAGIC] = CPU_MAGIC;
		cpu[NUMBER] = (uint64_t)cpus[i];
		cpu[PARAMETERS] = CPU_VALUES - MIDR;
		cpu[MIDR] = midr_of(root, cpus[i]);
		cpu[CPU_PMU_TYPE] = pmu ? pmu->type : UINT64_MAX;
		cpu[MIN_INTERVAL] = pmu ? pmu->min_interval : 0;
		cpu[EVENT_FILTER] = pmu ? pmu->event_filter : 0;
		if (pmu && !first)
			first = cpu;
		if (pmu)
			loses |= cpu[MIDR] != first[MIDR] ||
				 cpu[CPU_PMU_TYPE] != first[CPU_PMU_TYPE] ||
				 (cpu[EVENT_FILTER] & TELLS_SNOOPS);
	}
	return loses;
}

uint64_t *spe_metadata_new(const char *root, const struct spe_pmu *pmus, size_t pmu_count,
			   uint32_t type, bool per_cpu, size_t *count)
{
	char path[PATH_MAX], list[4096];
	int *cpus = NULL, found = 0;
	uint64_t *values;
	bool loses;

	snprintf(path, sizeof(path), "%s" CPUS "/online", root);
	if (sysfs_read_line(list, sizeof(list), path))
		found = sysfs_parse_cpus(list, &cpus);
	if (found < 0 || (size_t)found > CPUS_MAX)
		found = 0;
	values = calloc(HEADER_VALUES + (size_t)found * CPU_VALUES, sizeof(*values));
	if (!values) {
		free(cpus);
		return NULL;
	}
	loses = describe_cpus(root, pmus, pmu_count, cpus, (size_t)found, values + HEADER_VALUES);
	free(cpus);
	if (found > 0 && loses) {
		values[VERSION] = 2;
		values[HEADER_SIZE] = HEADER_VALUES;
		values[PMU_TYPE] = type;
		values[CPU_COUNT] = (uint64_t)found;
		*count = HEADER_VALUES + (size_t)found * CPU_VALUES;
		return values;
	}
	values[FIRST_PMU_TYPE] = type;
	values[FIRST_PER_CPU] = per_cpu;
	*count = FIRST_VALUES;
	return values;
}
