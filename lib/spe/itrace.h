/* SPDX-License-Identifier: Apache-2.0 */
/* What an --itrace string consists of and selects. */
#ifndef SPE_ITRACE_H
#define SPE_ITRACE_H

#include <plumb/spe_groups.h>

enum itrace_unit {
	ITRACE_INSTRUCTIONS,
	ITRACE_TICKS,
	ITRACE_NANOSECONDS, /* ms and us become nanoseconds */
};

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
	enum itrace_unit unit;
	uint64_t skip;                                         /* s: at the beginning */
	uint32_t error_plus, error_minus, log_plus, log_minus; /* bit 0: 'a', ... */
};

/* Parses as itrace_parse() does. After an error *itrace is undefined. */
int itrace_parse(const char *text, enum plumb_perf_version version, struct plumb_itrace *itrace,
		 struct plumb_diagnostics *diagnostics);

/*
 * Sets perf's default without --itrace: one sample for each group of a record, since 6.18 including
 * "instructions".
 */
void itrace_default(struct plumb_itrace *itrace, enum plumb_perf_version version);

/* Returns the groups to make samples of, as PLUMB_SPE_GROUP_BIT()s. */
uint32_t itrace_groups(const struct plumb_itrace *itrace, enum plumb_perf_version version);

#endif
