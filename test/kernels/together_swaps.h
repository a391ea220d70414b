/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of THREADS threads adds to one counter: reads it, and compares and swaps until that fits.
 * The model's threads take turns between blocks, and this loop is one, so that it always fits.
 */
#include "together.h"

static void work(uintptr_t me)
{
	(void)me;
	for (int i = 0; i < EACH; i++) {
		uint64_t old = __atomic_load_n(&line[0], __ATOMIC_RELAXED); /* guilty */

		while (/* guilty */ !__atomic_compare_exchange_n(
			&line[0], &old, old + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}
