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

/* Sets the CPUs that threads may use, and those of them that this thread is not on right now.
 * Returns false if there are no others. */
static bool find_others(cpu_set_t *all, cpu_set_t *others)
{
	const int own = sched_getcpu();

	if (own < 0 || own >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*all), all) < 0)
		return false;
	*others = *all;
	CPU_CLR((unsigned)own, others);
	return CPU_COUNT(others) > 0;
}

bool threads_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
	cpu_set_t all, others;
	pthread_attr_t attr;
	bool elsewhere, started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	elsewhere = find_others(&all, &others) &&
		    pthread_attr_setaffinity_np(&attr, sizeof(others), &others) == 0;
	started = pthread_create(thread, &attr, run, user) == 0;
	pthread_attr_destroy(&attr);
	/* CPUs may be taken from the process meanwhile. */
	if (!started && elsewhere)
		return pthread_create(thread, NULL, run, user) == 0;
	if (started && elsewhere)
		pthread_setaffinity_np(*thread, sizeof(all), &all);
	return started;
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
