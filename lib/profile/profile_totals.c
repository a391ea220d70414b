/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that the model counts as sums of others: exact profiles have only those. model/account.c
 * adds them up in the same way.
 */
#include <strings.h>

#include <plumb/profile.h>

#define STALLS_BACKEND                                                                  \
	"STALL_BACKEND_CPUBOUND STALL_BACKEND_L1D STALL_BACKEND_MEM STALL_BACKEND_TLB " \
	"STALL_BACKEND_ST"

static const struct {
	const char *name, *parts;
} totals[] = {
	{"STALL", "STALL_FRONTEND_* " STALLS_BACKEND},
	{"STALL_FRONTEND", "STALL_FRONTEND_*"},
	{"STALL_FRONTEND_CPUBOUND", "STALL_FRONTEND_FLOW STALL_FRONTEND_FLUSH"},
	{"STALL_FRONTEND_MEMBOUND", "STALL_FRONTEND_TLB STALL_FRONTEND_L1I STALL_FRONTEND_MEM"},
	{"STALL_BACKEND", STALLS_BACKEND},
	{"STALL_BACKEND_MEMBOUND",
	 "STALL_BACKEND_L1D STALL_BACKEND_MEM STALL_BACKEND_TLB STALL_BACKEND_ST"},
	{"STALL_SLOT", "slots_frontend_* slots_backend_*"},
	{"STALL_SLOT_FRONTEND", "slots_frontend_*"},
	{"STALL_SLOT_BACKEND", "slots_backend_*"},
	{"OP_SPEC", "OP_RETIRED slots_bad_speculation"},
	/* The model mispredicts only branches that retire. */
	{"BR_MIS_PRED", "BR_MIS_PRED_RETIRED"},
	{"L1D_CACHE", "L1D_CACHE_RD L1D_CACHE_WR"},
	{"L2D_CACHE", "L2D_CACHE_RD L2D_CACHE_WR L2D_CACHE_PRF"},
	{"L2D_CACHE_REFILL", "L2D_CACHE_REFILL_RD L2D_CACHE_REFILL_PRF"},
	{"MEM_ACCESS", "MEM_ACCESS_RD MEM_ACCESS_WR"},
	{"LDST_ALIGN_LAT", "LD_ALIGN_LAT ST_ALIGN_LAT"},
};

const char *plumb_profile_total(size_t i)
{
	return i < sizeof(totals) / sizeof(*totals) ? totals[i].name : NULL;
}

const char *plumb_profile_parts(const char *name)
{
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++)
		if (strcasecmp(totals[i].name, name) == 0)
			return totals[i].parts;
	return NULL;
}
