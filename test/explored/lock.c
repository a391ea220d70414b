/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take one lock for every item of work. */
#include <pthread.h>
#include <stdint.h>

#define THREADS 4
#define ITEMS   24000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned next_item;
static uint64_t results[THREADS * 8];

__attribute__((noinline)) static int take(void)
{
	int item;

	pthread_mutex_lock(&lock); /* guilty */
	item = next_item < ITEMS ? (int)next_item++ : -1;
	pthread_mutex_unlock(&lock);
	return item;
}

static void *work(void *result)
{
	uint64_t sum = 0;

	for (int item; (item = take()) >= 0;)
		for (int i = 0; i < 10; i++)
			sum = (sum ^ (uint64_t)item) * UINT64_C(6364136223846793005) + 1;
	*(uint64_t *)result = sum;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &results[8 * i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return results[0] == 1;
}
