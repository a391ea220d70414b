/* SPDX-License-Identifier: Apache-2.0 */
/* One thread writes a word now and then; THREADS - 1 others read it over and over. */
#define ALL   512
#define APART 256 /* divisions between two writes */
#include "together.h"

static void work(uintptr_t me)
{
	uint64_t value = 0, large = UINT64_MAX;

	while (me && __atomic_load_n(&line[0], __ATOMIC_ACQUIRE) != ALL) /* guilty */
		;
	for (uint64_t i = 1; !me && i <= ALL; i++) {
		for (int k = 0; k < APART; k++)
			__asm__ volatile("udiv %0, %0, %1" : "+r"(value) : "r"(large)); /* guilty */
		__atomic_store_n(&line[0], i + value, __ATOMIC_RELAXED);
	}
}
