/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from in the encoding of PERF_SAMPLE_DATA_SRC, as perf makes it of a record
 * (tools/perf/util/arm-spe.c). Newer versions know more cores, and fill what the data source packet
 * leaves open from the record's events.
 */
#include "spe/data_source_perf.h"

#include "base/mem_source.h"
#include "spe/data_source.h"
#include "spe/groups.h"
#include "spe/perf_version.h"

#define LEVEL(value)  ((uint64_t)(MEM_LEVEL_##value) << MEM_LEVEL)
#define HIT(value)    ((uint64_t)(MEM_LEVEL_##value | MEM_LEVEL_HIT) << MEM_LEVEL)
#define MISS(value)   ((uint64_t)(MEM_LEVEL_##value | MEM_LEVEL_MISS) << MEM_LEVEL)
#define NUMBER(value) ((uint64_t)(MEM_NUMBER_##value) << MEM_LEVEL_NUMBER)
#define SNOOP(value)  ((uint64_t)(MEM_SNOOP_##value) << MEM_SNOOP)
#define PEER          ((uint64_t)MEM_SNOOPX_PEER << MEM_SNOOPX)
#define REMOTE        (UINT64_C(1) << MEM_REMOTE)

#define LEVEL_FIELD (UINT64_C(0x3fff) << MEM_LEVEL)
#define SNOOP_FIELD (UINT64_C(0x1f) << MEM_SNOOP)

/* Data sources that are not listed leave all fields open. */
#define SOURCES 32
static const uint64_t arm[SOURCES] = {
	[0x0] = HIT(L1) | NUMBER(L1) | SNOOP(NONE),
	[0x8] = HIT(L2) | NUMBER(L2) | SNOOP(NONE),
	[0x9] = HIT(L2) | NUMBER(L2) | PEER,            /* peer core */
	[0xa] = HIT(L3) | NUMBER(L3) | PEER,            /* local cluster */
	[0xb] = HIT(L3) | NUMBER(L3) | SNOOP(HIT),      /* system cache */
	[0xc] = HIT(L3) | NUMBER(L3) | PEER,            /* peer cluster */
	[0xd] = LEVEL(NA) | NUMBER(NA) | REMOTE | PEER, /* remote socket */
	[0xe] = HIT(RAM) | NUMBER(RAM) | SNOOP(NONE),
};

/* Each is equivalent to one of Arm's. */
static const uint64_t ampereone[SOURCES] = {
	[0x0] = HIT(L2) | NUMBER(L2) | PEER,
	[0x3] = HIT(L3) | NUMBER(L3) | SNOOP(HIT),
	[0x5] = LEVEL(NA) | NUMBER(NA) | REMOTE | PEER,
	[0x7] = HIT(RAM) | NUMBER(RAM) | SNOOP(NONE),
	[0x8] = HIT(L1) | NUMBER(L1) | SNOOP(NONE),
	[0x9] = HIT(L2) | NUMBER(L2) | SNOOP(NONE),
};

static const uint64_t hisilicon[SOURCES] = {
	[0] = HIT(L2) | NUMBER(L2) | PEER,
	[1] = HIT(L2) | NUMBER(L2) | SNOOP(HITM) | PEER,
	[2] = HIT(L3) | NUMBER(L3) | SNOOP(HIT),
	[3] = HIT(L3) | NUMBER(L3) | SNOOP(HITM),
	[4] = HIT(REMOTE_CACHE_1) | NUMBER(L3) | PEER,
	[5] = HIT(REMOTE_CACHE_1) | NUMBER(L3) | SNOOP(HITM) | PEER,
	[6] = LEVEL(REMOTE_CACHE_2) | NUMBER(ANY_CACHE) | REMOTE | PEER,
	[7] = LEVEL(REMOTE_CACHE_2) | NUMBER(ANY_CACHE) | SNOOP(HITM) | REMOTE | PEER,
	[8] = HIT(RAM) | NUMBER(RAM) | SNOOP(NONE),
	[9] = HIT(REMOTE_RAM) | NUMBER(RAM) | REMOTE,
	[13] = HIT(IO) | NUMBER(IO) | SNOOP(NONE),
	[16] = HIT(L2) | NUMBER(L2) | SNOOP(NONE),
	[17] = HIT(L2) | NUMBER(L2) | SNOOP(HITM),
	[18] = HIT(L1) | NUMBER(L1) | SNOOP(NONE),
};

static const uint64_t *const tables[SPE_SOURCES_COUNT] = {
	[SPE_SOURCES_ARM] = arm,
	[SPE_SOURCES_AMPEREONE] = ampereone,
	[SPE_SOURCES_HISILICON] = hisilicon,
};

static bool happened(const struct plumb_spe_record *record, enum plumb_spe_event event)
{
	return record->events & PLUMB_SPE_EVENT_BIT(event);
}

/* Decodes the data source packet. Stores have none; their numbers mean nothing. */
static uint64_t from_source(const struct plumb_spe_record *record, const uint64_t *table,
			    bool store)
{
	/* perf keeps 16 bits of it. */
	const unsigned source = (uint16_t)record->data_source;

	if (store)
		return LEVEL(NA) | NUMBER(NA) | SNOOP(NA);
	return source < SOURCES ? table[source] : 0;
}

static uint64_t tlb_fields(const struct plumb_spe_record *record)
{
	if (happened(record, PLUMB_SPE_EV_TLB_WALK))
		return mem_put(MEM_TLB, MEM_TLB_WALKER | MEM_TLB_MISS);
	if (happened(record, PLUMB_SPE_EV_TLB_ACCESS))
		return mem_put(MEM_TLB, MEM_TLB_WALKER | MEM_TLB_HIT);
	return 0;
}

