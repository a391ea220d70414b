/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run may add to the core, if asked: the kernel's time at a stated cost, and the loads of
 * wrong paths. Off by default. doc/model.md has the rules.
 */
#ifndef MODEL_CONDITIONS_H
#define MODEL_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

struct core_conditions {
	uint32_t page_fault_cycles;  /* when a page is first accessed; 0: no page faults */
	uint32_t system_call_cycles; /* 0: they take no time */
	bool wrong_path_loads;       /* access the caches */
};

/* What a core counts of them, beside events. */
enum condition_count {
	CONDITION_PAGE_FAULTS,
	CONDITION_SYSTEM_CALLS,
	CONDITION_KERNEL_CYCLES,
	CONDITION_WRONG_LOADS,   /* loads of wrong paths that accessed L1D */
	CONDITION_WRONG_REFILLS, /* those of them that missed it */
	CONDITION_COUNTS
};

#endif
