/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads take a lock and leave it again: a word that each tries to set. */
#define ALL 4096
#include "together.h"

static void work(uintptr_t me)
{
	(void)me;
	for (int i = 0; i < EACH; i++) {
		while (__atomic_exchange_n(&line[0], 1, __ATOMIC_ACQUIRE)) /* guilty */
			;
		__atomic_store_n(&line[0], 0, __ATOMIC_RELEASE);
	}
}
