/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that add to one counter, by libgcc's helpers for atomics. */
#include <pthread.h>
#include <stdint.h>

#define THREADS 4
#define ROUNDS  20000

static uint64_t counter;

static void *count(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_ACQ_REL); /* guilty */
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return counter != THREADS * ROUNDS;
}
