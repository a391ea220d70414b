/* SPDX-License-Identifier: Apache-2.0 */
#include "base/threads.h"

#include <sched.h>

/* How often a lock is tried before sleeping, and how often the thread pauses in between. */
#define TRIES  128
#define PAUSES 8

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory"); /* `yield` takes no time on most cores */
#endif
}

unsigned threads_to_use(unsigned wanted)
{
	cpu_set_t cpus;

	if (wanted == 0)
		wanted = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus)
									: 1;
	return wanted < THREADS_MAX ? wanted : THREADS_MAX;
}

void threads_lock(pthread_mutex_t *lock)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (pthread_mutex_trylock(lock) == 0)
			return;
		for (unsigned k = 0; k < PAUSES; k++)
			pause_briefly();
	}
	pthread_mutex_lock(lock);
}
