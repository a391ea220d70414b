/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/spe_pmu.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "cpu/sysfs.h"
#include "spe/filter.h"

#define DEVICES "/sys/bus/event_source/devices"
#define MIDR    "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1"
#define PREFIX  "arm_spe_"

/* PMSIRR_EL1.INTERVAL's minimum, which the driver uses if the core recommends none. */
#define MIN_INTERVAL 4096

/* ---- formats ------------------------------------------------------------------------------ */

/* Parses "5" or "0-11" at `*text`, and advances it. */
static bool parse_bits(const char **text, uint64_t *mask)
{
	char *end;
	unsigned long first = strtoul(*text, &end, 10), last = first;

	if (end == *text || first > 63)
		return false;
	if (*end == '-') {
		const char *number = end + 1;

		last = strtoul(number, &end, 10);
		if (end == number || last < first || last > 63)
			return false;
	}
	*text = end;
	*mask |= ~UINT64_C(0) >> (63 - (last - first)) << first;
	return true;
}

bool spe_parse_format(const char *text, struct spe_format *format)
{
	if (strncmp(text, "config", 6) != 0)
		return false;
	text += 6;
	format->word = 0;
	format->mask = 0;
	if (*text >= '1' && *text <= '4')
		format->word = (uint8_t)(*text++ - '0');
	if (*text != ':')
		return false;
	do {
		text++;
		if (!parse_bits(&text, &format->mask))
			return false;
	} while (*text == ',');
	return *text == '\0';
}

static bool add_format(void *user, const char *name, const char *line)
{
	struct spe_pmu *pmu = user;
	struct spe_format *format = &pmu->formats[pmu->format_count];
	size_t length = strlen(name);

	if (length < sizeof(format->name) && spe_parse_format(line, format)) {
		memcpy(format->name, name, length + 1);
		pmu->format_count++;
	}
	return pmu->format_count < SPE_FORMATS_MAX;
}

static void read_formats(const char *root, struct spe_pmu *pmu)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s" DEVICES "/%s/format", root, pmu->name);
	sysfs_read_folder(folder, add_format, pmu);
}

/* ---- PMUs --------------------------------------------------------------------------------- */

static void read_cpus(const char *root, struct spe_pmu *pmu)
{
	char path[PATH_MAX], list[4096];
	unsigned long long midr;
	int count;

	snprintf(path, sizeof(path), "%s" DEVICES "/%s/cpumask", root, pmu->name);
	if (!sysfs_read_line(list, sizeof(list), path))
		return;
	count = sysfs_parse_cpus(list, &pmu->cpus);
	if (count <= 0)
		return;
	pmu->cpu_count = (size_t)count;
	snprintf(path, sizeof(path), "%s" MIDR, root, pmu->cpus[0]);
	if (sysfs_read_number(path, 16, UINT32_MAX, &midr))
		pmu->midr = (uint32_t)midr;
}

static bool read_pmu(const char *root, const char *name, struct spe_pmu *pmu)
{
	char path[PATH_MAX];
	unsigned long long number;

	*pmu = (struct spe_pmu){0};
	if (strlen(name) >= sizeof(pmu->name))
		return false;
	memcpy(pmu->name, name, strlen(name) + 1);
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/type", root, name);
	if (!sysfs_read_number(path, 10, UINT32_MAX, &number))
		return false;
	pmu->type = (uint32_t)number;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/caps/min_interval", root, name);
	if (sysfs_read_number(path, 10, UINT_MAX, &number))
		pmu->min_interval = (unsigned)number;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/caps/event_filter", root, name);
	if (sysfs_read_number(path, 16, UINT64_MAX, &number))
		pmu->event_filter = number;
	read_formats(root, pmu);
	read_cpus(root, pmu);
	return true;
}

size_t spe_find_pmus(const char *root, struct spe_pmu *pmus, size_t room)
{
	char path[PATH_MAX];
	struct dirent **entries;
	size_t count = 0;
	int all;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	all = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < all; i++) {
		struct spe_pmu pmu;

		if (strncmp(entries[i]->d_name, PREFIX, strlen(PREFIX)) == 0 &&
		    read_pmu(root, entries[i]->d_name, &pmu)) {
			if (count < room)
				pmus[count] = pmu;
			else
				spe_pmu_free(&pmu);
			count++;
		}
		free(entries[i]);
	}
	if (all >= 0)
		free(entries);
	return count;
}

