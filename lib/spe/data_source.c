/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from: what the numbers mean is each implementer's own. doc/spe.md says where the
 * maps are from. A new core needs a line in `cores`; one with numbers of its own, a map as well.
 */
#include <plumb/spe.h>

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

/* MIDR_EL1: implementer in bits 31:24, part in bits 15:4. */
static const struct {
	uint8_t implementer;
	uint16_t part;
	const struct source *sources;
} cores[] = {
	{0x41, 0xd0c, arm},       /* Neoverse N1 */
	{0x41, 0xd40, arm},       /* Neoverse V1 */
	{0x41, 0xd49, arm},       /* Neoverse N2 */
	{0x41, 0xd4f, arm},       /* Neoverse V2 */
	{0x41, 0xd83, arm},       /* Neoverse V3AE */
	{0x41, 0xd84, arm},       /* Neoverse V3 */
	{0x41, 0xd8e, arm},       /* Neoverse N3 */
	{0x41, 0xd47, arm},       /* Cortex-A710 */
	{0x41, 0xd4d, arm},       /* Cortex-A715 */
	{0x41, 0xd81, arm},       /* Cortex-A720 */
	{0x41, 0xd89, arm},       /* Cortex-A720AE */
	{0x41, 0xd87, arm},       /* Cortex-A725 */
	{0x41, 0xd44, arm},       /* Cortex-X1 */
	{0x41, 0xd4c, arm},       /* Cortex-X1C */
	{0x41, 0xd48, arm},       /* Cortex-X2 */
	{0x41, 0xd4e, arm},       /* Cortex-X3 */
	{0x41, 0xd82, arm},       /* Cortex-X4 */
	{0x41, 0xd85, arm},       /* Cortex-X925 */
	{0x6d, 0xd49, arm},       /* Azure Cobalt 100, a Neoverse N2 */
	{0xc0, 0xac3, ampereone}, /* AmpereOne */
	{0xc0, 0xac4, ampereone}, /* AmpereOne A */
	{0x48, 0xd06, hisilicon}, /* HIP12 */
};

static const struct source *sources_of(uint32_t midr)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		if (cores[i].implementer == midr >> 24 && cores[i].part == (midr >> 4 & 0xfff))
			return cores[i].sources;
	return NULL;
}

const char *plumb_spe_data_source_name(uint32_t midr, uint64_t data_source)
{
	const struct source *source = sources_of(midr);

	for (; source && source->name; source++)
		if (source->number == data_source)
			return source->name;
	return NULL;
}
