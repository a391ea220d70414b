/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that each write a variable of their own; both variables are in one cache line. */
#include <pthread.h>
#include <stdint.h>

#define ROUNDS 50000

/* A section of their own keeps them in this order. */
#define SHARED __attribute__((section(".data.shared"), aligned(8)))
static __attribute__((aligned(64))) SHARED volatile uint64_t left = 1;
static SHARED volatile uint64_t right = 1;

static void *count(void *counter)
{
	volatile uint64_t *own = counter;

	for (int i = 0; i < ROUNDS; i++)
		*own += i; /* guilty */
	return counter;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, count, (void *)&left);
	count((void *)&right);
	pthread_join(thread, NULL);
	return left != right;
}