/* ---- perf 6.1 to 6.12 ------------------------------------------------------------------------ */

static uint64_t old_events(const struct plumb_spe_record *record)
{
	uint64_t fields = 0;

	if (happened(record, PLUMB_SPE_EV_LLC_MISS))
		fields = MISS(L3);
	else if (happened(record, PLUMB_SPE_EV_LLC_ACCESS))
		fields = HIT(L3);
	else if (happened(record, PLUMB_SPE_EV_L1D_REFILL))
		fields = MISS(L1);
	else if (happened(record, PLUMB_SPE_EV_L1D_ACCESS))
		fields = HIT(L1);
	if (happened(record, PLUMB_SPE_EV_REMOTE_ACCESS))
		fields |= REMOTE;
	return fields;
}

static uint64_t old_fields(const struct plumb_spe_record *record, const uint64_t *table, bool store)
{
	return table ? from_source(record, table, store) : old_events(record);
}

/* ---- perf 6.18 and later --------------------------------------------------------------------- */

/* Returns whether a cache was accessed and had the data. */
static bool hit(const struct plumb_spe_record *record, enum plumb_spe_event access,
		enum plumb_spe_event miss)
{
	return happened(record, access) && !happened(record, miss);
}

/* Returns where a load found its data, or what it missed if nothing else is known. */
static uint64_t load_level(const struct plumb_spe_record *record)
{
	if (hit(record, PLUMB_SPE_EV_L1D_ACCESS, PLUMB_SPE_EV_L1D_REFILL))
		return HIT(L1) | NUMBER(L1);
	if (happened(record, PLUMB_SPE_EV_RECENTLY_FETCHED))
		return HIT(LFB) | NUMBER(LFB);
	if (hit(record, PLUMB_SPE_EV_L2D_ACCESS, PLUMB_SPE_EV_L2D_MISS))
		return HIT(L2) | NUMBER(L2);
	if (hit(record, PLUMB_SPE_EV_LLC_ACCESS, PLUMB_SPE_EV_LLC_MISS))
		return HIT(L3) | NUMBER(L3);
	if (happened(record, PLUMB_SPE_EV_LLC_MISS))
		return MISS(L3) | NUMBER(L3);
	if (happened(record, PLUMB_SPE_EV_L2D_MISS))
		return MISS(L2) | NUMBER(L2);
	if (happened(record, PLUMB_SPE_EV_L1D_REFILL))
		return MISS(L1) | NUMBER(L1);
	return 0;
}

/* Returns the farthest level that a store reached. */
static uint64_t store_level(const struct plumb_spe_record *record)
{
	if (happened(record, PLUMB_SPE_EV_LLC_MISS))
		return MISS(L3) | NUMBER(L3);
	if (happened(record, PLUMB_SPE_EV_LLC_ACCESS))
		return HIT(L3) | NUMBER(L3);
	if (happened(record, PLUMB_SPE_EV_L2D_MISS))
		return MISS(L2) | NUMBER(L2);
	if (happened(record, PLUMB_SPE_EV_L2D_ACCESS))
		return HIT(L2) | NUMBER(L2);
	if (happened(record, PLUMB_SPE_EV_L1D_REFILL))
		return MISS(L1) | NUMBER(L1);
	if (happened(record, PLUMB_SPE_EV_L1D_ACCESS))
		return HIT(L1) | NUMBER(L1);
	return 0;
}

static uint64_t snoop_fields(const struct plumb_spe_record *record, const struct spe_core *core)
{
	if (happened(record, PLUMB_SPE_EV_DATA_SNOOPED))
		return happened(record, PLUMB_SPE_EV_CACHE_DATA_MODIFIED) ? SNOOP(HITM)
									  : SNOOP(HIT);
	/* A missing event means something only if the core supports it. */
	return core->event_filter & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_DATA_SNOOPED) ? SNOOP(NONE)
										   : SNOOP(NA);
}

static uint64_t new_fields(const struct plumb_spe_record *record, const uint64_t *table,
			   const struct spe_core *core, enum mem_op op)
{
	uint64_t fields = table ? from_source(record, table, op == MEM_OP_STORE) : 0;

	if (!(fields & LEVEL_FIELD) && op == MEM_OP_LOAD)
		fields |= load_level(record);
	if (!(fields & LEVEL_FIELD) && op == MEM_OP_STORE)
		fields |= store_level(record);
	if (!(fields & LEVEL_FIELD))
		fields |= LEVEL(NA) | NUMBER(NA);
	if (!(fields & SNOOP_FIELD))
		fields |= snoop_fields(record, core);
	if (happened(record, PLUMB_SPE_EV_REMOTE_ACCESS))
		fields |= REMOTE;
	return fields;
}

/* ---- Both ------------------------------------------------------------------------------------ */

uint64_t spe_perf_data_source(const struct plumb_spe_record *record, const struct spe_core *core,
			      enum plumb_perf_version version)
{
	const uint64_t *table = tables[spe_sources_of(core->midr, version)];
	enum mem_op op;
	uint64_t fields;

	if (!spe_is_memory(record, version))
		return 0;
	/* perf treats a missing packet as number 0. */
	if (!(record->has & PLUMB_SPE_HAS_DATA_SOURCE) && !perf_is_exact(version))
		table = NULL;
	if (record->op_class != PLUMB_SPE_LOAD_STORE)
		op = perf_is_newer(version) ? MEM_OP_NA : MEM_OP_LOAD;
	else
		op = record->operation & 1 ? MEM_OP_STORE : MEM_OP_LOAD;
	fields = perf_is_newer(version) ? new_fields(record, table, core, op)
					: old_fields(record, table, op == MEM_OP_STORE);
	return mem_put(MEM_OP, op) | fields | tlb_fields(record);
}
