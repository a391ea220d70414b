/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPE_DATA_SOURCE_H
#define SPE_DATA_SOURCE_H

#include <plumb/spe_groups.h>

/* Who numbers data sources alike. */
enum spe_sources {
	SPE_SOURCES_UNKNOWN,
	SPE_SOURCES_ARM,
	SPE_SOURCES_AMPEREONE,
	SPE_SOURCES_HISILICON,
	SPE_SOURCES_COUNT
};

/* How the core with this MIDR numbers them, as far as that perf knows. */
enum spe_sources spe_sources_of(uint32_t midr, enum plumb_perf_version version);

#endif
