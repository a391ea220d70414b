/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads count in one counter, which a mutex protects: those that find it taken sleep. */
#define ALL 8192
#include "together.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(uintptr_t me)
{
	(void)me;
	for (int i = 0; i < EACH; i++) {
		pthread_mutex_lock(&mutex); /* guilty */
		line[0]++;
		pthread_mutex_unlock(&mutex);
	}
}
