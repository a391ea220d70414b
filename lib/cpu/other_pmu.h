/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of PMUs that do not belong to cores, such as those of an interconnect or a memory
 * controller, as sysfs describes them: /sys/bus/event_source/devices/NAME.
 */
#ifndef CPU_OTHER_PMU_H
#define CPU_OTHER_PMU_H

#include <stddef.h>
#include <stdint.h>

struct plumb_diagnostics;

/* A machine has several units of a kind: arm_cmn_0, arm_cmn_1. */
struct cpu_unit {
	char name[64];
	uint32_t type; /* perf_event_attr.type */
	/* Where its events are opened, for the whole machine; NULL: for a task or on any CPU. */
	int *cpus;
	size_t cpu_count;
};

#define CPU_UNITS_MAX 1024

/*
 * Finds the units that `name` stands for, in any case: one with this name, or all whose name goes
 * on with "_" and digits, or with digits. `root` is "" for this machine. Sorted by name. Returns
 * how many there are, at most CPU_UNITS_MAX, or NO_MEMORY, or INVALID (the CPUs of one are no
 * list). Free them with cpu_units_free().
 */
int cpu_find_units(const char *root, const char *name, struct cpu_unit **units);
void cpu_units_free(struct cpu_unit *units, int count);

/* A term between slashes: "event=0x1", or the name of an event. */
struct cpu_unit_term {
	const char *key, *value; /* value: NULL if there is none */
};

/*
 * Sets perf_event_attr.config, config1 and config2 to what the terms say, by the unit's events/ and
 * format/. Returns 0, or with a finding about `event` NOT_FOUND (a term or an event), INVALID (a
 * value) or SYNTAX (no terms); or NO_MEMORY.
 */
int cpu_unit_configure(const char *root, const struct cpu_unit *unit, const char *event,
		       const struct cpu_unit_term *terms, size_t count, uint64_t config[3],
		       struct plumb_diagnostics *diagnostics);

#endif
