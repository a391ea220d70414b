/* SPDX-License-Identifier: Apache-2.0 */
/* The PMUs of this machine's Arm cores, as described in sysfs. */
#ifndef CPU_PMU_H
#define CPU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <plumb/spec.h>

#define CPU_PMUS_MAX 8
#define CPU_PMU_CPUS 1024 /* whose PMU is known */

struct cpu_pmu {
	char name[64];                    /* "armv8_pmuv3_0" */
	uint32_t type;                    /* perf_event_attr.type */
	uint32_t midr;                    /* of its first core, or 0 if unknown */
	unsigned core;                    /* number of its first core */
	bool some_cores;                  /* covers only some of the machine's cores */
	uint64_t cpus[CPU_PMU_CPUS / 64]; /* bit N: covers CPU N; all 0: unknown */
	/*
	 * The common events, codes 0x0000 to 0x003f and 0x4000 to 0x403f, that it certainly lacks.
	 * Bit N of the first word is code N; bit N of the second is code 0x4000 + N.
	 */
	uint64_t lacks[2];
};

/*
 * Finds the PMUs of Arm cores below `root` ("" for this machine; tests use a folder with the same
 * tree), sorted by name. Fills in at most `room` of them and returns how many there are.
 */
size_t cpu_find_pmus(const char *root, struct cpu_pmu *pmus, size_t room);

/* Whether the PMU covers a CPU; true if that is unknown. */
bool cpu_pmu_covers(const struct cpu_pmu *pmu, int cpu);

/* Whether the calling thread may only run on cores that the PMU covers; false if in doubt. */
bool cpu_pmu_covers_thread(const struct cpu_pmu *pmu);

/* Whether the PMU may have this event; false only if it certainly lacks it. */
bool cpu_pmu_may_count(const struct cpu_pmu *pmu, uint16_t code);

/*
 * Chooses one of `count` PMUs, of which there must be at least one: the PMU of the CPU that `spec`
 * describes, if any; else the first whose CPU has a specification; else the first.
 */
const struct cpu_pmu *cpu_choose_pmu(const struct cpu_pmu *pmus, size_t count,
				     const struct plumb_spec *spec);

#endif
