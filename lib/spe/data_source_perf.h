/* SPDX-License-Identifier: Apache-2.0 */
/* perf's encoding of where data came from. */
#ifndef SPE_DATA_SOURCE_PERF_H
#define SPE_DATA_SOURCE_PERF_H

#include <plumb/spe.h>

/* The core that made a record; it decides the meaning of data sources. */
struct spe_core {
	uint32_t midr;         /* 0: unknown */
	uint64_t event_filter; /* caps/event_filter: the events that it supports; 0: unknown */
};

/*
 * Returns perf's data_src value of a record (PERF_MEM_OP, LVL, SNOOP, TLB, ...; union
 * perf_mem_data_src), or 0 if the record is not in "memory". perf up to 6.12 uses the data source
 * packet for Neoverse N1, N2 and V1, and the events for all others. Later versions, and Plumb, know
 * more cores and combine both.
 */
uint64_t spe_perf_data_source(const struct plumb_spe_record *record, const struct spe_core *core,
			      enum plumb_perf_version version);

#endif
