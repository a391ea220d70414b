/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads count in one counter, with atomic additions. */
#define THREADS 8
#include "together.h"

static void work(uintptr_t me)
{
	uint64_t one = 1, before;

	(void)me;
	for (int i = 0; i < EACH; i++)
		__asm__ volatile("ldadd %1, %0, [%2]"
				 : "=r"(before)
				 : "r"(one), "r"(line)
				 : "memory");
}
