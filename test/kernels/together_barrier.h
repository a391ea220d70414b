/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THREADS threads meet at a barrier again and again: each counts itself, and waits for the last one
 * to begin the next round.
 */
#define ALL 4096
#include "together.h"

static uint64_t begun __attribute__((aligned(L1D_LINE_BYTES)));

static void work(uintptr_t me)
{
	(void)me;
	for (uint64_t i = 1; i <= EACH; i++) {
		if (__atomic_add_fetch(&line[0], 1, __ATOMIC_ACQ_REL) == THREADS) { /* guilty */
			line[0] = 0;
			__atomic_store_n(&begun, i, __ATOMIC_RELEASE);
		} else {
			while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) != i) /* guilty */
				;
		}
	}
}
