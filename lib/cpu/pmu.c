/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/pmu.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sysfs.h"

#define DEVICES "/sys/bus/event_source/devices"
#define CORES   "/sys/devices/system/cpu"
#define RELEASE "/proc/sys/kernel/osrelease"

/* The kernel's names for the PMUs of Arm cores (drivers/perf/arm_pmuv3.c). */
static bool is_core_pmu(const char *name)
{
	return strncmp(name, "armv8_", 6) == 0 || strncmp(name, "armv9_", 6) == 0;
}

/* ---- events ------------------------------------------------------------------------------- */

/*
 * The common events that Linux names (armv8_pmuv3_event_attrs in arch/arm64/kernel/perf_event.c).
 * Linux shows them in the PMU's folder if PMCEID has them. They are the first 64 except SW_INCR and
 * CHAIN, and the others except those of trace hardware. Linux before 5.10 named fewer.
 */
static const uint64_t named[2] = {0xffffffffbffffffe, 0x0000007700000e7f};
static const uint64_t named_before_5_10[2] = {0x0001ffffbffffffe, 0};

/* Returns the word that holds the bit of a common event, or NULL for any other event. */
static const uint64_t *word_of(const uint64_t words[2], uint16_t code)
{
	return code < 0x40 ? &words[0] : code >= 0x4000 && code < 0x4040 ? &words[1] : NULL;
}

bool cpu_pmu_may_count(const struct cpu_pmu *pmu, uint16_t code)
{
	const uint64_t *word = word_of(pmu->lacks, code);

	return !word || !(*word >> (code & 0x3f) & 1);
}

static bool is_old_kernel(const char *root)
{
	char path[PATH_MAX], release[64], *end;
	unsigned long major, minor;

	snprintf(path, sizeof(path), "%s" RELEASE, root);
	if (!sysfs_read_line(release, sizeof(release), path))
		return true;
	major = strtoul(release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major < 5 || (major == 5 && minor < 10);
}

/* Adds an event shown in the PMU's folder as "event=0x0011". */
static bool add_shown(void *user, const char *name, const char *line)
{
	uint64_t *shown = user;
	unsigned long code;
	const uint64_t *word;

	(void)name;
	if (strncmp(line, "event=0x", 8) != 0)
		return true;
	code = strtoul(line + 8, NULL, 16);
	word = code <= UINT16_MAX ? word_of(shown, (uint16_t)code) : NULL;
	if (word)
		shown[word - shown] |= UINT64_C(1) << (code & 0x3f);
	return true;
}

/*
 * Finds common events the PMU lacks. The driver accepts any code and counts 0 for those that are
 * missing, but it shows only those that PMCEID has.
 */
static void find_lacking(struct cpu_pmu *pmu, const char *root)
{
	uint64_t shown[2] = {0, 0};
	char folder[PATH_MAX];
	const uint64_t *known;

	snprintf(folder, sizeof(folder), "%s" DEVICES "/%s/events", root, pmu->name);
	sysfs_read_folder(folder, add_shown, shown);
	/* No events at all means no information, since every PMU counts cycles. */
	if (!(shown[0] | shown[1]))
		return;
	known = is_old_kernel(root) ? named_before_5_10 : named;
	for (int i = 0; i < 2; i++)
		pmu->lacks[i] = known[i] & ~shown[i];
}

/* ---- PMUs --------------------------------------------------------------------------------- */

/* Notes the CPUs of a list. One that is invalid leaves them unknown. */
static void note_cpus(struct cpu_pmu *pmu, const char *list)
{
	int *cpus, count = sysfs_parse_cpus(list, &cpus);

	for (int i = 0; i < count; i++)
		if (cpus[i] < CPU_PMU_CPUS)
			pmu->cpus[cpus[i] / 64] |= UINT64_C(1) << cpus[i] % 64;
	if (count >= 0)
		free(cpus);
}

bool cpu_pmu_covers(const struct cpu_pmu *pmu, int cpu)
{
	uint64_t any = 0;

	for (size_t i = 0; i < CPU_PMU_CPUS / 64; i++)
		any |= pmu->cpus[i];
	return !any || cpu < 0 || (cpu < CPU_PMU_CPUS && pmu->cpus[cpu / 64] >> cpu % 64 & 1);
}

bool cpu_pmu_covers_thread(const struct cpu_pmu *pmu)
{
	cpu_set_t allowed;

	if (!pmu->some_cores)
		return true;
	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return false;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) &&
		    (cpu >= CPU_PMU_CPUS || !(pmu->cpus[cpu / 64] >> cpu % 64 & 1)))
			return false;
	return true;
}

static bool read_pmu(const char *root, const char *name, struct cpu_pmu *pmu)
{
	char path[PATH_MAX], cpus[256], all[256];
	unsigned long long number;

	*pmu = (struct cpu_pmu){0};
	if (strlen(name) >= sizeof(pmu->name))
		return false;
	memcpy(pmu->name, name, strlen(name) + 1);
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/type", root, name);
	if (!sysfs_read_number(path, 10, UINT32_MAX, &number))
		return false;
	pmu->type = (uint32_t)number;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/cpus", root, name);
	if (sysfs_read_line(cpus, sizeof(cpus), path)) {
		pmu->core = (unsigned)strtoul(cpus, NULL, 10);
		note_cpus(pmu, cpus);
		snprintf(path, sizeof(path), "%s" CORES "/possible", root);
		pmu->some_cores = sysfs_read_line(all, sizeof(all), path) && strcmp(all, cpus) != 0;
	}
	snprintf(path, sizeof(path), "%s" CORES "/cpu%u/regs/identification/midr_el1", root,
		 pmu->core);
	if (sysfs_read_number(path, 16, UINT32_MAX, &number))
		pmu->midr = (uint32_t)number;
	find_lacking(pmu, root);
	return true;
}

size_t cpu_find_pmus(const char *root, struct cpu_pmu *pmus, size_t room)
{
	char path[PATH_MAX];
	struct dirent **entries;
	size_t count = 0;
	int all;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	all = sysfs_scan_folder(path, &entries);
	for (int i = 0; i < all; i++) {
		struct cpu_pmu pmu;

		if (is_core_pmu(entries[i]->d_name) && read_pmu(root, entries[i]->d_name, &pmu)) {
			if (count < room)
				pmus[count] = pmu;
			count++;
		}
		free(entries[i]);
	}
	if (all >= 0)
		free(entries);
	return count;
}

/* Returns the first PMU whose CPU has a specification: that of `spec`, unless it is NULL. */
static const struct cpu_pmu *find_known(const struct cpu_pmu *pmus, size_t count,
					const struct plumb_spec *spec)
{
	for (size_t i = 0; i < count; i++) {
		const struct plumb_spec *its =
			pmus[i].midr ? plumb_spec_for_midr(pmus[i].midr) : NULL;

		if (its && (!spec || (its->product.part == spec->product.part &&
				      its->product.implementer == spec->product.implementer)))
			return &pmus[i];
	}
	return NULL;
}

const struct cpu_pmu *cpu_choose_pmu(const struct cpu_pmu *pmus, size_t count,
				     const struct plumb_spec *spec)
{
	const struct cpu_pmu *chosen = find_known(pmus, count, spec);

	if (!chosen && spec)
		chosen = find_known(pmus, count, NULL);
	return chosen ? chosen : &pmus[0];
}
