/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THREADS threads do work() as often as each other, at the same time: on one line, which moves
 * between their cores.
 */
#include <pthread.h>
#include <stdint.h>

#ifndef ALL
#define ALL 16384 /* times, of all threads */
#endif
#define EACH (ALL / THREADS)

#define TEXT(value)  #value
#define VALUE(value) TEXT(value)
__asm__(".globl kernel_work\n.set kernel_work, " VALUE(ALL));

static volatile uint64_t line[L1D_LINE_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(L1D_LINE_BYTES), unused));
static pthread_barrier_t ready;

static void work(uintptr_t me);

static void *thread(void *me)
{
	pthread_barrier_wait(&ready);
	work((uintptr_t)me);
	return 0;
}

int main(void)
{
	pthread_t others[THREADS];

	if (pthread_barrier_init(&ready, 0, THREADS))
		return 1;
	for (uintptr_t i = 1; i < THREADS; i++)
		if (pthread_create(&others[i], 0, thread, (void *)i))
			return 1;
	thread(0);
	for (int i = 1; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return 0;
}
