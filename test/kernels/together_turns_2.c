/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads pass a turn around, each waiting for it by reading the line over and over. */
#define THREADS 2
#include "together.h"

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH; i++) {
		while (__atomic_load_n(&line[0], __ATOMIC_ACQUIRE) != me)
			;
		__atomic_store_n(&line[0], (me + 1) % THREADS, __ATOMIC_RELEASE);
	}
}
