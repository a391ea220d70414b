/* SPDX-License-Identifier: Apache-2.0 */
/* The PMUs of this machine's Arm cores, as Linux tells of them in sysfs. */
#ifndef CPU_PMU_H
#define CPU_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <plumb/spec.h>

#define CPU_PMUS_MAX 8

struct cpu_pmu {
	char name[64];   /* "armv8_pmuv3_0" */
	uint32_t type;   /* perf_event_attr.type */
	uint32_t midr;   /* of its first core; 0: not told */
	unsigned core;   /* its first core */
	bool some_cores; /* it is that of some of the machine's cores alone */
	/*
	 * Of the common events, codes 0x0000 to 0x003f and 0x4000 to 0x403f: those that it lacks
	 * for certain. Bit N of the first is code N, of the second 0x4000 + N.
	 */
	uint64_t lacks[2];
};

/*
 * Finds the PMUs of Arm cores below `root` ("" for this machine; a folder with the same tree in
 * tests), in the order of their names. Returns how many there are, at most `room` of them filled.
 */
size_t cpu_find_pmus(const char *root, struct cpu_pmu *pmus, size_t room);

/* Whether it may count this event: false only if it is known to lack it. */
bool cpu_pmu_may_count(const struct cpu_pmu *pmu, uint16_t code);

/*
 * The one of `count` PMUs, at least one, to count with: that of the CPU of `spec`, if this is not
 * NULL and has one; else the first of a CPU that has a specification; else the first.
 */
const struct cpu_pmu *cpu_choose_pmu(const struct cpu_pmu *pmus, size_t count,
				     const struct plumb_spec *spec);

#endif
