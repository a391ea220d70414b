/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads count, each in a counter of its own; all counters are in one line. */
#define THREADS 4
#define ALL     131072
#include "together.h"

static void work(uintptr_t me)
{
	for (int i = 0; i < EACH; i++)
		line[me]++;
}
