/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of THREADS threads reads memory of its own, straight on, ROUNDS times: first from DRAM, then
 * from the system cache, since its part does not fit L2. All begin a round together, so that none
 * reads from the system cache while others still use DRAM.
 */
#define LINES 262144 /* 16 MiB, all threads together */
#define ALL   (LINES * ROUNDS)
#include "together.h"

static char memory[LINES * L1D_LINE_BYTES] __attribute__((aligned(65536)));

static void work(uintptr_t me)
{
	const uintptr_t part = sizeof(memory) / THREADS;

	for (int round = 0; round < ROUNDS; round++) {
		if (round)
			pthread_barrier_wait(&ready);
		for (uintptr_t i = me * part; i < (me + 1) * part; i += L1D_LINE_BYTES)
			__asm__ volatile("ldp q0, q1, [%0]\n" /* guilty */
					 "ldp q2, q3, [%0, #32]" ::"r"(memory + i)
					 : "v0", "v1", "v2", "v3");
	}
}
