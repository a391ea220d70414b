/* SPDX-License-Identifier: Apache-2.0 */
/* Each of THREADS threads adds to one counter. */
#include "together.h"

static void work(uintptr_t me)
{
	uint64_t one = 1, before;

	(void)me;
	for (int i = 0; i < EACH; i++)
		__asm__ volatile("ldadd %1, %0, [%2]" /* guilty */
				 : "=r"(before)
				 : "r"(one), "r"(line)
				 : "memory");
}
