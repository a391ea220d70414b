/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of THREADS threads adds to one counter, counts in a line of its own, and in a word of its
 * own in another line that all share.
 */
#include "together.h"

static uint32_t sum __attribute__((aligned(L1D_LINE_BYTES)));
static volatile uint64_t own[THREADS][L1D_LINE_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(L1D_LINE_BYTES)));

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH; i++) {
		__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED); /* guilty */
		own[me][0]++;
		line[me]++; /* guilty */
	}
}
