/* SPDX-License-Identifier: Apache-2.0 */
/* Each of THREADS threads counts in a word of its own in each of two lines. */
#define ALL 32768
#include "together.h"

static volatile uint64_t second[L1D_LINE_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(L1D_LINE_BYTES)));

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH / 2; i++) {
		line[me]++;   /* guilty */
		second[me]++; /* guilty */
	}
}
