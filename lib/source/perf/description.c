/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/description.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/pmu.h"
#include "cpu/sysfs.h"
#include "source/perf/spe_metadata.h"

#define DEVICES "/sys/bus/event_source/devices"

/* perf keeps only these bits of MIDR, without variant and revision. */
#define MIDR_MODEL 0xff0ffff0

static void describe_pmus(struct description *d)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *entries = opendir(DEVICES);

	while (entries && (entry = readdir(entries)) && d->setup.pmu_count < 16) {
		const size_t i = d->setup.pmu_count;
		unsigned long long type;

		snprintf(path, sizeof(path), DEVICES "/%s/type", entry->d_name);
		if (strlen(entry->d_name) >= sizeof(d->pmu_names[i]) ||
		    !sysfs_read_number(path, 10, UINT32_MAX, &type))
			continue;
		memcpy(d->pmu_names[i], entry->d_name, strlen(entry->d_name) + 1);
		d->setup.pmus[i].name = d->pmu_names[i];
		d->setup.pmus[i].type = (uint32_t)type;
		d->setup.pmu_count++;
	}
	if (entries)
		closedir(entries);
}

/* Tells what types of cores the machine has, if several. */
static void describe_core_pmus(struct description *d)
{
	char path[PATH_MAX];
	size_t count = cpu_find_pmus("", d->core_pmus, CPU_PMUS_MAX);

	if (count < 2 || count > CPU_PMUS_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), DEVICES "/%s/cpus", d->core_pmus[i].name);
		if (!sysfs_read_line(d->core_cpus[i], sizeof(d->core_cpus[i]), path))
			continue;
		d->setup.core_pmus[d->setup.core_pmu_count].name = d->core_pmus[i].name;
		d->setup.core_pmus[d->setup.core_pmu_count].cpus = d->core_cpus[i];
		d->setup.core_pmus[d->setup.core_pmu_count++].midr = d->core_pmus[i].midr;
	}
}

static void describe_events(struct description *d, const struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->count; i++) {
		const struct sampled *event = &sampling->all[i];

		d->events[i] = (struct plumb_recorded_event){
			.attr = sampled_attr_public(&event->attr),
			.ids = event->ids,
			.id_count = event->id_count,
			.name = event->name,
		};
	}
	d->setup.size = sizeof(d->setup);
	d->setup.events = d->events;
	d->setup.event_count = sampling->count;
}

/* Returns false if out of memory. */
static bool describe_aux(struct description *d, const struct sampling *sampling)
{
	const struct sampled *first = NULL;

	for (size_t i = sampling->count; i-- > 0;)
		if (sampling->all[i].spe)
			first = &sampling->all[i];
	if (!first)
		return true;
	d->auxtrace_info.type = SPE_AUXTRACE;
	d->auxtrace_info.values = d->auxtrace_values = spe_metadata_new(
		"", sampling->spes, sampling->spe_count, first->spe->type,
		!perf_targets_per_thread(&sampling->targets), &d->auxtrace_info.count);
	d->setup.auxtrace_info = &d->auxtrace_info;
	return d->auxtrace_values != NULL;
}

/* Returns the MIDR of the PMU that samples, otherwise of the first CPU. */
static uint32_t find_midr(const struct sampling *sampling)
{
	const int cpu = sampling->targets.cpus[0];
	unsigned long long midr;
	char path[128];

	for (size_t i = 0; i < sampling->count; i++)
		if (sampling->all[i].spe && sampling->all[i].spe->midr)
			return sampling->all[i].spe->midr;
	if (sampling->job->pmu && sampling->job->pmu->midr)
		return sampling->job->pmu->midr;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu < 0 ? 0 : cpu);
	return sysfs_read_number(path, 16, UINT32_MAX, &midr) ? (uint32_t)midr : 0;
}

static void describe_machine(struct description *d, const struct sampling *sampling)
{
	const uint32_t midr = find_midr(sampling);
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (uname(&d->system) == 0) {
		d->setup.hostname = d->system.nodename;
		d->setup.osrelease = d->system.release;
		d->setup.arch = d->system.machine;
	}
	if (midr) {
		snprintf(d->cpuid, sizeof(d->cpuid), "0x%016x", midr & MIDR_MODEL);
		d->setup.cpuid = d->cpuid;
	}
	d->setup.cpus_available = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	d->setup.cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (pages > 0 && page > 0)
		d->setup.total_memory_kb = (uint64_t)pages * ((uint64_t)page / 1024);
	d->setup.clockid = sampling->job->clockid;
}

struct description *description_new(const struct sampling *sampling, const struct perf_rings *rings)
{
	struct description *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->events = calloc(sampling->count + 1, sizeof(*d->events));
	if (!d->events) {
		free(d);
		return NULL;
	}
	describe_events(d, sampling);
	if (!describe_aux(d, sampling)) {
		description_free(d);
		return NULL;
	}
	if (rings->count && perf_ring_time(&rings->all[0], &d->time_conv))
		d->setup.time_conv = &d->time_conv;
	describe_machine(d, sampling);
	describe_pmus(d);
	describe_core_pmus(d);
	return d;
}

void description_free(struct description *d)
{
	free(d->auxtrace_values);
	free(d->events);
	free(d);
}
