/* SPDX-License-Identifier: Apache-2.0 */
/* Each of THREADS threads adds to two counters, each of which has a line to itself. */
#define ALL 32768 /* the C library's start is to be little beside it */
#include "together.h"

static volatile uint64_t second[L1D_LINE_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(L1D_LINE_BYTES)));

static void work(uintptr_t me)
{
	uint64_t one = 1, before;

	(void)me;
	for (int i = 0; i < EACH / 2; i++) {
		__asm__ volatile("ldadd %1, %0, [%2]" /* guilty */
				 : "=r"(before)
				 : "r"(one), "r"(line)
				 : "memory");
		__asm__ volatile("ldadd %1, %0, [%2]" /* guilty */
				 : "=r"(before)
				 : "r"(one), "r"(second)
				 : "memory");
	}
}
