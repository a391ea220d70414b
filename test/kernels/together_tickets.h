/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THREADS threads take a ticket lock and leave it again: each draws a number, and waits for its
 * turn by reading the number that is served. The two are in lines of their own.
 */
#define ALL 8192
#include "together.h"

static volatile uint64_t drawn[L1D_LINE_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(L1D_LINE_BYTES)));

static void work(uintptr_t me)
{
	(void)me;
	for (int i = 0; i < EACH; i++) {
		uint64_t mine = __atomic_fetch_add(&drawn[0], 1, __ATOMIC_RELAXED); /* guilty */

		while (__atomic_load_n(&line[0], __ATOMIC_ACQUIRE) != mine) /* guilty */
			;
		__atomic_store_n(&line[0], mine + 1, __ATOMIC_RELEASE);
	}
}
