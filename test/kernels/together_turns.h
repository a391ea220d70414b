/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads wait for their turn, and pass it on. */
#include "together.h"

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH; i++) {
		while (__atomic_load_n(&line[0], __ATOMIC_ACQUIRE) != me) /* guilty */
			;
		__atomic_store_n(&line[0], (me + 1) % THREADS, __ATOMIC_RELEASE);
	}
}
