/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups into which perf sorts SPE records when it makes samples of them, and the --itrace
 * string that chooses among them. A record is in any number of groups; those of perf 6.1 are in the
 * order in which it gives a record's samples. No function here allocates, but for findings; all may
 * be called by any number of threads.
 */
#ifndef PLUMB_SPE_GROUPS_H
#define PLUMB_SPE_GROUPS_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plumb_spe_group {
	PLUMB_SPE_GROUP_L1D_MISS,
	PLUMB_SPE_GROUP_L1D_ACCESS,
	PLUMB_SPE_GROUP_L2D_MISS,   /* none of perf 6.1's */
	PLUMB_SPE_GROUP_L2D_ACCESS, /* none of perf 6.1's */
	PLUMB_SPE_GROUP_LLC_MISS,
	PLUMB_SPE_GROUP_LLC_ACCESS,
	PLUMB_SPE_GROUP_TLB_MISS,
	PLUMB_SPE_GROUP_TLB_ACCESS,
	PLUMB_SPE_GROUP_BRANCH, /* every branch; of newer perfs, which have no branch-miss */
	PLUMB_SPE_GROUP_BRANCH_MISS,
	PLUMB_SPE_GROUP_REMOTE_ACCESS,
	PLUMB_SPE_GROUP_MEMORY,
	PLUMB_SPE_GROUP_INSTRUCTIONS, /* every record */
	PLUMB_SPE_GROUPS
};
#define PLUMB_SPE_GROUP_BIT(group) (1u << (group))

/* "l1d-miss"; NULL for a number that is none. */
PLUMB_API const char *plumb_spe_group_name(unsigned group);
/* The group of that name, or PLUMB_ERR_NOT_FOUND. */
PLUMB_API int plumb_spe_group_by_name(const char *name);

/* The groups a record is in, as PLUMB_SPE_GROUP_BIT()s: from its events, class and operation. */
PLUMB_API uint32_t plumb_spe_record_groups(const struct plumb_spe_record *record);

/* ---- --itrace ---------------------------------------------------------------------------------
 */

enum plumb_itrace_unit {
	PLUMB_ITRACE_INSTRUCTIONS,
	PLUMB_ITRACE_TICKS,
	PLUMB_ITRACE_NANOSECONDS, /* ms and us are made of it */
};

/* What an --itrace string asks for: all that perf 6.1 knows, of which SPE has a use for part. */
struct plumb_itrace {
	bool instructions;                 /* i */
	bool branches;                     /* b, c, r: branch misses */
	bool calls, returns;               /* c, r */
	bool first_level;                  /* f: l1d */
	bool last_level;                   /* m: llc */
	bool tlb;                          /* t */
	bool remote_access;                /* a */
	bool memory;                       /* M */
	bool transactions;                 /* x */
	bool ptwrites, power;              /* w, p */
	bool other, interrupts;            /* o, I */
	bool errors, log;                  /* e, d */
	bool callchain, add_callchain;     /* g, G */
	bool last_branch, add_last_branch; /* l, L */
	bool approximate_ipc;              /* A */
	bool timeless;                     /* Z */
	bool second_level; /* l2d: no letter asks for it, see plumb_itrace_newer() */
	bool all_branches; /* the group "branch", likewise */
	unsigned quick;    /* q, as often as it came */
	unsigned callchain_size, last_branch_size;
	uint64_t period; /* of `instructions` */
	enum plumb_itrace_unit unit;
	uint64_t skip;                                         /* s: at the beginning */
	uint32_t error_plus, error_minus, log_plus, log_minus; /* bit 0: 'a', ... */
};

/*
 * What perf 6.1 does without --itrace: every group but "instructions", since its default period is
 * in nanoseconds, which SPE has no use for.
 */
PLUMB_API void plumb_itrace_default(struct plumb_itrace *itrace);
/* Adds what perf 6.1 does not know: the groups "l2d-miss", "l2d-access" and "branch". */
PLUMB_API void plumb_itrace_newer(struct plumb_itrace *itrace);

/*
 * Parses an --itrace string as perf 6.1 does: letters in any order, each with the number, unit or
 * flags that it takes; "i1i" is every record. An empty string asks for nothing. Returns 0, or
 * PLUMB_ERR_SYNTAX or PLUMB_ERR_INVALID (a number out of range) with a finding that names the
 * letter and its column; then *itrace is undefined.
 */
PLUMB_API int plumb_itrace_parse(const char *text, struct plumb_itrace *itrace,
				 struct plumb_diagnostics *found);

/*
 * The groups that are made, as PLUMB_SPE_GROUP_BIT()s. "instructions" is only if its period is in
 * instructions, as of perf.
 */
PLUMB_API uint32_t plumb_itrace_groups(const struct plumb_itrace *itrace);

/* Adds a warning for each thing that was asked for and that SPE cannot give. */
PLUMB_API void plumb_itrace_report(const struct plumb_itrace *itrace,
				   struct plumb_diagnostics *found);

/* ---- perf's encoding of where data came from ----------------------------------------------------
 */

/*
 * The data_src value (PERF_MEM_OP, LVL, SNOOP, TLB, ...; union perf_mem_data_src) that perf 6.1
 * makes of a record of a core with this MIDR: 0 if it is no load or store. Cores whose data sources
 * it knows are Neoverse N1, N2 and V1; of others it goes by the events.
 */
PLUMB_API uint64_t plumb_spe_perf_data_source(const struct plumb_spe_record *record, uint32_t midr);

#ifdef __cplusplus
}
#endif

#endif
