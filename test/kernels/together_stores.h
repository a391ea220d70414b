/* SPDX-License-Identifier: Apache-2.0 */
/* Each of THREADS threads counts in a word of its own. */
#define ALL 131072
#include "together.h"

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH; i++)
		line[me]++; /* guilty */
}
