/* SPDX-License-Identifier: Apache-2.0 */
#include "base/threads.h"

#include <sched.h>

unsigned threads_to_use(unsigned wanted)
{
	cpu_set_t cpus;

	if (wanted == 0)
		wanted = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus)
									: 1;
	return wanted < THREADS_MAX ? wanted : THREADS_MAX;
}
