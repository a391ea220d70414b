/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from: what the numbers mean is each implementer's own. doc/spe.md says where the
 * maps are from. A new core needs a line in `cores`; one with numbers of its own, a map as well.
 */
#include "spe/data_source.h"

struct source {
	uint16_t number;
	const char *name;
};

static const struct source arm[] = {
	{0x0, "L1D"},           {0x8, "L2"},           {0x9, "peer core"},
	{0xa, "local cluster"}, {0xb, "system cache"}, {0xc, "peer cluster"},
	{0xd, "remote socket"}, {0xe, "DRAM"},         {0, NULL},
};

static const struct source ampereone[] = {
	{0x0, "local chip cache or device"},
	{0x3, "system cache"},
	{0x5, "remote chip cache"},
	{0x7, "DDR"},
	{0x8, "L1D"},
	{0x9, "L2D"},
	{0, NULL},
};

static const struct source hisilicon[] = {
	{0, "peer CPU"},
	{1, "peer CPU, modified"},
	{2, "L3"},
	{3, "L3, modified"},
	{4, "peer cluster"},
	{5, "peer cluster, modified"},
	{6, "remote socket"},
	{7, "remote socket, modified"},
	{8, "local memory"},
	{9, "remote memory"},
	{13, "device"},
	{16, "L2"},
	{17, "L2, modified"},
	{18, "L1"},
	{0, NULL},
};

static const struct source *const sources[SPE_SOURCES_COUNT] = {
	[SPE_SOURCES_ARM] = arm,
	[SPE_SOURCES_AMPEREONE] = ampereone,
	[SPE_SOURCES_HISILICON] = hisilicon,
};

/* Not in any perf's list, as far as it was looked at. */
#define NEVER ((enum plumb_perf_version)INT32_MAX)

/* MIDR_EL1: implementer in bits 31:24, part in bits 15:4. */
static const struct {
	uint8_t implementer;
	uint16_t part;
	enum spe_sources sources;
	enum plumb_perf_version since; /* of those that can be asked for */
} cores[] = {
	{0x41, 0xd0c, SPE_SOURCES_ARM, PLUMB_PERF_6_1},       /* Neoverse N1 */
	{0x41, 0xd40, SPE_SOURCES_ARM, PLUMB_PERF_6_1},       /* Neoverse V1 */
	{0x41, 0xd49, SPE_SOURCES_ARM, PLUMB_PERF_6_1},       /* Neoverse N2 */
	{0x41, 0xd4f, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Neoverse V2 */
	{0x41, 0xd83, SPE_SOURCES_ARM, NEVER},                /* Neoverse V3AE */
	{0x41, 0xd84, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Neoverse V3 */
	{0x41, 0xd8e, SPE_SOURCES_ARM, NEVER},                /* Neoverse N3 */
	{0x41, 0xd47, SPE_SOURCES_ARM, NEVER},                /* Cortex-A710 */
	{0x41, 0xd4d, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-A715 */
	{0x41, 0xd81, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-A720 */
	{0x41, 0xd89, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-A720AE */
	{0x41, 0xd87, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-A725 */
	{0x41, 0xd44, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-X1 */
	{0x41, 0xd4c, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-X1C */
	{0x41, 0xd4b, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-A78C */
	{0x41, 0xd48, SPE_SOURCES_ARM, NEVER},                /* Cortex-X2 */
	{0x41, 0xd4e, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-X3 */
	{0x41, 0xd82, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-X4 */
	{0x41, 0xd85, SPE_SOURCES_ARM, PLUMB_PERF_7_3},       /* Cortex-X925 */
	{0x6d, 0xd49, SPE_SOURCES_ARM, NEVER},                /* Azure Cobalt 100, a Neoverse N2 */
	{0xc0, 0xac3, SPE_SOURCES_AMPEREONE, NEVER},          /* AmpereOne */
	{0xc0, 0xac4, SPE_SOURCES_AMPEREONE, PLUMB_PERF_7_3}, /* AmpereOne A */
	{0x48, 0xd06, SPE_SOURCES_HISILICON, PLUMB_PERF_7_3}, /* HIP12 */
};

enum spe_sources spe_sources_of(uint32_t midr, enum plumb_perf_version version)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		if (cores[i].implementer == midr >> 24 && cores[i].part == (midr >> 4 & 0xfff))
			return version == PLUMB_PERF_NEWEST || cores[i].since <= version
				       ? cores[i].sources
				       : SPE_SOURCES_UNKNOWN;
	return SPE_SOURCES_UNKNOWN;
}

const char *plumb_spe_data_source_name(uint32_t midr, uint64_t data_source)
{
	const struct source *source = sources[spe_sources_of(midr, PLUMB_PERF_NEWEST)];

	for (; source && source->name; source++)
		if (source->number == data_source)
			return source->name;
	return NULL;
}