void spe_pmu_free(struct spe_pmu *pmu)
{
	free(pmu->cpus);
	pmu->cpus = NULL;
	pmu->cpu_count = 0;
}

/* ---- an event's attributes ---------------------------------------------------------------- */

/* Puts the value's bits where the mask has bits. Returns false if the mask has too few. */
static bool spread(uint64_t value, uint64_t mask, uint64_t *word)
{
	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			*word |= mask & -mask;
	return value == 0;
}

static int set(const struct spe_pmu *pmu, const char *name, uint64_t value,
	       struct sampled_attr *attr, struct plumb_diagnostics *diagnostics)
{
	uint64_t words[5] = {attr->attr.config, attr->attr.config1, attr->attr.config2,
			     attr->config3, attr->config4};
	const struct spe_format *format = NULL;

	if (value == 0)
		return PLUMB_OK;
	for (size_t i = 0; i < pmu->format_count && !format; i++)
		if (strcmp(pmu->formats[i].name, name) == 0)
			format = &pmu->formats[i];
	if (!format) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "spe-parameter", NULL,
				      "%s: this machine's %s does not support this term", name,
				      pmu->name);
		plumb_diagnostics_hint(diagnostics,
				       "see " DEVICES "/%s/format for the terms it supports",
				       pmu->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (!spread(value, format->mask, &words[format->word])) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "spe-parameter", NULL,
				      "%s=%llu: exceeds the %d bits that %s has for it", name,
				      (unsigned long long)value, __builtin_popcountll(format->mask),
				      pmu->name);
		return PLUMB_ERR_ARGUMENT;
	}
	attr->attr.config = words[0];
	attr->attr.config1 = words[1];
	attr->attr.config2 = words[2];
	attr->config3 = words[3];
	attr->config4 = words[4];
	return PLUMB_OK;
}

int spe_pmu_configure(const struct spe_pmu *pmu, const struct plumb_event_config *event,
		      struct sampled_attr *attr, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_event_spe *spe = &event->spe;
	uint64_t kept = 0;
	int error = spe->data_source
			    ? spe_filter_sources(spe->data_source, pmu->midr, &kept, diagnostics)
			    : PLUMB_OK;
	const struct {
		const char *name;
		uint64_t value;
	} wanted[] = {
		{"ts_enable", spe->ts_enable},
		{"pa_enable", spe->pa_enable},
		{"pct_enable", spe->pct_enable},
		{"jitter", spe->jitter},
		{"load_filter", spe->load_filter},
		{"store_filter", spe->store_filter},
		{"branch_filter", spe->branch_filter},
		{"simd_filter", spe->simd_filter},
		{"float_filter", spe->float_filter},
		{"discard", spe->discard},
		{"min_latency", spe->min_latency},
		{"event_filter", spe->event_filter},
		{"inv_event_filter", spe->inv_event_filter},
		{"load_filter_mask", spe->load_filter_mask},
		{"store_filter_mask", spe->store_filter_mask},
		{"branch_filter_mask", spe->branch_filter_mask},
		{"simd_filter_mask", spe->simd_filter_mask},
		{"float_filter_mask", spe->float_filter_mask},
		{"inv_data_src_filter", spe->inv_data_src_filter | (spe->data_source ? ~kept : 0)},
	};

	if (error < 0)
		return error;
	attr->attr.type = pmu->type;
	attr->attr.config = attr->attr.config1 = attr->attr.config2 = 0;
	attr->config3 = attr->config4 = 0;
	attr->attr.freq = 0;
	attr->attr.sample_period = event->period       ? event->period
				   : pmu->min_interval ? pmu->min_interval
						       : MIN_INTERVAL;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		error = set(pmu, wanted[i].name, wanted[i].value, attr, diagnostics);
		if (error < 0)
			return error;
	}
	return PLUMB_OK;
}

void spe_pmu_complain(const char *event, struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(
		diagnostics, PLUMB_ERROR, "no-spe", NULL,
		"%s: Linux reports no SPE unit on this machine (" DEVICES "/arm_spe_*)", event);
	/* The reasons in perf-arm-spe(1), "Common errors" and "Kernel requirements". */
	diagnostics_remedy(diagnostics, "find-spe", NULL,
			   "load the module arm_spe_pmu; check whether dmesg asks for kpti=off "
			   "on the kernel's command line; virtual machines seldom have SPE; or "
			   "use the model source");
}
