/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups into which perf sorts SPE records when it synthesizes samples, and the --itrace string
 * that selects groups. A record may be in several groups, or in none. No function here allocates
 * memory except for findings; any thread may call them.
 */
#ifndef PLUMB_SPE_GROUPS_H
#define PLUMB_SPE_GROUPS_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of a record's samples. */
enum plumb_spe_group {
	PLUMB_SPE_GROUP_L1D_MISS,
	PLUMB_SPE_GROUP_L1D_ACCESS,
	PLUMB_SPE_GROUP_L2D_MISS,   /* perf has no such group: no samples are made of it */
	PLUMB_SPE_GROUP_L2D_ACCESS, /* likewise */
	PLUMB_SPE_GROUP_LLC_MISS,
	PLUMB_SPE_GROUP_LLC_ACCESS,
	PLUMB_SPE_GROUP_TLB_MISS,
	PLUMB_SPE_GROUP_TLB_ACCESS,
	PLUMB_SPE_GROUP_BRANCH,      /* every branch */
	PLUMB_SPE_GROUP_BRANCH_MISS, /* mispredicted branches; perf up to 6.12 has only these */
	PLUMB_SPE_GROUP_REMOTE_ACCESS,
	PLUMB_SPE_GROUP_MEMORY,
	PLUMB_SPE_GROUP_INSTRUCTIONS, /* every record */
	PLUMB_SPE_GROUPS
};
#define PLUMB_SPE_GROUP_BIT(group) (1u << (group))

/* Returns the name of a group, such as "l1d-miss", or NULL for other numbers. */
PLUMB_API const char *plumb_spe_group_name(unsigned group);

/* ---- --itrace ---------------------------------------------------------------------------------
 */

enum plumb_itrace_unit {
	PLUMB_ITRACE_INSTRUCTIONS,
	PLUMB_ITRACE_TICKS,
	PLUMB_ITRACE_NANOSECONDS, /* ms and us become nanoseconds */
};

/* A parsed --itrace string, with everything that perf knows; only part of it applies to SPE. */
struct plumb_itrace {
	bool instructions;                 /* i */
	bool cycles;                       /* y */
	bool branches;                     /* b, c, r */
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
	bool timeless, kernel_time;        /* Z, T */
	unsigned quick;                    /* number of q */
	unsigned callchain_size, last_branch_size;
	uint64_t period; /* 0: not given */
	enum plumb_itrace_unit unit;
	uint64_t skip;                                         /* s: at the beginning */
	uint32_t error_plus, error_minus, log_plus, log_minus; /* bit 0: 'a', ... */
};

/*
 * Parses an --itrace string as perf does: letters in any order, each with its number, unit or
 * flags; "i1i" is every record. An empty string selects nothing. Returns 0, or PLUMB_ERR_SYNTAX or
 * PLUMB_ERR_INVALID (a number out of range, or a period that is not in instructions, which perf up
 * to 6.12 ignores) with a finding that names the letter and its column; then *itrace is undefined.
 */
PLUMB_API int plumb_itrace_parse(const char *text, enum plumb_perf_version version,
				 struct plumb_itrace *itrace, struct plumb_diagnostics *found);

/* Adds a warning for each letter that does not apply to SPE. */
PLUMB_API void plumb_itrace_report(const struct plumb_itrace *itrace,
				   enum plumb_perf_version version,
				   struct plumb_diagnostics *found);

#ifdef __cplusplus
}
#endif

#endif
